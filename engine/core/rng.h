// Random numbers: the contract's splitmix64 as a C++ value, and seeds derived from seeds.
#pragma once

#include <cstdint>

#include "core/contract.h"

namespace boardlab {

struct Rng {
  std::uint64_t word = 0;

  explicit Rng(std::uint64_t seed = 0) : word(seed) {}
  std::uint64_t next() { return bl_random(&word); }
  std::uint32_t below(std::uint32_t n) { return bl_random_below(&word, n); }
  double unit() { return bl_random_unit(&word); }
};

// A seed for the index-th of several independent streams. Adding would make stream 1 of seed 0 equal to stream 0 of
// seed 1.
inline std::uint64_t derive_seed(std::uint64_t seed, std::uint64_t index) {
  Rng mix(seed ^ 0x5851F42D4C957F2Dull);
  Rng stream(mix.next() + index * 0xD1342543DE82EF95ull);
  return stream.next();
}

}  // namespace boardlab
