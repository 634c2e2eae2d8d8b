// Random draws that are the same on every platform (those of the standard library differ).
#pragma once

#include <cmath>

#include "core/rng.h"

namespace boardlab {

// A number in the open interval (0, 1): its logarithm is finite.
inline double open_unit(Rng &rng) { return (static_cast<double>(rng.next() >> 12) + 0.5) * 0x1.0p-52; }

// Standard normal: Box and Muller (1958).
inline double draw_normal(Rng &rng) {
  const double radius = std::sqrt(-2 * std::log(open_unit(rng)));
  return radius * std::cos(6.283185307179586 * rng.unit());
}

// Gamma with shape alpha > 0 and scale 1: Marsaglia and Tsang (2000).
inline double draw_gamma(double alpha, Rng &rng) {
  if (alpha < 1) {
    const double boost = std::pow(open_unit(rng), 1 / alpha);
    return boost * draw_gamma(alpha + 1, rng);
  }
  const double d = alpha - 1.0 / 3, c = 1 / std::sqrt(9 * d);
  while (true) {
    const double x = draw_normal(rng), t = 1 + c * x;
    if (t <= 0) continue;
    const double v = t * t * t;
    if (std::log(open_unit(rng)) < 0.5 * x * x + d - d * v + d * std::log(v)) return d * v;
  }
}

// Standard Gumbel.
inline double draw_gumbel(Rng &rng) { return -std::log(-std::log(open_unit(rng))); }

}  // namespace boardlab
