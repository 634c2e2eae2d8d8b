#include "ntuple/held_rates.h"

#include <algorithm>
#include <cmath>

#include "ntuple/maths.h"

namespace boardlab::ntuple {

HeldRates::HeldRates(const Network &network)
    : network_(network),
      factors_(static_cast<std::size_t>(network.entries()) * sizeof(float)),
      weights_(static_cast<std::size_t>(network.slots())),
      counters_(static_cast<std::size_t>(network.slots())) {
  std::fill_n(factors(), network.entries(), 1.0f);
}

void HeldRates::renew(Coherence coherence, float beta) {
  const Counter *counters = network_.counters(0);
  for (std::uint64_t i = 0; i < network_.entries(); ++i) {
    const float ratio = std::abs(counters[i].sum) / counters[i].absolute;
    factors()[i] = coherence == Coherence::EXP ? fast_exp(beta * (ratio - 1.0f)) : ratio;
  }
}

// All entries are read before any is written: one that several symmetric boards share then changes once.
void HeldRates::learn(std::uint64_t set, const std::uint32_t *indices, int slots, const Step &step) {
  float *weights = network_.weights(set);
  Counter *counters = network_.counters(set);
  const float *held = factors() + set * network_.set_size();
  const auto count = static_cast<std::size_t>(slots);
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint32_t at = indices[i];
    weights_[i] = weights[at] + step.rate * held[at];
    counters_[i] = {counters[at].sum + step.change, counters[at].absolute + std::abs(step.change)};
  }
  for (std::size_t i = 0; i < count; ++i) {
    weights[indices[i]] = weights_[i];
    counters[indices[i]] = counters_[i];
  }
}

}  // namespace boardlab::ntuple
