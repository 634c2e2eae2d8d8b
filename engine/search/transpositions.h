// A transposition table of fixed size: two entries a place, one for what was searched deepest, one for the latest.
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
      : slots_(std::bit_floor(std::max<std::size_t>(bytes / sizeof(Entry), 2))),
        // calloc: pages that are never touched cost nothing, so a small search may own a large table.
        entries_(static_cast<Entry *>(std::calloc(slots_, sizeof(Entry)))) {
    if (!entries_)
      throw std::invalid_argument("there is no memory for a transposition table of " +
                                  std::to_string(slots_ * sizeof(Entry) >> 20) + " MiB; make table_mb smaller");
  }

  Entry *find(std::uint64_t key) {
    Entry *entry = place(key);
    for (int i = 0; i < 2; ++i)
      if (entry[i].key == key && key != 0) return entry + i;
    return nullptr;
  }
  void store(const Entry &fresh) {
    Entry *entry = place(fresh.key);
    // What was found for an earlier decision gives way, however deep.
    const bool first =
        entry[0].key == fresh.key || entry[0].key == 0 || entry[0].age != age_ || fresh.depth >= entry[0].depth;
    if (first && entry[0].key != fresh.key && entry[0].age == age_ && entry[0].key != 0) entry[1] = entry[0];
    Entry &chosen = entry[first ? 0 : 1];
    chosen = fresh;
    chosen.age = age_;
    if (first && entry[1].key == fresh.key) entry[1].key = 0;
  }
  // The next decision begins: entries of the earlier ones stay, but are the first to be replaced.
  void grow_older() { ++age_; }
  void clear() {
    // Fresh pages cost less than wiping used ones; where there is no room for both, wiping cannot fail.
    if (auto *fresh = static_cast<Entry *>(std::calloc(slots_, sizeof(Entry))))
      entries_.reset(fresh);
    else
      std::fill_n(entries_.get(), slots_, Entry{});
    age_ = 0;
  }

 private:
  struct Free {
    void operator()(Entry *p) const { std::free(p); }
  };
  Entry *place(std::uint64_t key) { return &entries_[key & (slots_ - 1) & ~std::size_t{1}]; }

  std::size_t slots_;
  std::unique_ptr<Entry[], Free> entries_;
  std::uint8_t age_ = 0;
};

}  // namespace boardlab
