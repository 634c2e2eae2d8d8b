#include "search/hidden_worlds.h"

namespace boardlab {

HiddenWorlds::HiddenWorlds(const Game &game)
    : exist_(game.is_hidden()), legal_(exist_ ? static_cast<std::size_t>(game.max_legal()) : 0) {}

void HiddenWorlds::enter(const Game &game, const void *state) { count_ = game.legal(state, legal_.data()); }

void HiddenWorlds::complete(NodePool &nodes, std::uint32_t at) {
  const auto known = nodes.block(nodes[at]);
  const auto is_known = [&](Action action) {
    return std::any_of(known.begin(), known.end(), [&](const Node &child) { return child.action == action; });
  };
  const auto end = legal_.begin() + count_, missing = std::partition(legal_.begin(), end, is_known);
  if (missing == end) return;
  float priors = 0;
  for (const Node &child : known) priors += child.prior;
  const auto count = static_cast<std::uint32_t>(known.size());
  if (!nodes.reserve_children(at, static_cast<std::uint32_t>(end - missing))) return;
  Node *fresh = &nodes[nodes[at].first + count];
  for (auto action = missing; action != end; ++action, ++fresh) {
    *fresh = Node{};
    fresh->action = *action;
    fresh->prior = priors / static_cast<float>(count);
  }
}

void HiddenWorlds::follow(const NodePool &nodes, std::vector<Leaf::Step> &path) const {
  for (Leaf::Step &step : path) step.node = nodes.present(step.node);
}

}  // namespace boardlab
