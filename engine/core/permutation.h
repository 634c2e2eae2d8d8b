// Permutations by number: the Lehmer code, read as a number in the factorial system.
#pragma once

#include <algorithm>
#include <cstdint>

namespace boardlab {

// The g-th permutation of 0 .. n-1, g taken modulo n!; 0 is the identity. Returns g / n!, the number for the next
// permutation if several share one number. `target` has room for n, and n is at most 20 (20! fits into 64 bits).
inline std::uint64_t permutation_of(std::uint64_t g, int n, int *target) {
  int free[20];
  for (int i = 0; i < n; ++i) free[i] = i;
  for (int i = 0; i < n; ++i) {
    const auto left = static_cast<std::uint64_t>(n - i);
    const auto pick = g % left;
    g /= left;
    target[i] = free[pick];
    std::copy(free + pick + 1, free + left, free + pick);
  }
  return g;
}

}  // namespace boardlab
