// A value function on features: linear, or with one hidden layer of tanh units,
//     V(s|p) = sigma( v . tanh(W x + b) + c )     or     sigma( w . x + c ),
// where x describes the after-state s for the player p who created it: the user's features, or the game's, or the board
// vector with one input for every value of every cell, or the latter two together. Each player has its own parameters.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "core/game.h"

namespace boardlab::ntuple {

class FeatureNetwork {
 public:
  struct Input {
    std::size_t at;
    double value;  // not 0
  };
  using Inputs = std::vector<Input>;
  // The user's features: a fixed number for a state and a player. May throw.
  struct Own {
    std::size_t count;  // 0: none
    std::function<void(const void *state, int player, double *features)> read;
  };

  enum class Kind { OWN, GAME, BOARD, BOTH };

  // Hidden weights start at small random values, all others at 0. Throws std::invalid_argument if the game lacks what
  // is asked for.
  FeatureNetwork(GamePtr game, int hidden, bool squash, std::uint64_t seed, Kind kind, Own own);

  const Game &game() const { return *game_; }
  const GamePtr &game_ptr() const { return game_; }
  std::size_t inputs() const { return inputs_; }
  // Number per player: W row by row, b, v, c; or w, c.
  std::size_t parameters() const { return parameters_; }
  double *weights(int player) { return weights_.data() + static_cast<std::size_t>(player) * parameters_; }
  const double *weights(int player) const { return weights_.data() + static_cast<std::size_t>(player) * parameters_; }
  std::vector<double> &all_weights() { return weights_; }

  void read(const void *state, int player, Inputs &out) const;
  double value(const Inputs &x, int player) const;
  // The same, and trace = decay * trace + gradient; trace[parameters]. Without decay the trace need not be set before.
  double value_and_trace(const Inputs &x, int player, double decay, double *trace) const;

 private:
  double unit(const Inputs &x, const double *weights, std::size_t unit) const;

  GamePtr game_;
  Own own_;
  std::size_t hidden_;
  bool squash_;
  Kind kind_;
  std::size_t board_inputs_ = 0, numbers_ = 0;  // of the board, before the features, and the number of these
  std::size_t inputs_ = 0, parameters_ = 0;
  std::vector<std::size_t> first_input_;  // of every cell
  std::vector<double> weights_;
};

}  // namespace boardlab::ntuple
