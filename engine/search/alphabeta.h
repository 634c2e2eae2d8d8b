// Alpha-beta for two-player zero-sum games without chance, over any evaluator: iterative deepening, transposition
// table, the best reply of the last iteration first.
#pragma once

#include <deque>

#include "search/search.h"
#include "search/transpositions.h"

namespace boardlab {

struct AlphaBetaOptions {
  int depth = 4;       // actions
  double seconds = 0;  // stops deepening when the time is up; 0 = no limit
  bool exact = false;  // value of every root action, not only of the best
  std::size_t table_bytes = 64u << 20;
};

class AlphaBetaSearch final : public Search {
 public:
  // Throws std::invalid_argument for a game that alpha-beta cannot play.
  AlphaBetaSearch(std::unique_ptr<Evaluator> evaluator, AlphaBetaOptions options, std::uint64_t seed);
  void act(const void *state, Decision &out) override;
  void reset(std::uint64_t seed) override;
  std::unique_ptr<Search> clone() const override {
    return std::make_unique<AlphaBetaSearch>(evaluator_->clone(), options_, 0);
  }

 private:
  enum Bound : std::uint8_t { EXACT, AT_LEAST, AT_MOST };
  struct Entry {
    std::uint64_t key;
    double value;
    Action best;
    std::int16_t depth;
    std::uint8_t age;
    Bound bound;
  };
  struct Frame {
    StateBuffer state;
    std::vector<Action> actions;
  };
  struct OutOfTime {};

  // Value for player 0 of frame `ply`'s state within (alpha, beta).
  double value(std::size_t ply, int depth, double alpha, double beta);
  // One iteration at the root; fills `values` (for the mover), returns the index of the best action.
  std::size_t search_root(const void *state, int depth, const std::vector<std::size_t> &order, Decision &out);
  Frame &frame(std::size_t ply);
  double sign(int player) const { return player == 0 ? 1 : -1; }

  AlphaBetaOptions options_;
  Transpositions<Entry> table_;
  std::deque<Frame> frames_;
  std::int64_t nodes_ = 0;
  double deadline_ = 0;
};

}  // namespace boardlab
