// Random walks from the solved position of a puzzle in which every action is always legal, even at the goal (twisty
// puzzles). Networks learn distances from them.
#pragma once

#include <cstdint>
#include <vector>

#include "core/game.h"
#include "core/workers.h"

namespace boardlab {

class RandomWalks {
 public:
  // Throws std::invalid_argument for a game with chance, with several players, without a board vector, or with an
  // action that is not always legal.
  RandomWalks(GamePtr game, const void *goal, int threads);

  const Game &game() const { return *game_; }
  std::size_t cells() const { return static_cast<std::size_t>(game_->cells()); }
  std::size_t actions() const { return static_cast<std::size_t>(game_->action_count()); }

  // Writes one row of cells per position: for each of `walks` walks, the positions after 1, 2 .. `length` actions. A
  // walk never plays two actions that one or none would replace, and only one order of two that commute. Walk i of a
  // seed is always the same.
  // With `next`, also writes the board vectors of all positions one action further, [walks][length][actions][cells];
  // `solved` [walks][length][actions] is 1 where that position is the goal.
  void walk(std::size_t walks, std::size_t length, std::uint64_t seed, std::uint8_t *rows, std::uint8_t *next,
            std::uint8_t *solved);

 private:
  void one_walk(std::size_t length, Rng rng, std::uint8_t *rows, std::uint8_t *next, std::uint8_t *solved) const;
  void find_followers(const void *goal);

  GamePtr game_;
  StateBuffer goal_;
  Workers workers_;
  // The actions that may follow each action.
  std::vector<std::vector<Action>> followers_;
};

}  // namespace boardlab
