// Hidden cards in one tree: every descent fills them in at random and so takes place in a world of its own.
//
// Worlds differ in their legal actions. A node's block holds the actions of all worlds that came by; a descent chooses
// among those that its own world allows and adds those that are missing. A block without room for them moves, while
// other descents that came through it may still wait for their evaluation.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "core/game.h"
#include "search/leaf.h"
#include "search/node_pool.h"

namespace boardlab {

class HiddenWorlds {
 public:
  explicit HiddenWorlds(const Game &game);

  // Whether the game hides anything. If not, nothing else here may be called.
  bool exist() const { return exist_; }
  // Reads the actions that are legal where a descent is, in its world.
  void enter(const Game &game, const void *state);
  bool allow(Action action) const {
    return std::find(legal_.begin(), legal_.begin() + count_, action) != legal_.begin() + count_;
  }
  // Adds the legal actions that a node lacks to its children, if there is room. Their priors are the mean of the
  // others': no evaluation has named them.
  void complete(NodePool &nodes, std::uint32_t at);
  // Finds the nodes on the way of a leaf that moved while it waited.
  void follow(const NodePool &nodes, std::vector<Leaf::Step> &path) const;

 private:
  bool exist_;
  std::vector<Action> legal_;
  std::ptrdiff_t count_ = 0;  // of the entries of `legal_` in use
};

}  // namespace boardlab
