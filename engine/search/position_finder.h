// Finds a position in a tree, so that the next decision can keep what is below it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/game.h"
#include "search/node_pool.h"

namespace boardlab {

class PositionFinder {
 public:
  // The node of `state`, 0 = none. Searches breadth first through visited nodes, at most 4,096 of them: enough for the
  // own action and one round of replies. Of several ways of the same length it takes the most visited one.
  std::uint32_t find(const Game &game, const NodePool &nodes, const void *root, const void *state);
  void free_memory();

 private:
  static constexpr std::size_t MOST = 4096;

  struct Candidate {
    std::uint32_t node;
    int level;
  };
  void *push(const Game &game, Candidate candidate);
  void push_children(const Game &game, const NodePool &nodes, std::size_t parent);
  std::byte *state_of(const Game &game, std::size_t i);

  std::vector<Candidate> candidates_;
  std::vector<std::byte> states_;  // of the candidates, in one block
};

}  // namespace boardlab
