// Exact Connect Four of any size that fits 64 bits: alpha-beta over bitboards, after Pons's tutorial (2015) and the
// literature it rests on (Allis 1988, Tromp).
#pragma once

#include <cstdint>
#include <vector>

#include "core/game.h"

namespace boardlab {

// A column has `rows` cells and one more bit above them, which is always empty. A score is the number of stones the
// winner has left when the game ends, including the last one, positive for the side to move; 0 is a draw.
class ConnectFourSolver {
 public:
  using Board = std::uint64_t;

  // Throws std::invalid_argument for a board that does not fit.
  ConnectFourSolver(int rows, int cols, int connect, std::size_t table_bytes);

  // Returns the score of each column, or FULL. `cells` are row by row from the top, 0 empty, 1 and 2 the players; the
  // game must not be over.
  static constexpr int FULL = -1000;
  std::vector<int> scores(const std::vector<int> &cells, const Poll &poll);

 private:
  struct Entry {
    std::uint64_t key = 0;
    std::int32_t bound = 0;  // 0: empty; negative: an upper bound, positive: a lower bound, both shifted
  };

  Board column(int c) const { return ((Board{1} << rows_) - 1) << (c * height_); }
  // The empty cells that complete a line for the owner of `stones`.
  Board completing(Board stones) const;
  // The score of a position in which the side to move cannot win at once.
  int solve(Board mine, Board mask, int stones);
  int value(Board mine, Board mask, int stones, int alpha, int beta);

  int rows_, cols_, connect_, height_, cells_;
  Board board_ = 0, bottom_ = 0;
  std::vector<int> order_;  // columns from the middle outwards
  std::vector<Entry> table_;
  std::uint64_t nodes_ = 0;
  Poll poll_;
};

}  // namespace boardlab
