// Random walks away from the solved position of a puzzle in which every action may be played everywhere, also at the
// goal (twisty puzzles). What a network learns distances from.
#pragma once

#include <cstdint>
#include <vector>

#include "core/game.h"
#include "core/workers.h"

namespace boardlab {

class RandomWalks {
 public:
  // Throws std::invalid_argument for a game that has chance, several players or no board vector, or in which some
  // action is not always legal.
  RandomWalks(GamePtr game, const void *goal, int threads);

  const Game &game() const { return *game_; }
  std::size_t cells() const { return static_cast<std::size_t>(game_->cells()); }
  std::size_t actions() const { return static_cast<std::size_t>(game_->action_count()); }

  // One row of cells for every position: `walks` times the positions after 1, 2 .. `length` actions. A walk never plays
  // two actions that one or none would replace, and of two that commute only one order. Walk i of a seed is always the
  // same.
  // With `next`, also the board vectors of all positions one action on, [walks][length][actions][cells]; where one of
  // them is the goal, `solved` [walks][length][actions] is 1.
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
