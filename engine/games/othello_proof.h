// Proofs about Othello on 6x6 from far away: whether the side to move can win by a given margin. Compiled for several
// levels of vector instructions, the best chosen at run time.
#pragma once

#include <cstdint>
#include <memory>

#include "core/bits.h"
#include "games/othello_solver.h"

namespace boardlab::othello {

// Parts of the search that a proof does not need: each only saves time.
enum Saving : unsigned {
  LEARNED_ORDER = 1,  // actions sorted by what was learned from solved games
  LOOKED_UP = 2,      // a position refuted by an after-state in the table (enhanced transposition cutoff)
  STABLE_DISCS = 4,   // bounds from discs that can never be flipped
  PARITY = 8,         // odd regions first
};

class Proof {
 public:
  Proof() = default;
  virtual ~Proof();
  Proof(const Proof &) = delete;
  Proof &operator=(const Proof &) = delete;

  // Bounds the value of a position: the final disc difference for the side to move, empty cells counted for the winner.
  // The value is no less than the result if the result is at least `least`, and no more than the result otherwise.
  // Bit = cell = row*6 + col. What is found stays in the table for later questions. Calls poll(context) now and then;
  // it may throw.
  virtual int bound(Bits64 own, Bits64 other, int least, void (*poll)(void *), void *context) = 0;

  // A guess at the value in 1/128 discs by alpha-beta to a depth: an order of the actions to try first, no proof.
  virtual int guess(Bits64 own, Bits64 other, int depth) = 0;

  std::int64_t nodes = 0;  // positions visited so far by bound()
};

struct ProofOptions {
  std::int64_t table_mb = 64;
  std::int64_t lessons = 100'000;  // games to learn from before the first question: 100,000 take a few seconds
  std::uint64_t seed = 0;          // of those games
  int images_from = 24;            // empty cells from which on positions that are images of each other are one
  unsigned without = 0;            // the savings to do without, for tests
};

// Throws std::bad_alloc.
std::unique_ptr<Proof> make_proof(const ProofOptions &options);

// Answers a question about a 6x6 board by a new proof. Like every Solve, it returns false if it gave up.
bool prove(Endgame &question);

}  // namespace boardlab::othello
