// Exact Othello endgames, compiled once for every level of vector instructions and chosen at run time.
#pragma once

#include <cstdint>

#include "core/bits.h"

namespace boardlab::othello {

// A question and, if it was answered, the answer. Bit = cell = row*size + col.
struct Endgame {
  Bits128 own = 0, other = 0;              // discs of the side to move and of the other
  int alpha = 0, beta = 0;                 // the window, in discs: a value outside it is only a bound
  std::int64_t node_limit = INT64_MAX;     // gives up after about this many positions
  std::int32_t (*stop)(void *) = nullptr;  // called regularly; nonzero: give up
  void *context = nullptr;

  int value = 0;           // final disc difference for the side to move, empty squares counted for the winner
  int best = -1;           // a cell that reaches it; -1 for a pass
  std::int64_t nodes = 0;  // positions visited
};

// Returns false if it gave up. The result does not depend on earlier questions.
using Solve = bool (*)(Endgame &);

// For boards of 4, 6, 8 and 10.
Solve solver(int size);

}  // namespace boardlab::othello
