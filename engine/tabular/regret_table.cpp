#include "tabular/regret_table.h"

#include <algorithm>
#include <mutex>
#include <stdexcept>
#include <string>

namespace boardlab::tabular {

namespace {

constexpr std::size_t LEAST_ROOM = 1 << 14;  // for new sets while the table is shared

[[noreturn]] void refuse_more(std::size_t sets) {
  throw TableFull("the table of " + std::to_string(sets) +
                  " information sets is full; start a new run with a larger memory_gb, or with fewer buckets");
}

void proportional(const double *weights, std::size_t n, bool positive, double *out) {
  double sum = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const double weight = shared_read(weights[i]);
    out[i] = positive ? std::max(weight, 0.0) : weight;
    sum += out[i];
  }
  if (sum > 0)
    for (std::size_t i = 0; i < n; ++i) out[i] /= sum;
  else
    std::fill(out, out + n, 1.0 / static_cast<double>(n));
}

}  // namespace

std::uint64_t RegretTable::bytes_for(std::uint64_t sets, std::uint64_t actions) {
  constexpr std::uint64_t SET = sizeof(std::uint64_t) * 2 + sizeof(std::int32_t) + 3 * sizeof(std::uint32_t);
  return sets * SET + actions * (sizeof(std::int32_t) + 2 * sizeof(double));
}

std::pair<std::size_t, std::size_t> RegretTable::slot_of(std::uint64_t key) const {
  const std::size_t mask = index_.size() - 1;
  for (std::size_t at = key & mask;; at = (at + 1) & mask) {
    const std::uint32_t set =
        std::atomic_ref<std::uint32_t>(const_cast<std::uint32_t &>(index_[at])).load(std::memory_order_acquire);
    if (!set) return {NONE, at};
    if (keys[set - 1] == key) return {set - 1, at};
  }
}

void RegretTable::grow_index(std::size_t slots) {
  index_.assign(slots, 0);
  for (std::size_t i = 0; i < keys.size(); ++i) index_[slot_of(keys[i]).second] = static_cast<std::uint32_t>(i + 1);
}

std::size_t RegretTable::enter(std::uint64_t key, std::span<const Action> legal) {
  auto [set, slot] = slot_of(key);
  if (set == NONE) {
    if (is_shared_) {
      const std::lock_guard guard(lock_);
      std::tie(set, slot) = slot_of(key);  // another thread may have added it meanwhile
      if (set == NONE && (sets() == keys.capacity() || actions.size() + legal.size() > actions.capacity())) return NONE;
      if (set == NONE) return add(key, legal, slot);
    } else {
      if (2 * (sets() + 1) > index_.size()) {
        grow_index(2 * index_.size());
        slot = slot_of(key).second;
      }
      if (bytes_for(sets() + 1, actions.size() + legal.size()) > most_bytes_) refuse_more(sets());
      return add(key, legal, slot);
    }
  }
  if (count(set) != legal.size())
    throw BrokenRules("two positions that a player cannot tell apart have different legal actions");
  return set;
}

std::size_t RegretTable::add(std::uint64_t key, std::span<const Action> legal, std::size_t slot) {
  firsts_.push_back(actions.size());
  keys.push_back(key);
  counts.push_back(static_cast<std::int32_t>(legal.size()));
  actions.insert(actions.end(), legal.begin(), legal.end());
  regrets.resize(actions.size());
  sums.resize(actions.size());
  std::atomic_ref<std::uint32_t>(index_[slot])
      .store(static_cast<std::uint32_t>(keys.size()), std::memory_order_release);
  return keys.size() - 1;
}

void RegretTable::match(std::size_t set, double *out) const {
  proportional(&regrets[first(set)], count(set), true, out);
}

void RegretTable::average(std::size_t set, double *out) const {
  proportional(&sums[first(set)], count(set), false, out);
}

void RegretTable::begin_sharing() {
  const std::size_t more = std::max(LEAST_ROOM, sets() / 4), width = sets() ? actions.size() / sets() + 1 : 4;
  if (bytes() > most_bytes_) refuse_more(sets());
  const auto reserve = [](auto &array, std::size_t n) {
    if (array.capacity() < n) array.reserve(n + n / 2);
  };
  reserve(keys, sets() + more);
  reserve(counts, keys.capacity());
  reserve(firsts_, keys.capacity());
  reserve(actions, actions.size() + more * width);
  reserve(regrets, actions.capacity());
  reserve(sums, actions.capacity());
  std::size_t slots = index_.size();
  while (slots < 2 * keys.capacity()) slots *= 2;
  if (slots > index_.size()) grow_index(slots);
  is_shared_ = true;
}

void RegretTable::rebuild() {
  const auto refuse = [](const char *why) { throw std::invalid_argument(why); };
  if (counts.size() != keys.size() || regrets.size() != actions.size() || sums.size() != actions.size())
    refuse("the arrays of the table have different lengths");
  if (keys.size() >= UINT32_MAX) refuse("the table has too many information sets");
  firsts_.clear();
  std::uint64_t total = 0;
  for (const std::int32_t n : counts) {
    if (n < 1) refuse("an information set has no action");
    firsts_.push_back(total);
    total += static_cast<std::uint64_t>(n);
  }
  if (total != actions.size()) refuse("the information sets have another number of actions than the table");
  std::size_t slots = 1024;
  while (slots < 2 * (keys.size() + 1)) slots *= 2;
  index_.assign(slots, 0);
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const auto [set, slot] = slot_of(keys[i]);
    if (set != NONE || keys[i] == 0) refuse("two information sets have one key");
    index_[slot] = static_cast<std::uint32_t>(i + 1);
  }
}

}  // namespace boardlab::tabular
