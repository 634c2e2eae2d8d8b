// Gumbel root selection with sequential halving (Danihelka, Guez, Schrittwieser and Silver 2022). It works with few
// simulations, with which PUCT would not visit every action.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/rng.h"

namespace boardlab {

struct TreeParts;

// Sequential halving: for each simulation in turn, the number of visits that the child to visit next has had.
// `considered` actions share the first phase evenly, the better half of them the second, and so on.
class GumbelSchedule {
 public:
  GumbelSchedule() = default;  // without simulations
  GumbelSchedule(std::uint32_t considered, std::int64_t simulations);
  bool is_over() const { return left_ == 0; }
  std::uint32_t next();

 private:
  std::int64_t rounds() const;

  std::uint32_t considered_ = 0, in_phase_ = 0;  // actions in the first phase, and in this one
  std::int64_t simulations_ = 0, left_ = 0, phases_ = 1;
  std::int64_t rounds_left_ = 0;  // of the phase, this one included
  std::uint32_t in_round_ = 0;    // simulations made in this round
  std::uint32_t visits_ = 0;
};

// The children of a node as Gumbel's formulas see them.
struct GumbelView {
  std::vector<double> priors, visits, means;  // means in [0,1], 0 without a visit
  double value = 0;                           // the evaluator's own value of the node, in [0,1]
  double c_visit = 50, c_scale = 1;
  // log prior + sigma(completed Q) per child, sigma(q) = (c_visit + most visits) * c_scale * q. The completed Q of an
  // unvisited child is the mixed value of the node (appendix D).
  std::vector<double> logits;

  void look_at(const TreeParts &tree, std::uint32_t node, int player);
  void complete();  // computes the logits from the rest
};

// One decision at the root.
class GumbelRoot {
 public:
  // Draws the root's noise and starts the schedule.
  void begin(const TreeParts &tree, int players, std::int64_t simulations, Rng &rng);
  void end() { schedule_ = {}; }  // leaves the selection to another rule
  // The child that the schedule visits next; 0 when the schedule is over.
  std::uint32_t next(TreeParts &tree);
  // Adds the value of a descent through the i-th child of the root.
  void add(std::size_t i, const double *value);

  // The index of the child to play: the best of those that this decision visited most.
  std::uint32_t choice(const TreeParts &tree) const;
  // The mean value of the descents of this decision through the i-th child; NaN if there were none.
  double child_mean(const TreeParts &tree, std::size_t i, int player) const;

 private:
  std::uint32_t best(const TreeParts &tree, const GumbelView &view, std::uint32_t visits) const;

  GumbelSchedule schedule_;
  int players_ = 0;
  std::vector<double> gumbels_;             // noise per child
  std::vector<double> sums_;                // [child][player]: values of this decision's descents
  std::vector<std::uint32_t> kept_visits_;  // per child: visits from before this decision
};

// Gumbel's improved policy over the root's children.
std::vector<double> improved_policy(const TreeParts &tree);

}  // namespace boardlab
