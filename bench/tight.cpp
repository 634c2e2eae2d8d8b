// The limit for random playouts: the same rules as the engine's, written once for one game, nothing around them.
// Compiled by bench/playouts.py.
#include <bit>
#include <cstdint>
#include <initializer_list>

namespace {

std::uint64_t next(std::uint64_t &rng) {
  std::uint64_t z = (rng += 0x9E3779B97F4A7C15ull);
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
  return z ^ (z >> 31);
}
unsigned below(std::uint64_t &rng, unsigned n) { return static_cast<unsigned>(((next(rng) >> 32) * n) >> 32); }

bool four(std::uint64_t p) {
  for (const int step : {1, 7, 6, 8}) {
    const std::uint64_t pairs = p & (p >> step);
    if (pairs & (pairs >> 2 * step)) return true;
  }
  return false;
}

constexpr std::uint64_t INNER = 0x7E7E7E7E7E7E7E7Eull;

template <int D>
std::uint64_t shift(std::uint64_t w) {
  if constexpr (D > 0)
    return w << D;
  else
    return w >> -D;
}
template <int D>
std::uint64_t run(std::uint64_t from, std::uint64_t other) {
  std::uint64_t found = other & shift<D>(from);
  found |= other & shift<D>(found);
  const std::uint64_t pairs = other & shift<D>(other);
  found |= pairs & shift<2 * D>(found);
  found |= pairs & shift<2 * D>(found);
  return found;
}
std::uint64_t moves(std::uint64_t p, std::uint64_t o) {
  const std::uint64_t i = o & INNER;
  return (shift<1>(run<1>(p, i)) | shift<-1>(run<-1>(p, i)) | shift<8>(run<8>(p, o)) | shift<-8>(run<-8>(p, o)) |
          shift<9>(run<9>(p, i)) | shift<-9>(run<-9>(p, i)) | shift<7>(run<7>(p, i)) | shift<-7>(run<-7>(p, i))) &
         ~(p | o);
}
template <int D>
std::uint64_t flip(std::uint64_t m, std::uint64_t p, std::uint64_t o) {
  const std::uint64_t found = run<D>(m, o);
  return shift<D>(found) & p ? found : 0;
}
std::uint64_t flips(std::uint64_t m, std::uint64_t p, std::uint64_t o) {
  const std::uint64_t i = o & INNER;
  return flip<1>(m, p, i) | flip<-1>(m, p, i) | flip<8>(m, p, o) | flip<-8>(m, p, o) | flip<9>(m, p, i) |
         flip<-9>(m, p, i) | flip<7>(m, p, i) | flip<-7>(m, p, i);
}

}  // namespace

// Both return the number of actions played.
extern "C" long connectfour(long games, std::uint64_t rng) {
  constexpr std::uint64_t bottom = 0x40810204081ull, board = bottom * 63;
  long actions = 0;
  for (long g = 0; g < games; ++g) {
    std::uint64_t stones[2] = {0, 0};
    for (int ply = 0; ply < 42; ++ply) {
      std::uint64_t open = ((stones[0] | stones[1]) + bottom) & board;
      for (unsigned k = below(rng, static_cast<unsigned>(std::popcount(open))); k--;) open &= open - 1;
      ++actions;
      if (four(stones[ply & 1] |= open & -open)) break;
    }
  }
  return actions;
}

extern "C" long othello(long games, std::uint64_t rng) {
  long actions = 0;
  for (long g = 0; g < games; ++g) {
    std::uint64_t p = 0x0000000810000000ull, o = 0x0000001008000000ull;
    bool passed = false;
    while (true) {
      std::uint64_t m = moves(p, o);
      if (m) {
        for (unsigned k = below(rng, static_cast<unsigned>(std::popcount(m))); k--;) m &= m - 1;
        m &= -m;
        const std::uint64_t f = flips(m, p, o);
        p |= f | m;
        o &= ~f;
        passed = false;
      } else if (passed) {
        --actions;  // the pass that found the game over was none
        break;
      } else {
        passed = true;
      }
      ++actions;
      const std::uint64_t keep = p;
      p = o;
      o = keep;
    }
  }
  return actions;
}
