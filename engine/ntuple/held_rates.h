// Learning rates of TCL that wait (GBG's tcImm = false): N and A add up with every step, but the factor that scales a
// weight's steps is computed from them only now and then. Costs one more number a weight.
#pragma once

#include <cstdint>
#include <vector>

#include "core/memory.h"
#include "ntuple/network.h"

namespace boardlab::ntuple {

class HeldRates {
 public:
  // Throws std::bad_alloc. Every factor is 1 until the first renewal, as it is where N = A.
  explicit HeldRates(const Network &network);

  // Computes all factors from N and A.
  void renew(Coherence coherence, float beta);
  // One step of learning with the factors of the last renewal.
  void learn(std::uint64_t set, const std::uint32_t *indices, int slots, const Step &step);

  float *factors() const { return static_cast<float *>(factors_.data()); }

 private:
  const Network &network_;
  Memory factors_;
  std::vector<float> weights_;  // copies of a step
  std::vector<Counter> counters_;
};

}  // namespace boardlab::ntuple
