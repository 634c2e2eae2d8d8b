// A plan for a whole game: actions from a first state on. It holds as long as the game follows it; after that, the
// caller must make a new plan.
#pragma once

#include <span>
#include <vector>

#include "core/game.h"
#include "search/search.h"

namespace boardlab {

class Plan {
 public:
  explicit Plan(const Game &game) : game_(game), root_(game), state_(game) {}

  void forget() { actions_.clear(); }
  void set(const void *root, std::span<const Action> actions) {
    game_.copy(root_.data(), root);
    actions_.assign(actions.begin(), actions.end());
    restart();
  }
  // Whether the state lies on the plan, which then has an action for it. Replays the plan from its present position, or
  // from the root if the game has gone back.
  bool leads_through(const void *state) {
    if (actions_.empty()) return false;
    const std::size_t from = played_;
    if (advance(state, actions_.size())) return true;
    restart();
    return advance(state, from);
  }
  // Writes the next action and the rest of the plan. `score` is the outcome of the whole plan with all step rewards;
  // those of the actions already played are taken off.
  void tell(double score, Decision &out) const {
    if (played_ >= actions_.size()) game_.contradicts("player");  // the game was over here before
    out.action = actions_[played_];
    out.line.assign(actions_.begin() + static_cast<std::ptrdiff_t>(played_), actions_.end());
    const std::size_t i = out.index_of(game_, out.action);
    out.policy[i] = 1;
    out.values[i] = out.scores[0] = score - game_.step_reward() * static_cast<double>(played_);
  }
  std::size_t length() const { return actions_.size(); }

 private:
  void restart() {
    played_ = 0;
    game_.copy(state_.data(), root_.data());
  }
  bool advance(const void *state, std::size_t end) {
    for (; played_ < end; game_.apply(state_.data(), actions_[played_++]))
      if (game_.equal(state, state_.data())) return true;
    return false;
  }

  const Game &game_;
  StateBuffer root_, state_;
  std::vector<Action> actions_;
  std::size_t played_ = 0;
};

}  // namespace boardlab
