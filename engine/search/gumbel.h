// Gumbel root selection with sequential halving (Danihelka, Guez, Schrittwieser and Silver 2022): works with few
// simulations, where PUCT would not visit every action.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace boardlab {

// For each of the simulations in turn: how many visits the child to be visited next has had. `considered` actions share
// the first phase evenly, the better half of them the next, and so on.
class GumbelSchedule {
 public:
  GumbelSchedule() = default;  // of none
  GumbelSchedule(std::uint32_t considered, std::int64_t simulations);
  bool is_over() const { return left_ == 0; }
  std::uint32_t next();

 private:
  std::int64_t rounds() const;

  std::uint32_t considered_ = 0, in_phase_ = 0;  // actions at first, and now
  std::int64_t simulations_ = 0, left_ = 0, phases_ = 1;
  std::int64_t rounds_left_ = 0;  // of the phase, with this one
  std::uint32_t in_round_ = 0;    // simulations of the round so far
  std::uint32_t visits_ = 0;
};

// What is known about the children of a node: priors, visits, mean values in [0,1] (of visited ones).
struct GumbelView {
  std::vector<double> priors, visits, means;
  double value = 0;  // the evaluator's own word on the node, in [0,1]
  double c_visit = 50, c_scale = 1;
};

// logit + sigma(completed Q) of every child: unvisited ones get the mixed value of the node (appendix D), and
// sigma(q) = (c_visit + most visits) * c_scale * q.
void completed_logits(const GumbelView &view, std::vector<double> &out);

}  // namespace boardlab
