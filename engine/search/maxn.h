// MaxN and ExpectimaxN: full-width search of n actions for any number of players, with or without chance. The value of
// every action is exact. What may be pruned without changing it depends on the game:
//   two players whose scores add up to zero: alpha-beta, and Star1 at chance nodes;
//   others: an action that is proven to bring the most there is ends the search of its node. Shallow pruning (Korf
//   1991) would need a bound on the sum of all players' values, which neither games nor evaluators give.
#pragma once

#include <deque>
#include <optional>

#include "search/principal.h"
#include "search/search.h"
#include "search/transpositions.h"

namespace boardlab {

struct MaxNOptions {
  int depth = 3;  // actions; chance does not count
  std::size_t table_bytes = 64u << 20;
};

class MaxNSearch final : public Search {
 public:
  MaxNSearch(std::unique_ptr<Evaluator> evaluator, MaxNOptions options, std::uint64_t seed);
  void act(const void *state, Decision &out) override;
  void reset(std::uint64_t seed) override;
  std::unique_ptr<Search> clone() const override {
    return std::make_unique<MaxNSearch>(evaluator_->clone(), options_, 0);
  }

 private:
  struct Entry {
    std::uint64_t key;
    double values[MAX_PLAYERS];  // not floats: equal actions must stay equal, found in the table or not
    std::int16_t depth;
    std::int16_t height;  // what value() returned
    std::uint8_t age;
  };
  struct Frame {
    StateBuffer state;
    std::vector<Action> actions;
    std::vector<double> probabilities;
  };

  // The value vector of frame `ply`'s state, searched `depth` more actions. Returns how many actions away the farthest
  // end of the game is (after chance alone: 1, the least depth at which nature is not judged), or CUT when the depth
  // cut something off. A value that is not cut is good for every depth from
  // its height on: games that reach a position after more or fewer actions need not search it anew for each.
  static constexpr int CUT = -1;
  int value(std::size_t ply, int depth, double *out);
  // For one player: of the actions that are proven to bring the most there is, those that do so soonest. False where
  // nothing is.
  bool find_soonest(const void *state, const Decision &decision, std::vector<bool> &allowed);
  Frame &frame(std::size_t ply);

  MaxNOptions options_;
  std::optional<PrincipalVariation> zero_sum_;  // for two players whose scores add up to zero
  Transpositions<Entry> table_;                 // for all others
  Range range_;
  std::deque<Frame> frames_;  // grows, never moves: references stay good while the recursion goes deeper
  std::int64_t nodes_ = 0;
};

}  // namespace boardlab
