#include "search/value_scale.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace boardlab {

ValueScale::ValueScale(Range range, int players, const TreeOptions &options)
    : range_(range), players_(players), is_puct_(options.puct), is_raw_(options.paper) {
  reset();
}

void ValueScale::reset() {
  std::fill(std::begin(low_), std::end(low_), std::numeric_limits<double>::infinity());
  std::fill(std::begin(high_), std::end(high_), -std::numeric_limits<double>::infinity());
  for (int p = 0; p < players_; ++p) lines_[p] = line_of(p);
}

void ValueScale::widen(const Node &node) {
  if (!node.visits) return;
  // The usual case, without a division.
  if (node.value_sum > low_[node.owner] * node.visits && node.value_sum < high_[node.owner] * node.visits) return;
  const double mean = node.mean();
  low_[node.owner] = std::min(low_[node.owner], mean);
  high_[node.owner] = std::max(high_[node.owner], mean);
  lines_[node.owner] = line_of(node.owner);
}

bool ValueScale::is_known() const {
  return !range_.loose || std::all_of(low_, low_ + players_, [](double low) { return std::isfinite(low); });
}

ValueScale::Scale ValueScale::scale_of(int player) const {
  const double low = range_.loose ? low_[player] : range_.min;
  const double width = (range_.loose ? high_[player] : range_.max) - low;
  return {low, width > 0 && std::isfinite(width) ? 1 / width : 0};
}

ValueScale::Line ValueScale::line_of(int player) const {
  if (is_raw_) return {1, 0};
  const auto [low, scale] = scale_of(player);
  if (!(scale > 0)) return {0, is_puct_ ? 0 : 0.5};
  return is_puct_ ? Line{2 * scale, -2 * low * scale - 1} : Line{scale, -low * scale};
}

double ValueScale::unit(double mean, int player) const {
  const auto [low, scale] = scale_of(player);
  return scale > 0 ? (mean - low) * scale : 0.5;
}

}  // namespace boardlab
