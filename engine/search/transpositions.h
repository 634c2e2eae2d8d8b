// A transposition table of fixed size: one entry a slot, a deeper search replaces a shallower one.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <stdexcept>
#include <string>

namespace boardlab {

// Entry: trivially copyable, zero means empty, has `uint64_t key` (the state's hash), `int16_t depth`, `uint8_t age`.
// 64 bits decide whether two states are the same: about one wrong answer in 10^12 for a million entries.
template <class Entry>
class Transpositions {
 public:
  explicit Transpositions(std::size_t bytes)
      : slots_(std::bit_floor(std::max<std::size_t>(bytes / sizeof(Entry), 1))),
        // calloc: pages that are never touched cost nothing, so a small search may own a large table.
        entries_(static_cast<Entry *>(std::calloc(slots_, sizeof(Entry)))) {
    if (!entries_)
      throw std::invalid_argument("there is no memory for a transposition table of " +
                                  std::to_string(slots_ * sizeof(Entry) >> 20) + " MiB; make table_mb smaller");
  }

  Entry *find(std::uint64_t key) {
    Entry *entry = &entries_[key & (slots_ - 1)];
    return entry->key == key && key != 0 ? entry : nullptr;
  }
  void store(const Entry &fresh) {
    Entry &entry = entries_[fresh.key & (slots_ - 1)];
    if (entry.key == 0 || entry.key == fresh.key || fresh.depth >= entry.depth || ++entry.age > 3) {
      entry = fresh;
      entry.age = 0;
    }
  }
  void clear() {
    // Fresh pages cost less than wiping used ones; where there is no room for both, wiping cannot fail.
    if (auto *fresh = static_cast<Entry *>(std::calloc(slots_, sizeof(Entry))))
      entries_.reset(fresh);
    else
      std::fill_n(entries_.get(), slots_, Entry{});
  }

 private:
  struct Free {
    void operator()(Entry *p) const { std::free(p); }
  };
  std::size_t slots_;
  std::unique_ptr<Entry[], Free> entries_;
};

}  // namespace boardlab
