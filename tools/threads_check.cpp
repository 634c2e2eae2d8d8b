// A short run of the threaded searches and of n-tuple learning, for ThreadSanitizer: `make tsan`.
#include <cstdio>
#include <memory>

#include "evaluators/rollout.h"
#include "games/registry.h"
#include "ntuple/hogwild.h"
#include "search/alphabeta.h"
#include "search/forest.h"
#include "search/mcts.h"

using namespace boardlab;

namespace {

// Few and small tables, so that threads collide often; with and without counters.
std::int64_t learn(const std::shared_ptr<const Game> &game, ntuple::Coherence coherence) {
  ntuple::Design design;
  design.tuples = {{0, 1, 2, 3}, {7, 8, 9, 10}, {14, 15, 16, 17}, {3, 10, 17, 24}, {4, 5, 6, 13}};
  design.symmetries = {0, 1};
  const bool coherent = coherence != ntuple::Coherence::NONE;
  ntuple::TdSettings settings;
  settings.coherence = coherence;
  settings.lambda = 0.5;
  ntuple::HogwildLearner learner(std::make_shared<ntuple::Network>(game, design, coherent, 1 << 30), settings, 4, 1);
  learner.train(400, nullptr);
  return learner.actions_done;
}

}  // namespace

int main() {
  const auto game = std::make_shared<const Game>(
      "connectfour", make_connectfour(Params("connectfour", {{"rows", 6}, {"cols", 7}, {"connect", 4}})));
  StateBuffer state(*game);
  Rng rng(1);
  game->initial_state(state.data(), rng);

  MctsOptions options;
  options.iterations = 4000;
  options.threads = 4;
  MctsSearch search(std::make_unique<RolloutEvaluator>(game, SCORE, 1, 0), options, 1);
  options.tree.puct = options.tree.rave = true;
  options.tree.max_nodes = 4096;  // small, so that nodes are recycled often
  options.tree.batch = 3;
  MctsSearch crowded(std::make_unique<RolloutEvaluator>(game, SCORE, 1, 0), options, 1);
  Decision decision;
  for (int i = 0; i < 3; ++i) {
    crowded.act(state.data(), decision);
    search.act(state.data(), decision);
    game->apply(state.data(), decision.action);
  }

  AlphaBetaOptions full_width;
  full_width.depth = 7;
  full_width.threads = 4;
  full_width.table_bytes = 1 << 16;  // small, so that threads write the same entries
  AlphaBetaSearch together(std::make_unique<RolloutEvaluator>(game, SCORE, 1, 0), full_width, 1);
  for (int i = 0; i < 2; ++i) together.act(state.data(), decision);

  ForestOptions trees;
  trees.trees = 32;
  trees.tree.batch = 2;
  trees.threads = 4;
  trees.cache_bytes = 1 << 16;
  Forest forest(game, SCORE, Inputs::PLANES, trees, 1);
  std::vector<std::byte> inputs(forest.capacity() * forest.encoding().row_bytes());
  const auto legal = std::make_unique<bool[]>(forest.capacity() * forest.encoding().actions());
  const std::vector<float> values(forest.capacity()), logits(forest.capacity() * forest.encoding().actions());
  const std::vector<std::int64_t> iterations(forest.size(), 50);
  const auto noise = std::make_unique<bool[]>(forest.size());
  std::size_t rows = forest.start(iterations.data(), noise.get(), inputs.data(), legal.get());
  while (rows) rows = forest.step({values.data(), 1, logits.data()}, inputs.data(), legal.get());
  std::printf("%.0f iterations, %lld evaluations\n", decision.info[0].second,
              static_cast<long long>(forest.evaluations()));

  for (const auto coherence : {ntuple::Coherence::NONE, ntuple::Coherence::ID, ntuple::Coherence::EXP})
    std::printf("%lld actions learned from\n", static_cast<long long>(learn(game, coherence)));
}
