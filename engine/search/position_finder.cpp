#include "search/position_finder.h"

#include <limits>

namespace boardlab {

namespace {

std::size_t stride(const Game &game) { return (game.state_size() + 15) / 16 * 16; }

}  // namespace

std::byte *PositionFinder::state_of(const Game &game, std::size_t i) { return states_.data() + i * stride(game); }

void *PositionFinder::push(const Game &game, Candidate candidate) {
  candidates_.push_back(candidate);
  states_.resize(candidates_.size() * stride(game));
  return state_of(game, candidates_.size() - 1);
}

void PositionFinder::push_children(const Game &game, const NodePool &nodes, std::size_t i) {
  const auto [at, level] = candidates_[i];
  const Node &parent = nodes[at];
  for (std::uint32_t child = parent.first; child && candidates_.size() < MOST;
       child = nodes.next_child(parent, child)) {
    if (!nodes[child].visits) continue;
    void *next = push(game, {child, level + 1});
    game.copy(next, state_of(game, i));
    game.apply(next, nodes[child].action);
  }
}

std::uint32_t PositionFinder::find(const Game &game, const NodePool &nodes, const void *root, const void *state) {
  candidates_.clear();
  game.copy(push(game, {NodePool::ROOT, 0}), root);
  std::uint32_t found = 0;
  int found_level = std::numeric_limits<int>::max();
  for (std::size_t i = 0; i < candidates_.size() && candidates_[i].level <= found_level; ++i) {
    const auto [at, level] = candidates_[i];
    if (game.equal(state_of(game, i), state)) {
      if (!found || nodes[at].visits > nodes[found].visits) found = at;
      found_level = level;
    }
    if (!found) push_children(game, nodes, i);
  }
  return found;
}

void PositionFinder::free_memory() {
  candidates_ = {};
  states_ = {};
}

}  // namespace boardlab
