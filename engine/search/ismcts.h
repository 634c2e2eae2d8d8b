// Monte Carlo tree search for games with hidden cards: information-set MCTS with a tree for every player (MO-ISMCTS,
// Cowling, Powley and Whitehouse 2012).
//
// A node is what one player can tell apart: its statistics are found by the game's `observe` key, so that everybody in
// the tree decides by what it sees, and the others' cards change from descent to descent. (With one tree for all,
// SO-ISMCTS, the others would not know their own cards.)
//
// A descent starts from the deal, if that leads to the present information set often enough, and otherwise from the
// present position with its hidden parts filled in at random. From the deal, the searcher's hands are as open as
// everybody's and what was played tells about the cards: visits then approach an equilibrium (Kuhn poker). From the
// position, all hands that fit are equally likely, whatever was bet, and the others answer as if they knew ours.
//
// A game of several rounds has a deal in each. The next one begins where this one ends, so that the ends of the round
// which the descents meet are kept, and the one that leads to the next decision is its deal.
#pragma once

#include <optional>

#include "search/search.h"

namespace boardlab {

struct IsmctsOptions {
  enum class Start { EITHER, DEAL, POSITION };
  enum class Choice { EITHER, SAMPLE, VISITS, VALUE };
  std::int64_t iterations = 1000;
  double c = 0.5;  // exploration of UCB1, over values scaled to [0,1] by those that were seen
  Start start = Start::EITHER;
  // From the deal a sample of the visits: an equilibrium mixes, and the most visited action alone would give it away.
  // From the position the most visited action: there the other visits are nothing but exploration.
  Choice choice = Choice::EITHER;
  std::size_t max_nodes = 1u << 22;
};

class IsmctsSearch final : public Search {
 public:
  IsmctsSearch(std::unique_ptr<Evaluator> evaluator, IsmctsOptions options, std::uint64_t seed);
  void act(const void *state, Decision &out) override;
  void reset(std::uint64_t seed) override {
    Search::reset(seed);
    deal_.reset();
    round_ends_.clear();
  }
  std::unique_ptr<Search> clone() const override {
    return std::make_unique<IsmctsSearch>(evaluator_->clone(), options_, 0);
  }

 private:
  // From the deal, at least so many descents in a hundred must come through the present information set.
  static constexpr std::int64_t LEAST_PERCENT = 1;
  static constexpr std::size_t MOST_ROUND_ENDS = 64;
  static constexpr int SCOUTS = 64;  // random descents that tell whether a deal leads here

  struct Edge {
    Action action;
    std::uint32_t visits;
    double value_sum;  // for the player who decides
  };
  struct InformationSet {
    std::uint64_t key;
    std::uint32_t first, count;  // edges
    std::uint32_t visits;
  };
  struct Step {
    std::size_t set, edge;
    int player;
  };
  static constexpr std::size_t NONE = SIZE_MAX;

  void forget();
  std::int64_t run(const void *state, bool from_deal, std::int64_t iterations);
  void iterate(const void *root, bool from_deal);
  void back_up(double *value);
  void find_deal();
  bool leads_here(const StateBuffer *deal, Rng &scout);
  void keep_round_end(const void *state);
  std::uint64_t key_of(const void *state, int player);
  std::uint32_t &slot(std::uint64_t key);
  // Its information set, a new one if need be; NONE when there is no room for it.
  std::size_t enter(const void *state, int player);
  std::size_t select(const InformationSet &set, int player);
  void report(Decision &out, bool from_deal);

  IsmctsOptions options_;
  std::vector<InformationSet> sets_;
  std::vector<std::uint32_t> table_;  // by key, open addressing: 1 + the number of the set, 0 = free
  std::vector<Edge> edges_;
  std::vector<Step> path_;
  StateBuffer state_, seen_;
  std::vector<std::uint8_t> observation_;
  std::vector<Action> legal_;
  double low_[MAX_PLAYERS], high_[MAX_PLAYERS];
  double root_sum_[MAX_PLAYERS];  // over the descents that came through the present information set
  std::uint64_t root_key_ = 0;
  std::optional<StateBuffer> deal_;      // of the present round, where that is not the game's own beginning
  std::vector<StateBuffer> round_ends_;  // that the last decision's descents met
};

}  // namespace boardlab
