#include "games/connectfour_solver.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdlib>
#include <numeric>
#include <stdexcept>

namespace boardlab {

ConnectFourSolver::ConnectFourSolver(int rows, int cols, int connect, std::size_t table_bytes)
    : rows_(rows), cols_(cols), connect_(connect), height_(rows + 1), cells_(rows * cols), poll_([] {}) {
  if (rows < 1 || cols < 1 || connect < 2 || cols * height_ > 64)
    throw std::invalid_argument("the solver needs a board with (rows + 1) * cols of at most 64");
  for (int c = 0; c < cols_; ++c) {
    board_ |= column(c);
    bottom_ |= Board{1} << (c * height_);
  }
  order_.resize(static_cast<std::size_t>(cols_));
  std::iota(order_.begin(), order_.end(), 0);
  std::stable_sort(order_.begin(), order_.end(),
                   [&](int a, int b) { return std::abs(2 * a - cols_ + 1) < std::abs(2 * b - cols_ + 1); });
  table_.resize(std::bit_floor(std::max<std::size_t>(table_bytes / sizeof(Entry), 1024)));
}

ConnectFourSolver::Board ConnectFourSolver::completing(Board stones) const {
  Board found = 0;
  if (connect_ == 4 && 3 * (height_ + 1) < 64) {  // the standard case without loops: twice as fast
    const auto both = [&](int step) {
      const Board before = (stones << step) & (stones << 2 * step), after = (stones >> step) & (stones >> 2 * step);
      return (before & ((stones << 3 * step) | (stones >> step))) | (after & ((stones >> 3 * step) | (stones << step)));
    };
    return (both(1) | both(height_) | both(height_ - 1) | both(height_ + 1)) & board_;
  }
  for (const int step : {1, height_, height_ - 1, height_ + 1}) {
    if ((connect_ - 1) * step >= 64) continue;  // such a line does not fit on the board
    for (int hole = 0; hole < connect_; ++hole) {
      // A line of cells, `step` apart, complete except for the cell at `hole`. Seen from the hole.
      Board line = board_;
      for (int i = 0; i < connect_ && line; ++i) {
        const int away = (i - hole) * step;
        if (away > 0)
          line &= stones >> away;
        else if (away < 0)
          line &= stones << -away;
      }
      found |= line;
    }
  }
  return found & board_;
}

std::vector<int> ConnectFourSolver::scores(const std::vector<int> &cells, const Poll &poll) {
  if (cells.size() != static_cast<std::size_t>(cells_))
    throw std::invalid_argument("the solver was made for another board");
  poll_ = poll;
  Board of[2] = {0, 0};
  int stones = 0;
  for (int row = 0; row < rows_; ++row)
    for (int c = 0; c < cols_; ++c) {
      const int owner = cells[static_cast<std::size_t>(row * cols_ + c)];
      if (owner != 1 && owner != 2) continue;
      of[owner - 1] |= Board{1} << (c * height_ + rows_ - 1 - row);
      ++stones;
    }
  const Board mask = of[0] | of[1], mine = of[stones % 2], theirs = mask ^ mine;
  const Board now = completing(mine);
  std::vector<int> out(static_cast<std::size_t>(cols_), FULL);
  for (int c = 0; c < cols_; ++c) {
    const Board move = (mask + (Board{1} << (c * height_))) & column(c);
    if (!move) continue;
    int score = 0;
    if (now & move) {
      score = (cells_ + 1 - stones) / 2;
    } else if (stones + 1 < cells_) {
      const Board after = mask | move, next = (after + bottom_) & board_;
      score = completing(theirs) & next ? -((cells_ - stones) / 2) : -solve(theirs, after, stones + 1);
    }
    out[static_cast<std::size_t>(c)] = score;
  }
  poll_ = [] {};
  return out;
}

// Null windows, halved, near zero first: finding who wins is cheaper than finding when.
int ConnectFourSolver::solve(Board mine, Board mask, int stones) {
  int low = -((cells_ - stones) / 2), high = (cells_ + 1 - stones) / 2;
  while (low < high) {
    int middle = low + (high - low) / 2;
    if (middle <= 0 && low / 2 < middle)
      middle = low / 2;
    else if (middle >= 0 && high / 2 > middle)
      middle = high / 2;
    const int found = value(mine, mask, stones, middle, middle + 1);
    if (found <= middle)
      high = found;
    else
      low = found;
  }
  return low;
}

int ConnectFourSolver::value(Board mine, Board mask, int stones, int alpha, int beta) {
  if ((++nodes_ & 0xffff) == 0) poll_();
  const Board theirs = mask ^ mine, threats = completing(theirs) & ~mask;
  Board moves = (mask + bottom_) & board_;
  if (const Board forced = moves & threats) {
    if (forced & (forced - 1)) return -((cells_ - stones) / 2);  // two threats cannot both be stopped
    moves = forced;
  }
  moves &= ~(threats >> 1);  // a stone under a threat would allow it
  if (!moves) return -((cells_ - stones) / 2);
  if (stones >= cells_ - 2) return 0;
  // Neither side can end the game in its next turn: that bounds the score.
  const int worst = -((cells_ - 2 - stones) / 2);
  if (alpha < worst) {
    alpha = worst;
    if (alpha >= beta) return alpha;
  }
  int best = (cells_ - 1 - stones) / 2;
  const std::uint64_t key = mine + mask + bottom_;
  Entry &entry = table_[(key * 0x9E3779B97F4A7C15ull) >> (64 - std::bit_width(table_.size() - 1))];
  constexpr int SHIFT = 200;  // bounds are stored as score + SHIFT, 0 means empty
  int lower = -SHIFT;
  if (entry.key == key && entry.bound) {
    if (entry.bound < 0)
      best = std::min(best, -entry.bound - SHIFT);
    else
      lower = entry.bound - SHIFT;
  }
  if (lower > alpha) {
    alpha = lower;
    if (alpha >= beta) return alpha;
  }
  if (beta > best) {
    beta = best;
    if (alpha >= beta) return beta;
  }
  // Moves with more threats first, central ones first among equals: insertion sort, at most 64 / 2 columns.
  std::array<std::pair<int, Board>, 32> list;
  std::size_t count = 0;
  for (const int c : order_) {
    const Board move = moves & column(c);
    if (!move) continue;
    const int threats_made = std::popcount(completing(mine | move) & ~(mask | move));
    std::size_t at = count++;
    for (; at > 0 && list[at - 1].first < threats_made; --at) list[at] = list[at - 1];
    list[at] = {threats_made, move};
  }
  for (std::size_t i = 0; i < count; ++i) {
    const int found = -value(theirs, mask | list[i].second, stones + 1, -beta, -alpha);
    if (found >= beta) {
      entry = {key, found + SHIFT};
      return found;
    }
    alpha = std::max(alpha, found);
  }
  entry = {key, -(alpha + SHIFT)};
  return alpha;
}

}  // namespace boardlab
