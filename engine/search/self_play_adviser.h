// Search inside self-play (Scheiermann and Konen 2022, section IV-E): chooses actions by MCTS over the network in
// training, and provides search values as targets of TD learning.
#pragma once

#include <memory>
#include <optional>

#include "ntuple/adviser.h"
#include "ntuple/network.h"
#include "search/alphabeta.h"
#include "search/mcts.h"

namespace boardlab {

struct AdviserOptions {
  std::int64_t iterations = 0;  // of MCTS per decision; 0: the learner chooses
  double cpuct = 1;
  bool proportional = false;  // draw actions in proportion to their visits instead of playing the most visited one
  // Algorithm 1 of Scheiermann and Konen (2022) to the letter, with the tree kept over an episode (UseLastMCTS).
  bool paper = false;
  int target_depth = 0;  // of alpha-beta below the after-state; 0: the target is the network's own value
  int solve_below = 0;   // exact targets when at most this many actions are left; 0: never
};

class SelfPlayAdviser final : public ntuple::Adviser {
 public:
  // Throws std::invalid_argument if `target_depth` is given for a game that alpha-beta cannot play.
  SelfPlayAdviser(std::shared_ptr<const ntuple::Network> network, int outcome, double gamma, AdviserOptions options);

  void begin_episode(Rng &rng) override;
  bool choose(const void *state, Rng &rng, Action &action) override;
  bool judge(const void *after_state, int player, Rng &rng, double &value) override;
  std::int64_t effort() const override;

 private:
  AdviserOptions options_;
  const Game &game_;
  // Reset before every use, because the network has changed since the last one; with `paper`, before every episode.
  std::optional<MctsSearch> mcts_;
  std::optional<AlphaBetaSearch> target_;
  std::optional<EndgameSolver> solver_;
  Decision decision_;
};

}  // namespace boardlab
