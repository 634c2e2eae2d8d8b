// What actions are worth to a player who does not see everything, for values that are known of after-states.
//
// An action may end the round, and what is then paid depends on hidden cards. So it is averaged over worlds that the
// player cannot tell apart, drawn with the probabilities of the deal.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "core/game.h"

namespace boardlab {

// Scratch memory of one thread.
class Unseen {
 public:
  static constexpr int WORLDS = 16;

  Unseen(const Game &game, int outcome) : game_(game), outcome_(outcome), world_(game), after_(game) {}

  // out[actions]: what is paid at the after-state, or `to_come(after-state)` and that where play goes on. If no action
  // of the first world ends the round, one world is enough: the player sees the same after-states in all of them.
  template <class ToCome>
  void worth(const void *state, int player, std::span<const Action> actions, Rng &rng, const ToCome &to_come,
             double *out) {
    known_.assign(actions.size(), false);
    later_.resize(actions.size());
    std::fill(out, out + actions.size(), 0.0);
    int worlds = 1;
    for (int w = 0; w < worlds; ++w) {
      game_.copy(world_.data(), state);
      game_.determinize(world_.data(), player, rng);
      for (std::size_t i = 0; i < actions.size(); ++i) {
        game_.copy(after_.data(), world_.data());
        game_.apply(after_.data(), actions[i]);
        double paid[MAX_PLAYERS];
        game_.outcome(outcome_, after_.data(), paid);
        out[i] += paid[player];
        if (game_.player(after_.data()) == TERMINAL || game_.round_over(after_.data())) {
          worlds = WORLDS;
          continue;
        }
        if (!known_[i]) later_[i] = to_come(after_.data());
        known_[i] = true;
        out[i] += later_[i];
      }
    }
    for (std::size_t i = 0; i < actions.size(); ++i) out[i] /= worlds;
  }

  // The action that is worth most, uniformly among equals.
  template <class ToCome>
  Action best(const void *state, int player, std::span<const Action> actions, Rng &rng, const ToCome &to_come) {
    worth_.resize(actions.size());
    worth(state, player, actions, rng, to_come, worth_.data());
    std::size_t chosen = 0;
    std::uint32_t equals = 0;
    for (std::size_t i = 0; i < actions.size(); ++i) {
      if (equals > 0 && worth_[i] < worth_[chosen]) continue;
      equals = equals > 0 && worth_[i] == worth_[chosen] ? equals + 1 : 1;
      if (equals == 1 || rng.below(equals) == 0) chosen = i;
    }
    return actions[chosen];
  }

 private:
  const Game &game_;
  int outcome_;
  StateBuffer world_, after_;
  std::vector<bool> known_;
  std::vector<double> later_, worth_;
};

}  // namespace boardlab
