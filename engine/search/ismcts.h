// Information-set MCTS with a tree per player (MO-ISMCTS, Cowling, Powley and Whitehouse 2012), for games with hidden
// cards.
//
// A node is an information set: all positions that one player cannot tell apart, found by the game's `observe` key. So
// every player in the tree decides by what it sees, while the others' cards change from descent to descent. (In a
// single tree, SO-ISMCTS, the others would not know their own cards.)
//
// A descent starts from the deal if that leads to the present information set often enough, otherwise from the present
// position with its hidden parts filled in at random. From the deal, the searcher's own cards vary too and the actions
// played carry information about the cards: the visits approach an equilibrium (Kuhn poker). From the position, all
// hands that fit are equally likely by the deal, and the others answer as if they knew ours.
//
// What the others did tells about their cards. Where the game can retrace how a position came about, half of the
// descents from a position begin at an earlier decision of another player instead, with all hands drawn anew but its
// own: that teaches the tree what a player with those cards does there. A world then weighs as much as the product of
// the tree's probabilities of what the others really did in it, and descents from the position draw worlds by weight.
//
// With buckets, hands that the game's features call alike are played alike, which a tree of a few hundred descents
// needs in poker. Only the searcher's own present hand stays exact.
//
// Every round of a game has its own deal, which follows the end of the round before. So the search keeps the round ends
// that its descents meet, and looks among them for the one that leads to its next decision.
#pragma once

#include <optional>

#include "search/search.h"
#include "tabular/situations.h"

namespace boardlab {

struct IsmctsOptions {
  enum class Start { EITHER, DEAL, POSITION };
  enum class Choice { EITHER, SAMPLE, VISITS, VALUE };
  std::int64_t iterations = 1000;
  double c = 0.5;  // exploration of UCB1, over values scaled to [0,1] by those seen
  Start start = Start::EITHER;
  // EITHER is SAMPLE from the deal: an equilibrium mixes, and always playing the most visited action would give that
  // up. From the position it is VISITS: there the other visits are only exploration.
  Choice choice = Choice::EITHER;
  std::size_t max_nodes = 1u << 22;
  bool weigh = true;            // worlds by what the others did, where the game can retrace
  tabular::BucketsPtr buckets;  // of hands that are played alike; null or without a shape: none
};

class IsmctsSearch final : public Search {
 public:
  // Throws std::invalid_argument if the buckets do not fit the game.
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
  // The least share of descents from the deal that must pass through the present information set.
  static constexpr std::int64_t LEAST_PERCENT = 1;
  static constexpr std::size_t MOST_ROUND_ENDS = 64;
  static constexpr int SCOUTS = 64;  // random descents that test whether a deal leads here

  struct Edge {
    Action action;
    std::uint32_t visits;
    double value_sum;  // for the player who moves
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

  // Full positions that the searcher may be in, drawn by the deal: one for every four descents, within these bounds.
  static constexpr std::int64_t FEWEST_WORLDS = 64, MOST_WORLDS = 1024;
  static constexpr double SMOOTHING = 1;  // visits added to every action of another player before it weighs a world

  // What another player decided earlier in this round.
  struct Answer {
    std::uint64_t key;
    std::size_t at;  // index of the action
    std::uint32_t choices;
  };
  struct World {
    StateBuffer state, start;
    std::vector<Action> actions;  // and outcomes, from the start of the round to the state
    std::vector<Answer> answers;
    double weights_below;  // of this world and all before it
  };

  void forget();
  std::int64_t run_from_deal(std::int64_t iterations);
  void run_from_position(const void *root);
  void determinize_into(void *state, const void *root);
  void imagine_worlds(const void *root);
  void study_answers(std::int64_t iterations);
  double weigh_worlds();
  // Plays from state_ to a leaf and backs up its value. `first_key`: of the first decision; 0 for its usual one. With a
  // `learner` the other players draw their actions from what they have learned, and learn nothing.
  void descend(bool from_deal, std::uint64_t first_key, int learner = -1);
  void back_up(double *value);
  void find_deal();
  bool leads_here(const StateBuffer *deal, Rng &scout);
  void keep_round_end(const void *state);
  std::uint64_t key_of(const void *state, int player);
  std::uint32_t &slot(std::uint64_t key);
  // The information set with this key, a new one for the state's if necessary; NONE if there is no room.
  std::size_t enter(std::uint64_t key, const void *state);
  std::size_t select(const InformationSet &set, int player);
  std::size_t draw(const InformationSet &set);
  double probability(const InformationSet &set, std::size_t edge) const {
    return (edges_[edge].visits + SMOOTHING) / (set.visits + SMOOTHING * set.count);
  }
  void report(Decision &out, bool from_deal);

  IsmctsOptions options_;
  std::optional<tabular::Situations> situations_;  // with buckets
  std::vector<World> worlds_;
  std::size_t world_count_ = 0;
  double worlds_in_use_ = 0;  // 1 / sum of squared weights
  std::vector<InformationSet> sets_;
  std::vector<std::uint32_t> table_;  // open addressing by key: 1 + the index of the set, 0 = free
  std::vector<Edge> edges_;
  std::vector<Step> path_;
  StateBuffer state_, seen_;
  std::vector<std::uint8_t> observation_;
  std::vector<Action> legal_;
  double low_[MAX_PLAYERS], high_[MAX_PLAYERS];
  double root_sum_[MAX_PLAYERS];  // over the descents through the present information set
  std::uint64_t seen_key_ = 0;    // of what the player sees at the root
  std::uint64_t root_key_ = 0;
  std::optional<StateBuffer> deal_;      // of the present round, unless it is the start of the game
  std::vector<StateBuffer> round_ends_;  // met by the last decision's descents
};

}  // namespace boardlab
