// The rolling horizon evolutionary algorithm (algorithm 15 of Wang 2021): evolves sequences of actions and plays the
// first action of the best one. For any number of players, with chance and hidden cards.
#pragma once

#include "search/deadline.h"
#include "search/search.h"

namespace boardlab {

struct RheaOptions {
  int population = 10;            // sequences kept
  int length = 10;                // actions per sequence
  std::int64_t iterations = 500;  // sequences evaluated, the first population included; 0 = no limit
  double seconds = 0;             // 0 = no limit
  double mutation = 0.2;          // probability of each action to change
  int repetitions = 2;            // playouts per evaluation of a sequence
  double length_penalty = 0.1;    // share taken off a win or loss at the end of the sequence
  bool plans_for_others = false;  // sequences hold the actions of all players, not only the planner's
};

class RheaSearch final : public Search {
 public:
  RheaSearch(std::unique_ptr<Evaluator> evaluator, RheaOptions options, std::uint64_t seed);
  void act(const void *state, Decision &out) override;
  std::unique_ptr<Search> clone() const override {
    return std::make_unique<RheaSearch>(evaluator_->clone(), options_, 0);
  }

 private:
  struct Individual {
    std::vector<Action> actions;  // NONE = not drawn yet
    double fitness = 0;
    double scores[MAX_PLAYERS] = {};
  };
  static constexpr Action NONE = -1;

  // Returns false if time ran out before all repetitions; then only the very first sequence gets a fitness.
  bool evaluate(const void *state, Individual &individual);
  // Plays the sequence once and adds its outcome; returns the share of the sequence that was played.
  double play(const void *state, int player, Individual &individual, double *scores);
  void mutate(const Individual &parent, Individual &child);
  void report(Decision &out, std::int64_t done) const;

  RheaOptions options_;
  Range range_;
  Deadline deadline_{0};
  std::int64_t plays_ = 0;  // in this decision
  StateBuffer state_;
  std::vector<Action> legal_;
  std::vector<Individual> population_;  // one more than `population`: room for the next
  std::vector<double> sums_, counts_;   // by first action
};

}  // namespace boardlab
