#include "ntuple/replay.h"

#include <algorithm>
#include <stdexcept>

namespace boardlab::ntuple {

namespace {

std::size_t width_of_actions(const Network &network) {
  return 1 + static_cast<std::size_t>(network.game().max_legal()) * network.design().symmetries.size();
}

}  // namespace

Replay::Replay(const Network &network, std::size_t capacity, bool keeps_actions)
    : indices(capacity * 2 * static_cast<std::size_t>(network.padded_slots())),
      facts(capacity * 4),
      actions(keeps_actions ? capacity * width_of_actions(network) : 0),
      place(2),
      capacity_(capacity),
      width_(static_cast<std::size_t>(network.padded_slots())),
      boards_(network.design().symmetries.size()),
      actions_width_(keeps_actions ? width_of_actions(network) : 0),
      set_size_(network.set_size()),
      reach_(network.design().per_action ? network.entries() : set_size_),
      most_actions_(static_cast<std::uint32_t>(network.game().max_legal())),
      action_count_(static_cast<std::uint32_t>(network.game().action_count())),
      sets_(network.design().per_action ? 1 : static_cast<double>(network.entries() / set_size_)),
      next_sets_(keeps_actions ? static_cast<double>(network.first_set(1)) : sets_) {}

std::uint32_t *Replay::add(const std::uint32_t *from, std::uint64_t set, double reward, const std::uint32_t *next,
                           std::uint64_t next_set) {
  const auto i = static_cast<std::size_t>(place[1]);
  std::copy_n(from, width_, indices.begin() + static_cast<std::ptrdiff_t>(2 * i * width_));
  const auto after = indices.begin() + static_cast<std::ptrdiff_t>((2 * i + 1) * width_);
  if (next)
    std::copy_n(next, width_, after);
  else
    std::fill_n(after, width_, 0);
  double *fact = facts.data() + 4 * i;
  fact[0] = static_cast<double>(set);
  fact[1] = next ? static_cast<double>(next_set) : 0;
  fact[2] = reward;
  fact[3] = !next;
  place[0] = std::min<std::int64_t>(place[0] + 1, static_cast<std::int64_t>(capacity_));
  place[1] = static_cast<std::int64_t>((i + 1) % capacity_);
  if (actions.empty()) return nullptr;
  const auto room = actions.begin() + static_cast<std::ptrdiff_t>(i * actions_width_);
  std::fill_n(room, actions_width_, 0);
  return &*room;
}

Replay::Step Replay::at(std::size_t i) const {
  const double *fact = facts.data() + 4 * i;
  const std::uint32_t *from = indices.data() + 2 * i * width_;
  return {from,
          from + width_,
          static_cast<std::uint64_t>(fact[0]),
          static_cast<std::uint64_t>(fact[1]),
          fact[2],
          fact[3] != 0,
          actions.empty() ? nullptr : actions.data() + i * actions_width_};
}

void Replay::check() const {
  const auto capacity = static_cast<std::int64_t>(capacity_);
  bool good = place[0] >= 0 && place[0] <= capacity && place[1] >= 0 && place[1] < capacity;
  for (std::size_t i = 0; i < 4 * capacity_; i += 4)
    good = good && facts[i] >= 0 && facts[i] < sets_ && facts[i + 1] >= 0 && facts[i + 1] < next_sets_;
  for (std::size_t i = 0; i < 2 * capacity_ * width_; ++i) {
    // The next state of Q-learning has indices within a set.
    const bool is_relative = !actions.empty() && i / width_ % 2 == 1;
    good = good && indices[i] < (is_relative ? set_size_ : reach_);
  }
  for (std::size_t i = 0; i < actions.size(); ++i)
    good = good && actions[i] < (i % actions_width_ == 0 ? most_actions_ + 1 : action_count_);
  // A step that has a next state has actions there.
  for (std::size_t i = 0; good && actions_width_ > 0 && i < size(); ++i)
    good = facts[4 * i + 3] != 0 || actions[i * actions_width_] > 0;
  if (!good) throw std::invalid_argument("the replay buffer does not fit its network");
}

}  // namespace boardlab::ntuple
