#include "ntuple/pairs.h"

#include <stdexcept>

namespace boardlab::ntuple {

Pairs::Pairs(const Network &network)
    : network_(network),
      game_(network.game()),
      tuples_(network.design().tuples.size()),
      boards_(network.design().symmetries.size()),
      sight_(network.make_sight()),
      relative_(static_cast<std::size_t>(network.padded_slots())),
      absolute_(relative_.size()),
      on_boards_(boards_) {
  if (!network.design().per_action) throw std::logic_error("pairs need tables for every action");
}

void Pairs::set_state(const void *state, int player) {
  if (game_.is_hidden()) {
    if (seen_.empty()) seen_ = StateBuffer(game_);
    game_.copy(seen_.data(), state);
    game_.conceal(seen_.data(), player);
    state = seen_.data();
  }
  state_ = state;
  set_ = network_.set_of(state, player);
  network_.look(state, player, sight_);
  network_.encode(sight_, state, player, relative_.data());
}

void Pairs::on_boards(Action action, std::uint32_t *actions) const {
  for (std::size_t board = 0; board < boards_; ++board) {
    const std::uint64_t g = network_.design().symmetries[board];
    actions[board] = static_cast<std::uint32_t>(g == 0 ? action : game_.symmetry_action(g, state_, action));
  }
}

void Pairs::place(const std::uint32_t *relative, std::uint64_t set, const std::uint32_t *actions,
                  std::uint32_t *indices) const {
  const auto offset = [&](std::uint32_t action) {
    return static_cast<std::uint32_t>((network_.first_set(static_cast<Action>(action)) + set) * network_.set_size());
  };
  const auto slots = static_cast<std::size_t>(network_.slots());
  std::size_t slot = 0;
  for (std::size_t board = 0; board < boards_; ++board) {
    const std::uint32_t from = offset(actions[board]);
    for (std::size_t t = 0; t < tuples_; ++t, ++slot) indices[slot] = relative[slot] + from;
  }
  for (; slot < slots; ++slot) indices[slot] = relative[slot] + offset(actions[0]);  // the game's extra features
}

void Pairs::encode(Action action, std::uint32_t *indices) const {
  on_boards(action, on_boards_.data());
  place(relative_.data(), set_, on_boards_.data(), indices);
}

float Pairs::sum(Action action) {
  encode(action, absolute_.data());
  return network_.sum(0, absolute_.data());
}

float Pairs::sum(const std::uint32_t *relative, std::uint64_t set, const std::uint32_t *actions) {
  place(relative, set, actions, absolute_.data());
  return network_.sum(0, absolute_.data());
}

}  // namespace boardlab::ntuple
