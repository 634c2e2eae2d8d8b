#include "search/node_pool.h"

#include <algorithm>

namespace boardlab {

namespace {

constexpr std::uint32_t COUNT_BITS = (1u << 25) - 1;  // of Node::count; Game refuses tables with more actions

}  // namespace

void NodePool::Columns::clear() {
  each([](auto &column) { column.clear(); });
}

inline void NodePool::Columns::resize(std::size_t size) {
  nodes.resize(size);
  amaf.resize(size);
  own_values.resize(size);
}

void NodePool::Columns::append(const Columns &from, std::size_t first, std::size_t count) {
  nodes.append(from.nodes, first, count);
  amaf.append(from.amaf, first, count);
  own_values.append(from.own_values, first, count);
}

void NodePool::Columns::copy_within(std::size_t from, std::size_t to, std::size_t count) {
  each([&](auto &column) { column.copy_within(from, to, count); });
}

void NodePool::Columns::free_memory() {
  each([](auto &column) { column.free_memory(); });
}

NodePool::NodePool(std::uint32_t max_nodes, With with) : max_nodes_(max_nodes), columns_(with), kept_(with) {}

std::uint32_t NodePool::next_child(const Node &parent, std::uint32_t child) const {
  if (!parent.count) return (*this)[child].next;
  return child + 1 < parent.first + parent.count ? child + 1 : 0;
}

void NodePool::free_memory() {
  columns_.free_memory();
  kept_.free_memory();
}

void NodePool::plant() {
  columns_.clear();
  columns_.resize(ROOT + 1);
  has_moved_blocks_ = false;
}

bool NodePool::has_room(std::size_t count) {
  if (size() + count <= max_nodes_) return true;
  is_full_ = true;
  return false;
}

inline std::uint32_t NodePool::add(std::size_t count) {
  const std::size_t first = size();
  columns_.resize(first + count);
  return static_cast<std::uint32_t>(first);
}

bool NodePool::add_block(std::uint32_t at, int mover, std::span<const Action> actions, const double *priors) {
  if (at != ROOT && !has_room(actions.size())) return false;
  const std::uint32_t first = add(actions.size());
  Node &parent = (*this)[at];
  parent.first = first;
  parent.count = static_cast<std::uint32_t>(actions.size()) & COUNT_BITS;
  parent.mover = static_cast<std::uint32_t>(mover) & 7u;
  Node *children = &(*this)[first];
  for (std::size_t i = 0; i < actions.size(); ++i) {
    children[i].action = actions[i];
    if (priors) children[i].prior = static_cast<float>(priors[i]);
  }
  return true;
}

std::uint32_t NodePool::chance_child(std::uint32_t at, Action outcome) {
  std::uint32_t last = 0;
  for (std::uint32_t child = (*this)[at].first; child; child = (*this)[child].next) {
    if ((*this)[child].action == outcome) return child;
    last = child;
  }
  if (!has_room(1)) return 0;
  const std::uint32_t fresh = add(1);
  (*this)[fresh].action = outcome;
  (last ? (*this)[last].next : (*this)[at].first) = fresh;
  return fresh;
}

// ---- blocks that move ----

bool NodePool::reserve_children(std::uint32_t at, std::uint32_t count) {
  // Twice what is needed, so that a block of n children moves at most log n times.
  const std::uint32_t wanted = (*this)[at].count + count;
  if (!has_spare_places((*this)[at], count) && !move_block(at, 2 * wanted)) return false;
  (*this)[at].count = wanted & COUNT_BITS;
  return true;
}

bool NodePool::has_spare_places(const Node &parent, std::uint32_t count) const {
  const std::size_t end = std::size_t{parent.first} + parent.count;
  if (end + count > size()) return false;
  const auto places = columns_.nodes.part(end, count);
  return std::all_of(places.begin(), places.end(), [](const Node &place) { return place.action == Node::SPARE; });
}

bool NodePool::move_block(std::uint32_t at, std::uint32_t places) {
  if (!has_room(places)) return false;
  const std::uint32_t from = (*this)[at].first, count = (*this)[at].count, to = add(places);
  columns_.copy_within(from, to, count);
  for (std::uint32_t i = 0; i < count; ++i) {
    (*this)[from + i].action = Node::MOVED;
    (*this)[from + i].next = to + i;
  }
  for (std::uint32_t i = count; i < places; ++i) (*this)[to + i].action = Node::SPARE;
  (*this)[at].first = to;
  has_moved_blocks_ = true;
  return true;
}

std::uint32_t NodePool::present(std::uint32_t node) const {
  while ((*this)[node].has_moved()) node = (*this)[node].next;
  return node;
}

// ---- dropping nodes ----

// Breadth first, so that blocks stay blocks.
void NodePool::keep_subtree(std::uint32_t node, std::uint32_t least_visits) {
  kept_.clear();
  kept_.resize(ROOT);
  kept_.append(columns_, node, 1);
  kept_.nodes[ROOT].next = 0;
  for (std::size_t i = ROOT; i < kept_.nodes.size(); ++i) {
    Node &parent = kept_.nodes[i];
    const std::uint32_t first = parent.first;
    if (!first) continue;
    const bool keeps_children = i == ROOT || parent.visits >= least_visits;
    parent.first = keeps_children ? static_cast<std::uint32_t>(kept_.nodes.size()) : 0;
    if (keeps_children)
      keep_children(first, i);
    else
      parent.count = 0;
  }
  std::swap(columns_, kept_);
  has_moved_blocks_ = false;
}

void NodePool::keep_children(std::uint32_t first, std::size_t parent) {
  if (const std::uint32_t count = kept_.nodes[parent].count) {
    kept_.append(columns_, first, count);
    // `next` means nothing in a block, but rules that contradict themselves may have left a list there.
    for (std::size_t i = kept_.nodes.size() - count; i < kept_.nodes.size(); ++i) kept_.nodes[i].next = 0;
    return;
  }
  for (std::uint32_t child = first; child; child = (*this)[child].next) {
    kept_.append(columns_, child, 1);
    Node &copy = kept_.nodes[kept_.nodes.size() - 1];
    copy.next = copy.next ? static_cast<std::uint32_t>(kept_.nodes.size()) : 0;
  }
}

void NodePool::halve() {
  if (has_moved_blocks_) keep_subtree(ROOT, 0);  // frees the places that children have moved from
  for (std::uint32_t least = 2; size() > max_nodes_ / 2 && least / 2 <= root().visits; least *= 2)
    keep_subtree(ROOT, least);
}

}  // namespace boardlab
