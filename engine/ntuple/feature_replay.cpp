#include "ntuple/feature_replay.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace boardlab::ntuple {

FeatureReplay::FeatureReplay(const FeatureNetwork &network, std::size_t capacity)
    : inputs(capacity * 2 * network.inputs()),
      facts(capacity * 3),
      place(2),
      capacity_(capacity),
      width_(network.inputs()),
      players_(network.game().players()) {}

void FeatureReplay::add(int player, const FeatureNetwork::Inputs &latest, double reward,
                        const FeatureNetwork::Inputs *next) {
  const auto i = static_cast<std::size_t>(place[1]);
  double *row = inputs.data() + 2 * i * width_;
  std::fill_n(row, 2 * width_, 0.0);
  for (const FeatureNetwork::Input &input : latest) row[input.at] = input.value;
  if (next)
    for (const FeatureNetwork::Input &input : *next) row[width_ + input.at] = input.value;
  double *fact = facts.data() + 3 * i;
  fact[0] = player;
  fact[1] = reward;
  fact[2] = !next;
  place[0] = std::min<std::int64_t>(place[0] + 1, static_cast<std::int64_t>(capacity_));
  place[1] = static_cast<std::int64_t>((i + 1) % capacity_);
}

void FeatureReplay::read(std::size_t i, Step &out) const {
  const double *row = inputs.data() + 2 * i * width_, *fact = facts.data() + 3 * i;
  out.latest.clear();
  out.next.clear();
  for (std::size_t at = 0; at < width_; ++at) {
    if (row[at] != 0) out.latest.push_back({at, row[at]});
    if (row[width_ + at] != 0) out.next.push_back({at, row[width_ + at]});
  }
  out.player = static_cast<int>(fact[0]);
  out.reward = fact[1];
  out.is_final = fact[2] != 0;
}

void FeatureReplay::check() const {
  const auto capacity = static_cast<std::int64_t>(capacity_);
  bool good = place[0] >= 0 && place[0] <= capacity && place[1] >= 0 && place[1] < capacity;
  for (std::size_t i = 0; i < 3 * capacity_; i += 3)
    good = good && facts[i] >= 0 && facts[i] < players_ && std::isfinite(facts[i + 1]);
  good = good && std::all_of(inputs.begin(), inputs.end(), [](double value) { return std::isfinite(value); });
  if (!good) throw std::invalid_argument("the replay buffer does not fit its network");
}

}  // namespace boardlab::ntuple
