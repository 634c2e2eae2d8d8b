#include "ntuple/feature_network.h"

#include <cmath>
#include <stdexcept>

namespace boardlab::ntuple {

FeatureNetwork::FeatureNetwork(GamePtr game, int hidden, bool squash, std::uint64_t seed, Kind kind, Own own)
    : game_(std::move(game)),
      own_(std::move(own)),
      hidden_(static_cast<std::size_t>(hidden)),
      squash_(squash),
      kind_(kind) {
  const bool uses_board = kind == Kind::BOARD || kind == Kind::BOTH,
             uses_game = kind == Kind::GAME || kind == Kind::BOTH;
  if (uses_board && !game_->cells())
    throw std::invalid_argument(game_->name() +
                                " has no board vector to learn from; register features of your own, or train the "
                                "learner q-table, which needs neither");
  if (uses_game && !game_->table().features)
    throw std::invalid_argument(game_->name() + " has no features to learn from");
  for (int cell = 0; uses_board && cell < game_->cells(); ++cell) {
    first_input_.push_back(board_inputs_);
    board_inputs_ += static_cast<std::size_t>(game_->cell_values(cell));
  }
  if (kind == Kind::OWN) numbers_ = own_.count;
  if (uses_game) numbers_ = static_cast<std::size_t>(game_->table().feature_count);
  inputs_ = board_inputs_ + numbers_;
  parameters_ = hidden_ > 0 ? hidden_ * (inputs_ + 2) + 1 : inputs_ + 1;
  weights_.assign(parameters_ * static_cast<std::size_t>(game_->players()), 0);
  // Units that start equal would stay equal.
  Rng rng(derive_seed(seed, 1));
  const auto active = static_cast<double>(first_input_.size() + numbers_);
  for (int player = 0; player < game_->players(); ++player)
    for (std::size_t i = 0; i < hidden_ * inputs_; ++i) weights(player)[i] = (2 * rng.unit() - 1) / std::sqrt(active);
  for (int player = 0; player < game_->players(); ++player)
    for (std::size_t i = 0; i < hidden_; ++i)
      weights(player)[hidden_ * (inputs_ + 1) + i] = (2 * rng.unit() - 1) / std::sqrt(static_cast<double>(hidden_));
}

void FeatureNetwork::read(const void *state, int player, Inputs &out) const {
  out.clear();
  StateBuffer seen;
  if (game_->is_hidden()) {  // nothing but what the player sees is learned from
    seen = StateBuffer(*game_);
    game_->copy(seen.data(), state);
    game_->conceal(seen.data(), player);
    state = seen.data();
  }
  if (!first_input_.empty()) {
    std::vector<std::uint8_t> cells(first_input_.size());
    game_->board_vector(state, player, cells.data());
    for (std::size_t c = 0; c < cells.size(); ++c) out.push_back({first_input_[c] + cells[c], 1.0});
  }
  if (numbers_ == 0) return;
  std::vector<double> features(numbers_);
  if (kind_ == Kind::OWN)
    own_.read(state, player, features.data());
  else
    game_->table().features(game_->table().self, state, player, features.data());
  for (std::size_t i = 0; i < numbers_; ++i)
    if (features[i] != 0) out.push_back({board_inputs_ + i, features[i]});
}

double FeatureNetwork::unit(const Inputs &x, const double *w, std::size_t unit) const {
  double sum = w[hidden_ * inputs_ + unit];
  for (const Input &input : x) sum += w[unit * inputs_ + input.at] * input.value;
  return std::tanh(sum);
}

double FeatureNetwork::value(const Inputs &x, int player) const {
  const double *w = weights(player);
  double sum = w[parameters_ - 1];
  if (hidden_ == 0)
    for (const Input &input : x) sum += w[input.at] * input.value;
  for (std::size_t u = 0; u < hidden_; ++u) sum += w[hidden_ * (inputs_ + 1) + u] * unit(x, w, u);
  return squash_ ? std::tanh(sum) : sum;
}

double FeatureNetwork::value_and_trace(const Inputs &x, int player, double decay, double *trace) const {
  const double *w = weights(player);
  const double v = value(x, player), slope = squash_ ? 1 - v * v : 1;
  for (std::size_t i = 0; i < parameters_; ++i) trace[i] = decay == 0 ? 0 : trace[i] * decay;
  trace[parameters_ - 1] += slope;
  if (hidden_ == 0)
    for (const Input &input : x) trace[input.at] += slope * input.value;
  for (std::size_t u = 0; u < hidden_; ++u) {
    const double h = unit(x, w, u), back = slope * w[hidden_ * (inputs_ + 1) + u] * (1 - h * h);
    trace[hidden_ * (inputs_ + 1) + u] += slope * h;
    trace[hidden_ * inputs_ + u] += back;
    for (const Input &input : x) trace[u * inputs_ + input.at] += back * input.value;
  }
  return v;
}

}  // namespace boardlab::ntuple
