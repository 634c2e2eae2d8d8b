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

std::vector<double> completed_logits(const RootView &root) {
  double visits = 0, most = 0, prior = 0, weighted = 0;
  for (std::size_t i = 0; i < root.priors.size(); ++i) {
    visits += root.visits[i];
    most = std::max(most, root.visits[i]);
    if (root.visits[i] <= 0) continue;
    prior += root.priors[i];
    weighted += root.priors[i] * root.means[i];
  }
  const double mean = prior > 0 ? weighted / prior : root.value;
  const double mixed = (root.value + visits * mean) / (1 + visits);
  std::vector<double> logits(root.priors.size());
  for (std::size_t i = 0; i < logits.size(); ++i) {
    const double q = root.visits[i] > 0 ? root.means[i] : mixed;
    logits[i] = std::log(std::max(root.priors[i], 1e-30)) + (root.c_visit + most) * root.c_scale * q;
  }
  return logits;
}

}  // namespace boardlab
