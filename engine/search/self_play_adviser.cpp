#include "search/self_play_adviser.h"

#include <algorithm>

namespace boardlab {

namespace {

constexpr std::int64_t SOLVE_NODES = 2'000'000;  // about a second, in which Ctrl-C is not noticed
constexpr std::size_t TABLE_BYTES = 1u << 20;    // small: it is emptied before every search

AlphaBetaOptions alphabeta_to(int depth) {
  AlphaBetaOptions options;
  options.depth = depth;
  options.table_bytes = TABLE_BYTES;
  return options;
}

}  // namespace

SelfPlayAdviser::SelfPlayAdviser(const std::function<std::unique_ptr<Evaluator>()> &make, AdviserOptions options)
    : options_(options) {
  std::unique_ptr<Evaluator> first = make();
  game_ = first->game_ptr();
  if (options.iterations > 0) {
    MctsOptions mcts;
    mcts.iterations = options.iterations;
    mcts.tree.reuse = options.paper;
    mcts.tree.puct = true;
    mcts.tree.c = options.cpuct;
    mcts.tree.epsilon = 1e-8;
    mcts.tree.paper = options.paper;
    mcts.tree.solver = !options.paper;
    mcts_.emplace(make(), mcts, 0);
  }
  if (options.depth > 0) full_width_.emplace(make(), MaxNOptions{options.depth, TABLE_BYTES}, 0);
  if (options.target_depth > 0) target_.emplace(make(), alphabeta_to(options.target_depth), 0);
  if (options.solve_below > 0) solver_.emplace(game_, first->outcome(), TABLE_BYTES);
}

std::int64_t SelfPlayAdviser::effort() const {
  return 1 + options_.iterations + (options_.depth > 0 ? 1024 : 0) +
         (options_.target_depth + options_.solve_below > 0 ? 256 : 0);
}

void SelfPlayAdviser::begin_episode(Rng &rng) {
  if (mcts_ && options_.paper) mcts_->reset(rng.next());
}

bool SelfPlayAdviser::choose(const void *state, Rng &rng, Action &action) {
  if (full_width_) {
    full_width_->reset(rng.next());
    full_width_->act(state, decision_);
    action = decision_.action;
    return true;
  }
  if (!mcts_) return false;
  if (!options_.paper) mcts_->reset(rng.next());
  mcts_->act(state, decision_);
  action = decision_.action;
  if (!options_.proportional) return true;
  double left = rng.unit();
  for (std::size_t i = 0; i < decision_.actions.size(); ++i) {
    if (decision_.policy[i] <= 0) continue;
    action = decision_.actions[i];
    if ((left -= decision_.policy[i]) < 0) break;
  }
  return true;
}

bool SelfPlayAdviser::judge(const void *after_state, int player, Rng &rng, double &value) {
  if (solver_ && game_->moves_left(after_state) <= options_.solve_below) {
    EndgameSolver::Solution solution;
    solver_->clear();  // or a resumed run would solve other positions within the limit
    if (solver_->solve(after_state, SOLVE_NODES, [] {}, solution)) {
      value = solution.scores[player];
      return true;
    }
  }
  if (!target_) return false;
  target_->reset(rng.next());
  target_->act(after_state, decision_);
  value = decision_.scores[player];
  return true;
}

}  // namespace boardlab
