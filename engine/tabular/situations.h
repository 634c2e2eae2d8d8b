// What a player knows when it is to move, as one number: the key of its information set.
//
// In a game that names situations (contract.h) rounds are alike and are learned one at a time; elsewhere the key is the
// observation and the player, and the whole game is one round. Cards that the situation leaves out are put into buckets
// by the game's hand features, and hands of one bucket are played alike; without buckets the observation is the key.
#pragma once

#include <memory>
#include <vector>

#include "core/game.h"

namespace boardlab::tabular {

// Nested quantiles, separate for every stage of the game: the first hand feature has shape[0] groups, each of them
// shape[1] groups of the second feature, and so on. A group ends at its bound.
struct Buckets {
  std::vector<int> shape;      // empty: no abstraction
  std::vector<double> bounds;  // [stages][bounds_per_stage]

  std::size_t bounds_per_stage() const;
  std::size_t count() const;  // of buckets in a stage
  std::size_t bucket(int stage, const double *features) const;
};
using BucketsPtr = std::shared_ptr<const Buckets>;

// Belongs to one thread.
class Situations {
 public:
  // Throws std::invalid_argument if the buckets do not fit the game.
  Situations(GamePtr game, BucketsPtr buckets);

  const GamePtr &game_ptr() const { return game_; }
  const BucketsPtr &buckets() const { return buckets_; }
  // The key of the information set of `player`, who is to move; never 0.
  std::uint64_t key(const void *state, int player);
  // Whether play ends here: the game or the round is over. `is_begun`: somebody has acted since the start.
  bool is_end(const void *state, int player, bool is_begun) const {
    return player == TERMINAL || (has_rounds_ && is_begun && game_->round_over(state));
  }

 private:
  GamePtr game_;
  BucketsPtr buckets_;
  bool has_rounds_, names_situation_;
  StateBuffer seen_;
  std::vector<std::uint8_t> bytes_;
  std::vector<double> features_;
};

// The hand features of deals, met in random play: for every stage rows of [hand_features]. Plays until every stage has
// `wanted` rows, at most 20 times as many rounds.
std::vector<std::vector<double>> sample_hands(const GamePtr &game, std::size_t wanted, std::uint64_t seed,
                                              const Poll &poll);

// How many information sets there are at least, and the mean number of their actions, from 100,000 decisions of random
// play (Chao 1984: sets that were met once tell of those that were never met).
struct SetEstimate {
  double sets, actions;
};
SetEstimate estimate_sets(const GamePtr &game, const BucketsPtr &buckets, std::uint64_t seed, const Poll &poll);

}  // namespace boardlab::tabular
