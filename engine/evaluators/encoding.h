// Positions as rows of arrays, for nets and for evaluators in Python, and their answers read back.
#pragma once

#include <array>
#include <span>
#include <string>

#include "core/game.h"

namespace boardlab {

// What an evaluator sees of a position: planes from the view of the player to move; cells, which are the
// same for every player but where cards are hidden, and features as the game gives them for that player.
enum class Inputs { PLANES, CELLS, FEATURES };

class Encoding {
 public:
  // Throws std::invalid_argument where the game does not offer these inputs.
  Encoding(GamePtr game, Inputs inputs);

  Inputs inputs() const { return inputs_; }
  // Of one position: planes float [count][rows][cols], cells uint8 [cells], features double [features].
  std::span<const std::size_t> shape() const { return {shape_.data(), dimensions_}; }
  std::size_t row_bytes() const { return row_bytes_; }
  std::size_t actions() const { return static_cast<std::size_t>(game_->action_count()); }

  // The row of a `state` that belongs to a player.
  void write_inputs(const void *state, std::byte *row) const { write_inputs(state, game_->player(state), row); }
  // The row of any state, as `player` sees it.
  void write_inputs(const void *state, int player, std::byte *row) const;
  // The row, and in `legal` a flag an action.
  void write(const void *state, std::span<const Action> legal_actions, std::byte *row, bool *legal) const;

 private:
  GamePtr game_;
  Inputs inputs_;
  std::array<std::size_t, 3> shape_{};
  std::size_t dimensions_ = 1, row_bytes_ = 0;
};

// Sets a flag an action: whether it is among the legal ones.
void mark_legal(std::span<const Action> legal_actions, std::span<bool> flags);

// The answers to a batch of rows. Values are those of the player to move, then of the players who follow in the order
// of their numbers; in games for one player and two-player zero-sum games one column is enough.
struct Answers {
  const float *values;  // [rows][value_columns]
  std::size_t value_columns;
  const float *logits;  // [rows][actions], null when the evaluator gives none

  // Writes value[players] and, unless it is null, priors[actions]: the softmax over the legal actions. Throws
  // std::invalid_argument when a number is not finite.
  void read(const Game &game, std::size_t row, int mover, std::span<const Action> legal_actions, double *value,
            double *priors) const;
};

// A judge of a game with rounds estimates what the rest of the round will pay. Adds the score so far; where the round
// is over, the value is that score alone.
void add_score_so_far(const Game &game, int outcome, const void *state, double *value);

}  // namespace boardlab
