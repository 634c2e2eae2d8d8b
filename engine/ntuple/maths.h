// exp and tanh as polynomials: fast, the same bits on every machine, and simple enough to be vectorised.
#pragma once

#include <bit>
#include <cstdint>

namespace boardlab::ntuple {

// exp(x) for x from -80 to 80 with a relative error below 2e-7 (Cephes' expf).
static inline float fast_exp(float x) {
  x = x < -80.0f ? -80.0f : x > 80.0f ? 80.0f : x;
  // Adding and subtracting 1.5 * 2^23 rounds to the nearest whole number.
  const float shifted = x * 1.44269504088896341f + 12582912.0f;
  const float n = shifted - 12582912.0f;
  const float r = (x - n * 0.693359375f) - n * -2.12194440e-4f;
  float p = 1.9875691500e-4f;
  p = p * r + 1.3981999507e-3f;
  p = p * r + 8.3334519073e-3f;
  p = p * r + 4.1665795894e-2f;
  p = p * r + 1.6666665459e-1f;
  p = p * r + 5.0000001201e-1f;
  p = p * r * r + r + 1.0f;
  const auto power = static_cast<std::uint32_t>(static_cast<std::int32_t>(n) + 127) << 23;
  return p * std::bit_cast<float>(power);
}

static inline float fast_tanh(float x) {
  const float size = x < 0 ? -x : x;
  const float t = 1.0f - 2.0f / (fast_exp(2.0f * size) + 1.0f);
  return x < 0 ? -t : t;
}

}  // namespace boardlab::ntuple
