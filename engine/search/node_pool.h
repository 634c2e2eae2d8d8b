// The nodes of a search tree in one pool, and the optional columns beside them.
//
// One struct is both node and edge: a Node holds the statistics of the action that leads to it. The children of a
// player's node are one block, created together. The children of a chance node are a linked list that grows with the
// outcomes drawn. Nodes refer to each other by their index in the pool; index 0 means none.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/game.h"

namespace boardlab {

struct Node {
  // Values of `action` that mark a place in a block without a child. Only games with hidden cards have such places.
  static constexpr Action SPARE = -2;  // free, for a sibling that may be added later
  static constexpr Action MOVED = -3;  // the child has moved to `next`

  Action action = -1;       // the action or chance outcome that leads here
  std::uint32_t first = 0;  // first child, 0 = none
  std::uint32_t next = 0;   // next sibling below a chance node
  std::uint32_t visits = 0;
  double value_sum = 0;  // for the player who chose the action; below chance, for the last player who chose one
  float prior = 0;
  std::uint32_t count : 25 = 0;  // children in the block at `first`; 0 at a chance node
  std::uint32_t owner : 3 = 0;   // the player whose value `value_sum` is
  std::uint32_t exact : 1 = 0;   // the mean is the proven value of the position (MCTS-Solver)
  std::uint32_t mover : 3 = 0;   // the player who chooses among the children of the block

  double mean() const { return value_sum / visits; }
  bool has_moved() const { return action == MOVED; }
};
static_assert(sizeof(Node) == 32);

// "All moves as first" (RAVE): the descents in which this action was played here or later.
struct Amaf {
  double value_sum = 0;
  std::uint32_t visits = 0;
};

class NodePool {
 public:
  static constexpr std::uint32_t ROOT = 1;

  // Which columns the pool has beside the nodes.
  struct With {
    bool amaf;        // RAVE
    bool own_values;  // Gumbel: the evaluator's value of a node for the player who moves there
  };
  NodePool(std::uint32_t max_nodes, With with);

  bool empty() const { return columns_.nodes.size() == 0; }
  std::size_t size() const { return columns_.nodes.size(); }  // one more than there are nodes
  std::size_t bytes() const { return columns_.nodes.bytes() + columns_.amaf.bytes() + columns_.own_values.bytes(); }
  Node &operator[](std::uint32_t i) { return columns_.nodes[i]; }
  const Node &operator[](std::uint32_t i) const { return columns_.nodes[i]; }
  Node &root() { return columns_.nodes[ROOT]; }
  const Node &root() const { return columns_.nodes[ROOT]; }
  // The children of a player's node; none of a chance node.
  std::span<const Node> block(const Node &parent) const { return columns_.nodes.part(parent.first, parent.count); }
  std::span<const Amaf> amaf_block(const Node &parent) const { return columns_.amaf.part(parent.first, parent.count); }
  // The child after this one, in a block or a list; 0 = none.
  std::uint32_t next_child(const Node &parent, std::uint32_t child) const;
  Amaf &amaf(std::uint32_t i) { return columns_.amaf[i]; }
  const Amaf &amaf(std::uint32_t i) const { return columns_.amaf[i]; }
  double own_value(std::uint32_t i) const { return columns_.own_values[i]; }
  void set_own_value(std::uint32_t i, double value) { columns_.own_values.set(i, value); }

  void clear() { columns_.clear(); }
  void free_memory();
  void plant();  // leaves nothing but an unvisited root

  // Whether an addition was refused for lack of room since the last `reopen`.
  bool is_full() const { return is_full_; }
  void reopen() { is_full_ = false; }
  // Gives the node a block of children, with priors unless null. Returns false if there is no room. The root always
  // gets its children: without them there would be nothing to choose from.
  bool add_block(std::uint32_t at, int mover, std::span<const Action> actions, const double *priors);
  // The child of a chance node for this outcome, a new one if necessary; 0 if there is no room.
  std::uint32_t chance_child(std::uint32_t at, Action outcome);
  // Makes room for more children in the block of a node, where necessary by moving it. Returns false if there is none.
  bool reserve_children(std::uint32_t at, std::uint32_t count);
  // Where a child is now that may have moved since its index was read.
  std::uint32_t present(std::uint32_t node) const;

  // Makes `node` the root and drops everything that is not below it. Nodes other than the root with fewer than
  // `least_visits` visits lose their children. Indices change.
  void keep_subtree(std::uint32_t node, std::uint32_t least_visits);
  // Drops the children of the least visited nodes until half of the pool is free. Indices change.
  void halve();

 private:
  // One entry per node, or none at all if the column is not in use.
  template <class T>
  class Column {
   public:
    explicit Column(bool is_used) : is_used_(is_used) {}
    T &operator[](std::size_t i) { return entries_[i]; }
    const T &operator[](std::size_t i) const { return entries_[i]; }
    std::size_t size() const { return entries_.size(); }
    std::size_t bytes() const { return entries_.size() * sizeof(T); }
    std::span<const T> part(std::size_t first, std::size_t count) const {
      return is_used_ && count ? std::span<const T>(&entries_[first], count) : std::span<const T>();
    }
    void set(std::size_t i, const T &entry) {
      if (is_used_) entries_[i] = entry;
    }
    void resize(std::size_t size) {
      if (is_used_) entries_.resize(size);
    }
    void append(const Column &from, std::size_t first, std::size_t count) {
      const auto begin = from.entries_.begin() + static_cast<std::ptrdiff_t>(first);
      if (is_used_) entries_.insert(entries_.end(), begin, begin + static_cast<std::ptrdiff_t>(count));
    }
    void copy_within(std::size_t from, std::size_t to, std::size_t count) {
      for (std::size_t i = 0; i < count && is_used_; ++i) entries_[to + i] = entries_[from + i];
    }
    void clear() { entries_.clear(); }
    void free_memory() { entries_ = {}; }

   private:
    bool is_used_;
    std::vector<T> entries_;
  };
  // All columns, of the same length. Nothing else changes the length of one, so that they stay in step.
  struct Columns {
    Column<Node> nodes;
    Column<Amaf> amaf;
    Column<double> own_values;
    explicit Columns(With with) : nodes(true), amaf(with.amaf), own_values(with.own_values) {}
    template <class Change>
    void each(Change change) {
      change(nodes);
      change(amaf);
      change(own_values);
    }
    void clear();
    void resize(std::size_t size);
    void append(const Columns &from, std::size_t first, std::size_t count);
    void copy_within(std::size_t from, std::size_t to, std::size_t count);
    void free_memory();
  };

  std::uint32_t add(std::size_t count);
  bool has_room(std::size_t count);
  bool has_spare_places(const Node &parent, std::uint32_t count) const;
  bool move_block(std::uint32_t at, std::uint32_t places);
  void keep_children(std::uint32_t first, std::size_t parent);

  std::size_t max_nodes_;
  Columns columns_, kept_;  // `kept_` is where keep_subtree copies to
  bool is_full_ = false, has_moved_blocks_ = false;
};

}  // namespace boardlab
