#include "ntuple/replay.h"

#include <algorithm>
#include <stdexcept>

namespace boardlab::ntuple {

Replay::Replay(const Network &network, std::size_t capacity)
    : indices(capacity * 2 * static_cast<std::size_t>(network.padded_slots())),
      facts(capacity * 4),
      place(2),
      capacity_(capacity),
      width_(static_cast<std::size_t>(network.padded_slots())),
      sets_(network.entries() / network.set_size()),
      set_size_(network.set_size()) {}

void Replay::add(const std::uint32_t *from, std::uint64_t set, double reward, const std::uint32_t *next,
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
}

Replay::Step Replay::at(std::size_t i) const {
  const double *fact = facts.data() + 4 * i;
  const std::uint32_t *from = indices.data() + 2 * i * width_;
  return {from,    from + width_, static_cast<std::uint64_t>(fact[0]), static_cast<std::uint64_t>(fact[1]),
          fact[2], fact[3] != 0};
}

void Replay::check() const {
  const auto capacity = static_cast<std::int64_t>(capacity_);
  const auto sets = static_cast<double>(sets_);
  bool good = place[0] >= 0 && place[0] <= capacity && place[1] >= 0 && place[1] < capacity;
  for (std::size_t i = 0; i < 4 * capacity_; i += 4)
    for (std::size_t j = i; j < i + 2; ++j) good = good && facts[j] >= 0 && facts[j] < sets;
  for (const std::uint32_t index : indices) good = good && index < set_size_;
  if (!good) throw std::invalid_argument("the replay buffer does not fit its network");
}

}  // namespace boardlab::ntuple
