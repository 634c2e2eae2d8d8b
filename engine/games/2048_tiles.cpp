#include "games/2048_tiles.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace boardlab {

namespace {

// In points of the score: large enough that a living position is worth more than a merge just before the end.
constexpr double ALIVE = 200000, EMPTY = 270, MERGE = 700, ORDER = 47, TIDY = 11;

// e^4 for order and e^3.5 for the sum: one high tile in the wrong place costs more than many low ones.
struct Powers {
  double order[32], sum[32];
  Powers() {
    for (int e = 0; e < 32; ++e) {
      order[e] = std::pow(e, 4.0);
      sum[e] = std::pow(e, 3.5);
    }
  }
};

}  // namespace

TilesEvaluator::TilesEvaluator(GamePtr g)
    : Evaluator(std::move(g), SCORE), fields_(static_cast<std::size_t>(game().table().field_count)) {
  if (game().name() != "2048") throw std::invalid_argument("tiles judges 2048, not " + game().name());
  size_ = static_cast<int>(std::lround(std::sqrt(game().table().cells)));
}

double TilesEvaluator::line(int from, int step) const {
  static const Powers powers;
  int empty = 0, merges = 0, last = 0;
  double sum = 0, falls = 0, rises = 0;
  for (int i = 0; i < size_; ++i) {
    const int e = std::min(fields_[static_cast<std::size_t>(from + i * step)], 31);
    sum += powers.sum[e];
    if (e == 0)
      ++empty;
    else {
      merges += e == last;
      last = e;
    }
    if (i == 0) continue;
    const int before = std::min(fields_[static_cast<std::size_t>(from + (i - 1) * step)], 31);
    (before > e ? falls : rises) += std::abs(powers.order[before] - powers.order[e]);
  }
  return EMPTY * empty + MERGE * merges - ORDER * std::min(falls, rises) - TIDY * sum;
}

void TilesEvaluator::value(const void *state, Rng &, double *out) {
  game().table().to_fields(game().table().self, state, fields_.data());
  double sum = 0;
  for (int i = 0; i < size_; ++i) sum += line(i * size_, 1) + line(i, size_);
  // A bad position is still better than a lost one.
  out[0] = fields_[static_cast<std::size_t>(size_ * size_)] + std::max(1.0, 2 * size_ * ALIVE + sum);
}

}  // namespace boardlab
