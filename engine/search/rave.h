// The back-up of RAVE: "all moves as first" (Gelly and Silver 2011; algorithm 11 of Wang 2021, lines 18 to 20).
#pragma once

#include <cstdint>
#include <vector>

#include "core/game.h"
#include "search/leaf.h"
#include "search/node_pool.h"
#include "search/tree_options.h"

namespace boardlab {

// A descent is followed from its end to the root: each action is marked when it is passed.
class AmafMarks {
 public:
  AmafMarks(const Game &game, const TreeOptions &options);

  // Begins a descent: forgets all marks, then counts the actions of the leaf's rollout as played after it.
  void begin(NodePool &nodes, const Leaf &leaf);
  void mark(int player, Action action) { marks_[index(player, action)] = epoch_; }
  // Adds the value to every child of the node whose action is marked: played here or later.
  void add(NodePool &nodes, std::uint32_t node, int player, double value) const;

 private:
  void forget();
  std::size_t index(int player, Action action) const {
    return static_cast<std::size_t>(action) + static_cast<std::size_t>(player) * stride_;
  }

  std::size_t stride_;                // 0 where the actions of all players count alike
  std::vector<std::uint32_t> marks_;  // an action is marked if this is the epoch
  std::uint32_t epoch_ = 0;
};

}  // namespace boardlab
