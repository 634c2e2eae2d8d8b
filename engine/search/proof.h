// MCTS-Solver (Winands, Bjornsson and Saito 2008): proven values in the tree.
//
// The end of a game is proven. A node is proven by a child that is proven to be as good as possible, or by the best
// child once all are proven. This is sound with two players, scores that add up to zero, and nothing random or hidden.
#pragma once

#include "core/game.h"
#include "search/leaf.h"
#include "search/node_pool.h"
#include "search/tree_options.h"

namespace boardlab {

class Prover {
 public:
  Prover(const Game &game, Range range, const TreeOptions &options);

  // Whether the leaf's value is a proof: it is the end of a game, or a node proven before.
  bool is_proven(const Leaf &leaf) const {
    // A reward of the game need not add up to zero, even where its scores do.
    return is_on_ && leaf.terminal && leaf.value[0] + leaf.value[1] == 0;
  }
  // Whether a child is proven to be as bad as possible for the player who chooses it.
  bool is_lost(const Node &child) const { return child.exact && child.mean() <= lost_; }
  // Whether two proven values are the same up to rounding, or the first is better.
  bool is_as_good(const Node &a, const Node &b) const { return a.mean() >= b.mean() - slack_; }

  // The child that proves a node; null if the node is not proven.
  const Node *proof(const NodePool &nodes, const Node &node) const;
  // Whether the children of a node prove its value; writes it to value[2].
  bool prove(const NodePool &nodes, const Node &node, double *value) const;
  // The child with which play is expected to go on: the one that proves the node, else the most visited one that is not
  // lost. Null if no child was visited.
  const Node *expected_child(const NodePool &nodes, const Node &node) const;

 private:
  bool is_on_;
  double slack_;       // by which equal proven values may differ: a mean is a quotient
  double lost_, won_;  // values at most and at least as good as this are the worst and the best possible
};

// The root's children that may still be played: none that is proven lost or worse than another, and only the best ones
// once the root is proven.
class Running {
 public:
  Running(const Prover &prover, const NodePool &nodes);
  bool has(const Node &child) const;

 private:
  const Prover *prover_;
  bool is_root_proven_;
  bool all_lost_ = true;
  const Node *best_proven_ = nullptr;
};

}  // namespace boardlab
