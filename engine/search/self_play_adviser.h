// Search inside self-play (Scheiermann and Konen 2022, section IV-E): chooses actions in training by MCTS, MaxN or
// Expectimax over what is being learned, and provides search values as targets of TD learning.
#pragma once

#include <functional>
#include <memory>
#include <optional>

#include "ntuple/adviser.h"
#include "search/alphabeta.h"
#include "search/maxn.h"
#include "search/mcts.h"

namespace boardlab {

struct AdviserOptions {
  std::int64_t iterations = 0;  // of MCTS per decision; 0: no MCTS
  int depth = 0;                // of MaxN or Expectimax per decision, in actions; 0: neither. Without both the learner
                                // chooses.
  double cpuct = 1;
  bool proportional = false;  // draw actions in proportion to their visits instead of playing the most visited one
  // Algorithm 1 of Scheiermann and Konen (2022) to the letter, with the tree kept over an episode (UseLastMCTS).
  bool paper = false;
  int target_depth = 0;  // of alpha-beta below the after-state; 0: the target is the network's own value
  int solve_below = 0;   // exact targets when at most this many actions are left; 0: never
};

class SelfPlayAdviser final : public ntuple::Adviser {
 public:
  // `make` makes evaluators over what is being learned. Throws std::invalid_argument if `target_depth` is given for a
  // game that alpha-beta cannot play.
  SelfPlayAdviser(const std::function<std::unique_ptr<Evaluator>()> &make, AdviserOptions options);

  void begin_episode(Rng &rng) override;
  bool choose(const void *state, Rng &rng, Action &action) override;
  bool judge(const void *after_state, int player, Rng &rng, double &value) override;
  std::int64_t effort() const override;

 private:
  AdviserOptions options_;
  GamePtr game_;
  // Reset before every use, because the network has changed since the last one; with `paper`, before every episode.
  std::optional<MctsSearch> mcts_;
  std::optional<MaxNSearch> full_width_;
  std::optional<AlphaBetaSearch> target_;
  std::optional<EndgameSolver> solver_;
  Decision decision_;
};

}  // namespace boardlab
