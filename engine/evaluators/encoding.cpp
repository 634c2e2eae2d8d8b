#include "evaluators/encoding.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "evaluators/evaluator.h"

namespace boardlab {

Encoding::Encoding(GamePtr game, Inputs inputs) : game_(std::move(game)), inputs_(inputs) {
  const auto size = [](int n) { return static_cast<std::size_t>(n); };
  if (inputs == Inputs::PLANES) {
    const PlaneShape planes = game_->plane_shape();
    if (!planes.count) throw std::invalid_argument(game_->name() + " has neither planes nor a board vector");
    shape_ = {size(planes.count), size(planes.rows), size(planes.cols)};
    dimensions_ = 3;
    row_bytes_ = planes.size() * sizeof(float);
  } else if (inputs == Inputs::CELLS) {
    if (!game_->cells()) throw std::invalid_argument(game_->name() + " has no board vector");
    shape_[0] = row_bytes_ = size(game_->cells());
  } else {
    if (!game_->table().features) throw std::invalid_argument(game_->name() + " has no features");
    shape_[0] = size(game_->table().feature_count);
    row_bytes_ = shape_[0] * sizeof(double);
  }
}

void Encoding::write_inputs(const void *state, int player, std::byte *row) const {
  if (inputs_ == Inputs::PLANES)
    game_->planes(state, player, reinterpret_cast<float *>(row));
  else if (inputs_ == Inputs::CELLS)
    game_->board_vector(state, player, reinterpret_cast<std::uint8_t *>(row));
  else
    game_->table().features(game_->table().self, state, player, reinterpret_cast<double *>(row));
}

void Encoding::write(const void *state, std::span<const Action> legal_actions, std::byte *row, bool *legal) const {
  write_inputs(state, row);
  mark_legal(legal_actions, {legal, actions()});
}

void mark_legal(std::span<const Action> legal_actions, std::span<bool> flags) {
  std::fill(flags.begin(), flags.end(), false);
  for (const Action action : legal_actions) flags[static_cast<std::size_t>(action)] = true;
}

void Answers::read(const Game &game, std::size_t row, int mover, std::span<const Action> legal_actions, double *value,
                   double *priors) const {
  const int players = game.players();
  const float *relative = values + row * value_columns;
  for (std::size_t i = 0; i < value_columns; ++i)
    if (!std::isfinite(relative[i]))
      throw std::invalid_argument("the evaluator's value of position " + std::to_string(row) + " of the batch is " +
                                  std::to_string(relative[i]));
  if (value_columns == 1) {
    for (int p = 0; p < players; ++p) value[p] = p == mover ? relative[0] : -static_cast<double>(relative[0]);
  } else {
    for (int i = 0; i < players; ++i) value[(mover + i) % players] = relative[i];
  }
  if (!priors || !logits) return;
  const float *raw = logits + row * static_cast<std::size_t>(game.action_count());
  for (std::size_t i = 0; i < legal_actions.size(); ++i) {
    priors[i] = raw[legal_actions[i]];
    if (!std::isfinite(priors[i]))
      throw std::invalid_argument("the evaluator's logit of action " + std::to_string(legal_actions[i]) +
                                  ", which is legal in position " + std::to_string(row) + " of the batch, is " +
                                  std::to_string(raw[legal_actions[i]]));
  }
  softmax({priors, legal_actions.size()}, 1.0);
}

void add_score_so_far(const Game &game, int outcome, const void *state, double *value) {
  double paid[MAX_PLAYERS];
  game.outcome(outcome, state, paid);
  const bool is_over = game.round_over(state);
  for (int p = 0; p < game.players(); ++p) value[p] = is_over ? paid[p] : paid[p] + value[p];
}

}  // namespace boardlab
