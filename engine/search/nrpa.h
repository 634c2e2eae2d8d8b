// Nested rollout policy adaptation (Rosin 2011), for games of one player without chance. Playouts draw their actions
// from a policy. Every level calls the one below it many times and moves its policy towards the best sequence seen.
#pragma once

#include "search/deadline.h"
#include "search/plan.h"
#include "search/search.h"

namespace boardlab {

struct NrpaOptions {
  int level = 3;
  int iterations = 100;  // calls of the level below, at every level
  double alpha = 1;      // step of adaptation
  double seconds = 0;    // 0 = no limit
  bool restart = true;   // with a time limit: start again while time is left
  int depth = 0;         // actions after which playouts are cut; 0 = the game's horizon
  bool by_ply = false;   // one weight per action and ply instead of one per action
  int outcome = SCORE;
};

// Plans at its first decision and then follows the plan. Makes a new one if the game leaves the plan.
class NrpaSearch final : public Search {
 public:
  // Throws std::invalid_argument for a game that it cannot plan.
  NrpaSearch(GamePtr game, NrpaOptions options, std::uint64_t seed);
  void act(const void *state, Decision &out) override;
  void reset(std::uint64_t seed) override;
  std::unique_ptr<Search> clone() const override { return std::make_unique<NrpaSearch>(game_ptr(), options_, 0); }

 private:
  // A playout: its actions, and for every ply the codes of the legal actions and which of them was chosen.
  struct Sequence {
    double score = 0;
    std::vector<Action> actions;
    std::vector<std::uint32_t> chosen;
    std::vector<std::uint32_t> codes;
    std::vector<std::size_t> ends;  // of the codes of each ply
    void clear();
  };
  // exp(weight) of every code, as sampling needs it. Adaptation multiplies.
  using Policy = std::vector<double>;
  struct Level {
    Policy policy;
    Sequence best;
  };
  struct OutOfTime {};

  void make_plan(const void *state);
  // Function NRPA of Rosin (2011), figure 2. Leaves the best sequence of the level in levels_[level].best.
  void search(std::size_t level);
  void playout(const Policy &policy, Sequence &out);
  void adapt(Policy &policy, const Sequence &towards);
  void keep_best(const Sequence &found);
  std::uint32_t code(Action action, std::size_t ply) const {
    const auto a = static_cast<std::uint32_t>(action);
    return options_.by_ply ? static_cast<std::uint32_t>(ply) * static_cast<std::uint32_t>(game().action_count()) + a
                           : a;
  }

  NrpaOptions options_;
  std::size_t length_;  // longest playout
  StateBuffer root_, state_;
  std::vector<Level> levels_;
  std::vector<double> changes_, cumulated_;
  std::vector<std::uint32_t> touched_;
  std::vector<Action> legal_;
  Deadline deadline_{0};
  std::int64_t playouts_ = 0, searches_ = 0;

  Sequence best_;  // of all playouts
  Plan plan_;
};

}  // namespace boardlab
