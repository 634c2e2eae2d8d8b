// How good two cards of hold'em are on a board, against one random hand: the strength, the share of the pot that they
// win on average if all cards are dealt, and the potential, how far the cards to come spread that share (its standard
// deviation).
//
// Exact, up to rounding. A row has all 1,326 hands of one board; boards that differ only in the names of the suits
// share it. A row of the turn is made of the 48 of the river, a row of the flop of the 49 of the turn. Rows are kept,
// so the first flops take .1 s each and all of them together some seconds; up to 230 MB. Safe on several threads.
#pragma once

#include <cstdint>
#include <span>

#include "games/cards.h"

namespace boardlab {

struct HandStrength {
  double strength;   // 0 .. 1
  double potential;  // 0 .. .5
};

// Hole cards and board are 0 .. 51; the board has 0, 3, 4 or 5 cards.
HandStrength hand_strength_of(int first, int second, std::span<const std::uint8_t> board);

}  // namespace boardlab
