// A transposition table that grows to its bound. A bucket has two entries: one for the deepest search, one for the
// latest.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <stdexcept>

namespace boardlab {

// Entry: trivially copyable, zero means empty, has `uint64_t key` (the state's hash), `int16_t depth`, `uint8_t age`.
// 64 bits decide whether two states are the same: about one wrong answer in 10^12 for a million entries.
template <class Entry>
class Transpositions {
 public:
  // Starts small: a short search stays in the near caches, and a new game need not clear a large table.
  explicit Transpositions(std::size_t bytes) : most_(std::bit_floor(std::max<std::size_t>(bytes / sizeof(Entry), 2))) {
    if (!resize(std::min(most_, FIRST))) throw std::invalid_argument("there is no memory for a transposition table");
  }

  Entry *find(std::uint64_t key) {
    Entry *entry = place(key);
    for (int i = 0; i < 2; ++i)
      if (entry[i].key == key && key != 0) return entry + i;
    return nullptr;
  }
  void prefetch(std::uint64_t key) { __builtin_prefetch(place(key)); }
  void store(Entry fresh) {
    fresh.age = age_;
    if (put(fresh) && 2 * ++used_ > slots_) grow();
  }
  // Begins the next decision. Entries of earlier ones stay, but are the first to be replaced.
  void grow_older() { ++age_; }
  void clear() {
    if (slots_ <= FIRST || !resize(std::min(most_, FIRST))) std::fill_n(entries_, slots_, Entry{});
    age_ = 0;
    used_ = 0;
  }

 private:
  static constexpr std::size_t FIRST = 1 << 14;

  static constexpr std::size_t LINE = 64;  // of the cache; a bucket must lie within one

  struct Free {
    void operator()(void *p) const { std::free(p); }
  };
  using Memory = std::unique_ptr<void, Free>;
  Entry *place(std::uint64_t key) { return &entries_[key & (slots_ - 1) & ~std::size_t{1}]; }

  // Returns true if it filled an empty entry.
  bool put(const Entry &fresh) {
    Entry *entry = place(fresh.key);
    if (entry[0].key == fresh.key || entry[1].key == fresh.key) {
      entry[entry[0].key == fresh.key ? 0 : 1] = fresh;
      return false;
    }
    // Entries of earlier decisions give way, however deep.
    if (entry[0].key != 0 && entry[0].age == age_ && entry[0].depth > fresh.depth) {
      const bool was_empty = entry[1].key == 0;
      entry[1] = fresh;
      return was_empty;
    }
    const bool was_empty = entry[0].key == 0 || entry[1].key == 0;
    if (entry[0].key != 0) entry[1] = entry[0];
    entry[0] = fresh;
    return was_empty;
  }
  void grow() {
    used_ = 0;  // count again: if there is no memory to grow, try again after as many entries
    if (slots_ >= most_) return;
    const std::size_t before = slots_;
    const Entry *old = entries_;
    Memory kept = std::move(memory_);
    if (!resize(std::min(most_, 4 * before))) {
      memory_ = std::move(kept);
      return;
    }
    for (std::size_t i = 0; i < before; ++i)
      if (old[i].key != 0) used_ += put(old[i]);
  }
  bool resize(std::size_t slots) {
    void *fresh = std::calloc(slots * sizeof(Entry) + LINE, 1);
    if (!fresh) return false;
    memory_.reset(fresh);
    std::size_t space = slots * sizeof(Entry) + LINE;
    entries_ = static_cast<Entry *>(std::align(LINE, slots * sizeof(Entry), fresh, space));
    slots_ = slots;
    return true;
  }

  std::size_t most_, slots_ = 0, used_ = 0;
  Memory memory_;
  Entry *entries_ = nullptr;
  std::uint8_t age_ = 0;
};

}  // namespace boardlab
