// Tabular Q-learning and QM-learning (Wang 2021, Algorithm 9): a match is played and then learned from its end to its
// start, so that the result reaches the first action at once. QM-learning uses Monte Carlo Search (Algorithm 8) in
// states that the table does not know.
#pragma once

#include "ntuple/self_play.h"
#include "search/search.h"
#include "tabular/q_table.h"

namespace boardlab::tabular {

struct QSettings {
  ntuple::TdSettings play;              // alpha, gamma, epsilon, how episodes start
  bool random_opponents = false;        // one player learns, a different one each match; the others play at random
  bool asks_monte_carlo = false;        // QM-learning
  std::int64_t search_iterations = 50;  // playouts per decision; 0: no limit
  double search_seconds = 0;            // 0: no limit; with a limit, runs are not reproducible
};

class QLearner final : public ntuple::SelfPlay {
 public:
  QLearner(QTablePtr table, const QSettings &settings, std::uint64_t seed);
  const QTablePtr &table() const { return table_; }

 protected:
  void begin_episode(const void *start) override;
  Choice act(void *state, int player) override;
  void end_episode(const void *state, int last_player) override;
  void cut_episode(const void *state, int player) override;

 private:
  // One decision: the pairs of its legal actions, the one played, and the player's reward so far.
  struct Step {
    int player;
    std::size_t begin, end, chosen;  // in pairs_
    double paid;
  };
  bool learns(int player) const;
  // The decision of `player`, with its actions in actions_.
  Step step_at(const void *state, int player);
  // From the last decision to the first; `final_outcome` is null if the match was cut.
  void learn_backwards(const double *final_outcome);
  // A best action of the table, uniformly among equals; -1 if no action of the state was ever learned.
  int best_known(const Step &step);
  double best_value(const Step &step) const;

  QTablePtr table_;
  QSettings q_;
  MonteCarloSearch monte_carlo_;
  Decision decision_;
  std::vector<Step> steps_;
  std::vector<std::uint64_t> pairs_;
  std::vector<std::uint8_t> cells_;
};

}  // namespace boardlab::tabular
