#include "tabular/q_table.h"

#include <algorithm>
#include <new>
#include <stdexcept>
#include <string>

namespace boardlab::tabular {

QTable::QTable(GamePtr game, int outcome, std::uint64_t bytes, bool by_cells)
    : game_(std::move(game)), outcome_(outcome), by_cells_(by_cells) {
  if (by_cells && game_->cells() == 0)
    throw std::invalid_argument("a table for a game with rounds needs a board vector, which " + game_->name() +
                                " does not have");
  const Range range = game_->outcome_range(outcome);
  // Every round pays, whatever the range of the whole game.
  loose_ = range.loose || !(range.max > range.min) || by_cells;
  low_ = range.min;
  width_ = range.max - range.min;
  const std::uint64_t slots = std::max<std::uint64_t>(bytes / (sizeof(std::uint64_t) + sizeof(double)), 16);
  try {
    keys.resize(slots);
    values.resize(slots);
  } catch (const std::exception &) {
    throw std::invalid_argument("there is no memory for a table of " + std::to_string(bytes >> 20) + " MiB");
  }
  most_ = slots - slots / 8;  // a nearly full table is slow
}

std::uint64_t QTable::key(const void *state, std::vector<std::uint8_t> &cells) const {
  const int player = game_->player(state);
  StateBuffer seen;
  if (game_->is_hidden()) {  // two states that the player cannot tell apart are one
    seen = StateBuffer(*game_);
    game_->copy(seen.data(), state);
    game_->conceal(seen.data(), player);
    state = seen.data();
  }
  if (!by_cells_) return game_->hash(state);
  cells.resize(static_cast<std::size_t>(game_->cells()));
  game_->board_vector(state, player, cells.data());
  std::uint64_t key = static_cast<std::uint64_t>(player);
  for (const std::uint8_t cell : cells) key = derive_seed(key, cell);
  return key;
}

std::size_t QTable::slot(std::uint64_t pair) const {
  const auto slots = keys.size();
  auto at = static_cast<std::size_t>(static_cast<unsigned __int128>(pair) * slots >> 64);
  while (keys[at] != 0 && keys[at] != pair) at = at + 1 == slots ? 0 : at + 1;
  return at;
}

const double *QTable::find(std::uint64_t pair) const {
  const std::size_t at = slot(pair);
  return keys[at] ? &values[at] : nullptr;
}

double &QTable::at(std::uint64_t pair) {
  const std::size_t at = slot(pair);
  if (!keys[at]) {
    if (count_ >= most_) throw std::logic_error("the table is full");
    keys[at] = pair;
    values[at] = 0;
    ++count_;
  }
  return values[at];
}

void QTable::recount() {
  const auto used = keys.size() - static_cast<std::uint64_t>(std::count(keys.begin(), keys.end(), std::uint64_t{0}));
  if (used > most_) throw std::invalid_argument("the table has more pairs than its limit");
  count_ = used;
}

}  // namespace boardlab::tabular
