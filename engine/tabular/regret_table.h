// Regrets and average strategies of information sets, in a table that grows as sets are met.
#pragma once

#include <atomic>
#include <cstdint>
#include <span>
#include <vector>

#include "core/game.h"
#include "core/spin_lock.h"
#include "tabular/q_table.h"

namespace boardlab::tabular {

// Numbers that several threads read and write without locks: an update may be lost, but no number is torn.
inline double shared_read(const double &x) {
  return std::atomic_ref<double>(const_cast<double &>(x)).load(std::memory_order_relaxed);
}
inline void shared_write(double &x, double value) {
  std::atomic_ref<double>(x).store(value, std::memory_order_relaxed);
}

// A set has a number, 0, 1, ... in the order in which the sets were met, and a row of legal actions.
class RegretTable {
 public:
  static constexpr std::size_t NONE = SIZE_MAX;

  // Grows to `most_bytes`; then enter() throws TableFull.
  explicit RegretTable(std::uint64_t most_bytes) : most_bytes_(most_bytes), index_(1024, 0) {}

  std::size_t sets() const { return keys.size(); }
  std::size_t find(std::uint64_t key) const { return slot_of(key).first; }
  // The set of that key, a new one with these legal actions if there is none. While the table is shared: NONE if there
  // is no room for a new one.
  std::size_t enter(std::uint64_t key, std::span<const Action> legal);
  // The set's row in `actions`, `regrets` and `sums`.
  std::size_t first(std::size_t set) const { return firsts_[set]; }
  std::size_t count(std::size_t set) const { return static_cast<std::size_t>(counts[set]); }

  // Regret matching: in proportion to the positive regrets, uniform where there are none.
  void match(std::size_t set, double *out) const;
  // The average strategy, uniform where nothing was added up.
  void average(std::size_t set, double *out) const;

  static std::uint64_t bytes_for(std::uint64_t sets, std::uint64_t actions);
  std::uint64_t bytes() const { return bytes_for(sets(), actions.size()); }

  // Several threads may use the table between these calls: its arrays do not move.
  void begin_sharing();
  void end_sharing() { is_shared_ = false; }

  // Builds the index after the arrays were filled from outside; throws std::invalid_argument where they do not fit each
  // other.
  void rebuild();

  std::vector<std::uint64_t> keys;    // [sets]
  std::vector<std::int32_t> counts;   // [sets]
  std::vector<std::int32_t> actions;  // [rows]
  std::vector<double> regrets, sums;  // [rows]

 private:
  // The set or NONE, and the place of the key in the index.
  std::pair<std::size_t, std::size_t> slot_of(std::uint64_t key) const;
  void grow_index(std::size_t slots);
  std::size_t add(std::uint64_t key, std::span<const Action> legal, std::size_t slot);

  std::uint64_t most_bytes_;
  std::vector<std::uint64_t> firsts_;  // [sets]
  std::vector<std::uint32_t> index_;   // open addressing: 1 + the set, 0: free
  SpinLock lock_;
  bool is_shared_ = false;
};

using RegretTablePtr = std::shared_ptr<RegretTable>;

}  // namespace boardlab::tabular
