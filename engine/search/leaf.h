// A descent that waits for its evaluation.
#pragma once

#include <cstdint>
#include <vector>

#include "core/game.h"
#include "evaluators/evaluator.h"

namespace boardlab {

// Reused for descent after descent, so that its vectors keep their memory.
struct Leaf {
  struct Step {
    std::uint32_t node;
    int mover;    // the player who moved into it, or CHANCE
    int owner;    // the player whose value the node keeps
    double loss;  // virtual loss to take back
  };
  StateBuffer state;
  std::vector<Step> path;
  std::vector<Action> actions;
  std::vector<double> priors;
  std::vector<Played> played;  // by the rollout, if RAVE counts its actions
  double value[MAX_PLAYERS] = {};
  int mover = CHANCE;     // the player who moves in `state`; set by Tree::question
  bool terminal = false;  // the value is known already: the game is over, or the position is proven
};

}  // namespace boardlab
