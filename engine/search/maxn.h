// MaxN and ExpectimaxN: full-width search for any number of players, with or without chance. The value of every root
// action is exact. Pruning that does not change it depends on the game:
//   two players whose scores add up to zero: alpha-beta, and Star1 at chance nodes;
//   others: an action proven to bring the maximum ends the search of its node. Shallow pruning (Korf 1991) would need a
//   bound on the sum of all players' values, which neither games nor evaluators give.
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
    double values[MAX_PLAYERS];  // not float: equal actions must stay equal, whether found in the table or not
    std::int16_t depth;
    std::int16_t height;  // as returned by value()
    std::uint8_t age;
    std::uint8_t unused[3];  // the table copies whole words
  };
  struct Frame {
    StateBuffer state;
    std::vector<Action> actions;
    std::vector<double> probabilities;
  };

  // Computes the values of frame `ply`'s state from a search of `depth` more actions. Returns its height: the number of
  // actions to the farthest end of the game (1 after chance alone, the least depth at which chance nodes are not
  // evaluated), or CUT if the depth cut something off. A value that is not cut holds for every depth from its height
  // on, so a position reached after more or fewer actions need not be searched again.
  static constexpr int CUT = -1;
  int value(std::size_t ply, int depth, double *out);
  // For one player: finds the actions that are proven to bring the maximum soonest. Returns false if there are none.
  bool find_soonest(const void *state, const Decision &decision, std::vector<bool> &allowed);
  Frame &frame(std::size_t ply);

  MaxNOptions options_;
  std::optional<PrincipalVariation> zero_sum_;  // two players whose scores add up to zero
  Transpositions<Entry> table_;                 // all other games
  Range range_;
  std::deque<Frame> frames_;  // a deque: references stay valid while the recursion goes deeper
  std::int64_t nodes_ = 0;
};

}  // namespace boardlab
