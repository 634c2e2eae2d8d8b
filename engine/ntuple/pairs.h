// Reads the pairs (state, action) of a position with a network that has tables for every action:
//     Q(s, a | p) = sigma( sum over boards b in B(s), tuples t:  table[b(a)][p][t][ index_t(b) ] ),
// where b(a) is what the action becomes on the symmetric board b. The scratch memory belongs to one thread.
#pragma once

#include <cstdint>
#include <vector>

#include "ntuple/network.h"

namespace boardlab::ntuple {

class Pairs {
 public:
  explicit Pairs(const Network &network);

  // Sets the position whose actions are evaluated next, and its player to move. It must stay in place.
  void set_state(const void *state, int player);
  // The entries for the action, one per slot, counted over all tables: to be used with set 0.
  void encode(Action action, std::uint32_t *indices) const;
  // Sum of the weights, before sigma.
  float sum(Action action);

  // The same for a position that was seen before: what `set_state` found, and what the action becomes on each board.
  const std::uint32_t *relative() const { return relative_.data(); }
  std::uint64_t set() const { return set_; }
  std::size_t boards() const { return boards_; }
  void on_boards(Action action, std::uint32_t *actions) const;
  float sum(const std::uint32_t *relative, std::uint64_t set, const std::uint32_t *actions);

 private:
  void place(const std::uint32_t *relative, std::uint64_t set, const std::uint32_t *actions,
             std::uint32_t *indices) const;

  const Network &network_;
  const Game &game_;
  std::size_t tuples_, boards_;
  StateBuffer seen_;  // in games with hidden cards: what the player sees
  const void *state_ = nullptr;
  std::uint64_t set_ = 0;
  Network::Sight sight_;
  std::vector<std::uint32_t> relative_, absolute_;  // indices within a set, and within all sets
  mutable std::vector<std::uint32_t> on_boards_;
};

}  // namespace boardlab::ntuple
