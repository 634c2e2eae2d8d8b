#include "search/gumbel.h"

#include <algorithm>
#include <cmath>

namespace boardlab {

GumbelSchedule::GumbelSchedule(std::uint32_t considered, std::int64_t simulations)
    : considered_(considered),
      in_phase_(considered),
      simulations_(simulations),
      left_(considered > 0 ? simulations : 0),
      phases_(static_cast<std::int64_t>(std::max(1.0, std::ceil(std::log2(static_cast<double>(considered)))))) {
  if (left_ > 0) rounds_left_ = rounds();
}

std::int64_t GumbelSchedule::rounds() const { return std::max<std::int64_t>(1, simulations_ / (phases_ * in_phase_)); }

std::uint32_t GumbelSchedule::next() {
  const std::uint32_t visits = visits_;
  --left_;
  if (++in_round_ == in_phase_) {
    in_round_ = 0;
    ++visits_;
    if (--rounds_left_ == 0) {
      in_phase_ = std::max(std::min(2u, considered_), in_phase_ / 2);
      rounds_left_ = rounds();
    }
  }
  return visits;
}

void completed_logits(const GumbelView &view, std::vector<double> &out) {
  double visits = 0, most = 0, prior = 0, weighted = 0;
  for (std::size_t i = 0; i < view.priors.size(); ++i) {
    visits += view.visits[i];
    most = std::max(most, view.visits[i]);
    if (view.visits[i] <= 0) continue;
    prior += view.priors[i];
    weighted += view.priors[i] * view.means[i];
  }
  const double mean = prior > 0 ? weighted / prior : view.value;
  const double mixed = (view.value + visits * mean) / (1 + visits);
  out.resize(view.priors.size());
  for (std::size_t i = 0; i < out.size(); ++i) {
    const double q = view.visits[i] > 0 ? view.means[i] : mixed;
    out[i] = std::log(std::max(view.priors[i], 1e-30)) + (view.c_visit + most) * view.c_scale * q;
  }
}

}  // namespace boardlab
