#include "search/mcts.h"

#include <algorithm>
#include <chrono>

namespace boardlab {

MctsSearch::MctsSearch(std::unique_ptr<Evaluator> evaluator, MctsOptions options, std::uint64_t seed)
    : Search(std::move(evaluator), seed),
      options_(options),
      tree_(game_ptr(), evaluator_->outcome(), options.tree),
      leaves_(static_cast<std::size_t>(options.batch)) {}

void MctsSearch::reset(std::uint64_t seed) {
  Search::reset(seed);
  tree_.clear();
}

// Algorithm 1 of paper 000, with the recursion unrolled: select, evaluate, expand and back up.
void MctsSearch::iterate(std::int64_t wanted) {
  const bool virtual_loss = options_.batch > 1;
  const std::size_t batch = static_cast<std::size_t>(std::min<std::int64_t>(options_.batch, wanted));
  questions_.clear();
  for (std::size_t i = 0; i < batch; ++i) {
    tree_.select(leaves_[i], rng, virtual_loss);
    if (!leaves_[i].terminal) questions_.push_back(tree_.question(leaves_[i]));
  }
  if (!questions_.empty()) evaluator_->answer(questions_, rng);
  for (std::size_t i = 0; i < batch; ++i) tree_.back_up(leaves_[i], rng);
  for (std::size_t i = 0; i < batch; ++i) tree_.widen(leaves_[i]);
}

void MctsSearch::act(const void *state, Decision &out) {
  try {
    think(state, out);
  } catch (...) {
    tree_.clear();  // a descent that was never backed up has left its visits and virtual losses behind
    throw;
  }
}

void MctsSearch::think(const void *state, Decision &out) {
  using Clock = std::chrono::steady_clock;
  const auto start = Clock::now();
  const auto elapsed = [&start] { return std::chrono::duration<double>(Clock::now() - start).count(); };
  out.prepare(game(), state);
  tree_.set_root(state, options_.reuse);
  // A node counts its visits in 32 bits, and a kept tree brings some along.
  if (tree_.root().visits > MOST_VISITS / 2) tree_.set_root(state, false);
  tree_.prepare_root(*evaluator_, rng);
  const std::int64_t most = MOST_VISITS - tree_.root().visits;
  const std::int64_t limit = options_.iterations > 0 ? std::min(options_.iterations, most) : most;
  std::int64_t done = 0, next_look = 1;
  while (done < limit) {
    iterate(limit - done);
    done += options_.batch;
    if (done < next_look) continue;
    poll();
    const double seconds = elapsed();
    if (options_.seconds > 0 && seconds >= options_.seconds) break;
    // The clock costs a tenth of a fast iteration, so that it is read every 64; after every slow one.
    next_look = done + (seconds < 1e-3 * static_cast<double>(done) ? 64 : 1);
  }
  report(out, std::min(done, limit));
}

void MctsSearch::report(Decision &out, std::int64_t iterations) const {
  const auto children = tree_.root_children();
  double visits = 0;
  for (const Node &child : children) visits += child.visits;
  const Node *best = nullptr;
  const auto better = [&](const Node &a, const Node &b) {
    const double mean_a = a.visits ? a.value_sum / a.visits : 0, mean_b = b.visits ? b.value_sum / b.visits : 0;
    if ((a.visits > 0) != (b.visits > 0)) return a.visits > 0;
    if (options_.choose_by_value) return mean_a > mean_b;
    return a.visits != b.visits ? a.visits > b.visits : mean_a > mean_b;
  };
  double root_value[MAX_PLAYERS] = {};
  for (int p = 0; p < game().players(); ++p) root_value[p] = tree_.root_mean(p);
  for (const Node &child : children) {
    const auto at = std::find(out.actions.begin(), out.actions.end(), child.action);
    if (at == out.actions.end()) continue;
    const auto i = static_cast<std::size_t>(at - out.actions.begin());
    out.policy[i] = visits > 0 ? child.visits / visits : child.prior;
    if (child.visits) out.values[i] = child.value_sum / child.visits;
    if (!best || better(child, *best)) best = &child;
  }
  out.action = best ? best->action : out.actions.front();
  std::copy(std::begin(root_value), std::end(root_value), std::begin(out.scores));
  out.info.emplace_back("iterations", static_cast<double>(iterations));
  out.info.emplace_back("nodes", static_cast<double>(tree_.node_count()));
  out.info.emplace_back("bytes", static_cast<double>(tree_.bytes()));
  out.info.emplace_back("depth", tree_.deepest());
}

}  // namespace boardlab
