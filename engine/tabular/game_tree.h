// A whole game as a flat tree, and what a strategy is worth in it: expected scores, best responses, NashConv.
//
// Nodes are in breadth-first order: the children of a node are consecutive, and come after it. So one pass forwards
// takes probabilities from the root to the leaves, and one backwards takes values from the leaves to the root.
#pragma once

#include <cstdint>
#include <vector>

#include "tabular/situations.h"

namespace boardlab::tabular {

// About how many nodes the tree has (Knuth 1975): the mean, over random paths, of the products of the numbers of
// children. Stops where it is above `enough`, whatever the other paths have.
double estimate_nodes(const GamePtr &game, double enough, std::uint64_t seed, const Poll &poll);

class GameTree {
 public:
  struct Node {
    std::uint32_t parent;
    std::uint32_t first, count;  // children
    std::uint32_t set;           // of a player's node; of a leaf its row in `scores`
    std::int32_t player;         // CHANCE, TERMINAL for a leaf
    std::uint32_t action;        // index among the parent's children
    double probability;          // of chance to come here; 1 below a player's node
  };
  struct Set {
    std::uint64_t key;
    std::uint32_t node;          // one of its nodes
    std::uint32_t first, count;  // its row in a strategy
    std::int32_t player;
  };
  static constexpr std::uint64_t NODE_BYTES = sizeof(Node) + 4 * sizeof(double);  // with those of the passes over it

  // Builds it; throws std::invalid_argument if it has more than `most_nodes`, if the game starts at random, or if a
  // player forgets what it did (the tree is then none of perfect recall).
  GameTree(const GamePtr &game, const BucketsPtr &buckets, int outcome, std::uint64_t most_nodes, const Poll &poll);

  const GamePtr &game_ptr() const { return game_; }
  int players() const { return game_->players(); }
  // The numbers of a strategy: a row of probabilities for each set.
  std::size_t strategy_size() const { return strategy_size_; }
  double score(const Node &leaf, int player) const {
    return scores[static_cast<std::size_t>(leaf.set) * static_cast<std::size_t>(players()) +
                  static_cast<std::size_t>(player)];
  }
  // The weight of the way from the parent to this node, under a strategy.
  double weight(const Node &node, const double *strategy) const {
    const Node &parent = nodes[node.parent];
    return parent.player == CHANCE ? node.probability : strategy[sets[parent.set].first + node.action];
  }

  // Expected scores, one a player.
  std::vector<double> values(const double *strategy) const;
  // The most that `player` can expect against the others' strategies.
  double best_response(int player, const double *strategy) const;
  // What all players together gain by best responses.
  double nash_conv(const double *strategy) const;
  // The actions that lead from the start to a node, chance outcomes included.
  std::vector<Action> path(std::uint32_t node) const;

  std::vector<Node> nodes;
  std::vector<Set> sets;
  std::vector<double> scores;  // [leaves][players]
  std::vector<Action> labels;  // [nodes] the action or outcome that leads to it

 private:
  void build(const BucketsPtr &buckets, int outcome, std::uint64_t most_nodes, const Poll &poll);

  GamePtr game_;
  std::size_t strategy_size_ = 0;
  // For every player: the nodes by the number of the player's own decisions before, most first, and there backwards.
  std::vector<std::vector<std::uint32_t>> orders_;
  std::vector<std::vector<std::uint32_t>> layers_;  // where each number begins in the order
};

using GameTreePtr = std::shared_ptr<const GameTree>;

}  // namespace boardlab::tabular
