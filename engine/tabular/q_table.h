// Q(s, a) in a hash table of fixed size: the value of a pair of state and action for the player to move.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <stdexcept>
#include <vector>

#include "core/game.h"

namespace boardlab::tabular {

// There is no room for another pair. Nothing was changed.
struct TableFull : std::invalid_argument {
  using std::invalid_argument::invalid_argument;
};

// Values are goals, as in general game playing: 0 for the worst score of the game, 1 for the best; an unlearned pair is
// worth 0. If the range of scores is a loose estimate, and in a table by cells, they are the scores themselves.
//
// A state is looked up by all its bytes, or by its cells: the board vector and the player to move. In a game with
// rounds the bytes also distinguish rounds and sums won so far, and matches, which are learned round by round, would
// teach only the first one; the cells are the same in all rounds.
//
// A pair is stored as 64 bits: about one wrong answer in 10^12 for a million pairs.
class QTable {
 public:
  // Throws std::invalid_argument if there is no memory, or if `by_cells` is set and the game has no cells.
  QTable(GamePtr game, int outcome, std::uint64_t bytes, bool by_cells);

  const Game &game() const { return *game_; }
  const GamePtr &game_ptr() const { return game_; }
  int outcome() const { return outcome_; }

  // The key of the state in its pairs. `cells` is scratch space for the board vector, kept by the caller.
  std::uint64_t key(const void *state, std::vector<std::uint8_t> &cells) const;
  std::uint64_t pair(std::uint64_t state_key, Action action) const {
    Rng mix(state_key + 0x9E3779B97F4A7C15ull * static_cast<std::uint64_t>(action));
    const std::uint64_t key = mix.next();
    return key + (key == 0);
  }
  // The value, or null if the pair was never learned.
  const double *find(std::uint64_t pair) const;
  // The value, 0 for a new pair; there must be room.
  double &at(std::uint64_t pair);
  std::uint64_t room() const { return most_ - count_; }
  std::uint64_t count() const { return count_; }
  std::uint64_t most() const { return most_; }
  // Counts the pairs again after the arrays were filled from outside; throws if there are too many.
  void recount();

  double goal(double score) const { return loose_ ? score : (score - low_) / width_; }
  double score(double goal_value) const { return loose_ ? goal_value : low_ + width_ * goal_value; }
  // A difference of scores, such as a reward on the way.
  double scaled(double difference) const { return loose_ ? difference : difference / width_; }
  // Whether the score grows during the game, so that rewards are differences of it.
  bool pays_on_the_way() const { return loose_; }

  std::vector<std::uint64_t> keys;  // 0: empty
  std::vector<double> values;

 private:
  std::size_t slot(std::uint64_t pair) const;

  GamePtr game_;
  int outcome_;
  bool by_cells_;
  bool loose_;
  double low_, width_;
  std::uint64_t count_ = 0, most_ = 0;
};

using QTablePtr = std::shared_ptr<QTable>;

}  // namespace boardlab::tabular
