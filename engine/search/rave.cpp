#include "search/rave.h"

#include <algorithm>

namespace boardlab {

AmafMarks::AmafMarks(const Game &game, const TreeOptions &options)
    : stride_(options.rave_of_all ? 0 : static_cast<std::size_t>(game.action_count())) {
  const int players = options.rave_of_all ? 1 : game.players();
  if (options.rave) marks_.resize(static_cast<std::size_t>(game.action_count()) * static_cast<std::size_t>(players));
}

void AmafMarks::begin(NodePool &nodes, const Leaf &leaf) {
  forget();
  if (leaf.terminal || leaf.played.empty()) return;
  for (const auto [player, action] : leaf.played) mark(player, action);
  if (leaf.mover >= 0) add(nodes, leaf.path.back().node, leaf.mover, leaf.value[leaf.mover]);
}

void AmafMarks::forget() {
  if (++epoch_ != 0) return;
  std::fill(marks_.begin(), marks_.end(), 0u);  // the epoch has wrapped: old marks would look new
  epoch_ = 1;
}

void AmafMarks::add(NodePool &nodes, std::uint32_t node, int player, double value) const {
  const std::uint32_t first = nodes[node].first, end = first + nodes[node].count;
  for (std::uint32_t child = first; child < end; ++child) {
    if (marks_[index(player, nodes[child].action)] != epoch_) continue;
    nodes.amaf(child).value_sum += value;
    ++nodes.amaf(child).visits;
  }
}

}  // namespace boardlab
