// Bit tricks shared by several bitboard games.
#pragma once

#include <bit>
#include <cstdint>

namespace boardlab {

__extension__ typedef unsigned __int128 Bits128;
using Bits64 = std::uint64_t;

inline int popcount(Bits64 w) {
#if defined(__x86_64__) && !defined(__POPCNT__)
  // The baseline has no popcount instruction, and the compiler would call a function.
  w -= w >> 1 & 0x5555555555555555u;
  w = (w & 0x3333333333333333u) + (w >> 2 & 0x3333333333333333u);
  w = (w + (w >> 4)) & 0x0F0F0F0F0F0F0F0Fu;
  return static_cast<int>(w * 0x0101010101010101u >> 56);
#else
  return std::popcount(w);
#endif
}
inline int popcount(Bits128 w) { return popcount(static_cast<Bits64>(w)) + popcount(static_cast<Bits64>(w >> 64)); }

inline int lowest_bit(Bits64 w) { return std::countr_zero(w); }
inline int lowest_bit(Bits128 w) {
  const auto low = static_cast<Bits64>(w);
  return low ? std::countr_zero(low) : 64 + std::countr_zero(static_cast<Bits64>(w >> 64));
}

// Index of the k-th set bit, k < popcount(w).
template <class W>
int select_bit(W w, unsigned k) {
  while (k--) w &= w - 1;
  return lowest_bit(w);
}

// Nonzero iff `w` has `length` set bits in a row at distance `step`; needs log2(length) shifts.
template <class W>
W runs(W w, int step, int length) {
  constexpr int bits = static_cast<int>(8 * sizeof(W));
  if (step * (length - 1) >= bits) return 0;
  int have = 1;
  for (; 2 * have <= length; have *= 2) w &= w >> (step * have);
  if (have < length) w &= w >> (step * (length - have));
  return w;
}

}  // namespace boardlab
