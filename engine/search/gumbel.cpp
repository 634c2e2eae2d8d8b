#include "search/gumbel.h"

#include <algorithm>
#include <cmath>

namespace boardlab {

std::vector<std::uint32_t> considered_visits(std::uint32_t considered, std::int64_t simulations) {
  const auto wanted = static_cast<std::size_t>(simulations);
  std::vector<std::uint32_t> schedule;
  schedule.reserve(wanted);
  const auto phases = static_cast<std::int64_t>(std::max(1.0, std::ceil(std::log2(static_cast<double>(considered)))));
  std::uint32_t visits = 0;
  for (std::uint32_t left = considered; schedule.size() < wanted; left = std::max(std::min(2u, considered), left / 2)) {
    const std::int64_t rounds = std::max<std::int64_t>(1, simulations / (phases * left));
    for (std::int64_t i = 0; i < rounds; ++i, ++visits) schedule.insert(schedule.end(), left, visits);
  }
  schedule.resize(wanted);
  return schedule;
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
