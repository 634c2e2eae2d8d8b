// Games in which every action fills one empty cell, and any empty cell may be filled: Hex, Gobang.
#pragma once

#include <utility>

#include "core/adapt.h"

namespace boardlab {

// A random playout: the empty cells in shuffled order. The next action is then one swap away, while drawing single
// actions would mean searching for an empty cell each time.
template <class G>
int shuffled_playout(const G &game, typename G::State &s, Rng &rng, int max_actions) {
  Action order[G::max_legal];
  const int empty = game.legal(s, order);
  int count = 0;
  while (count < empty && count < max_actions && game.player(s) != TERMINAL) {
    const auto pick = count + static_cast<int>(rng.below(static_cast<std::uint32_t>(empty - count)));
    std::swap(order[count], order[pick]);
    game.apply(s, order[count++]);
  }
  return count;
}

}  // namespace boardlab
