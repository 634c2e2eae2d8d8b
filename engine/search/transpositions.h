// A transposition table that grows to its bound. A bucket has two entries: one for the deepest search, one for the
// latest.
#pragma once

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <stdexcept>

namespace boardlab {

// Entry: trivially copyable, zero means empty, has `uint64_t key` (the state's hash) first, `int16_t depth`, `uint8_t
// age`. 64 bits decide whether two states are the same: about one wrong answer in 10^12 for a million entries.
//
// Threads may share the table after `share`. An entry is read and written word by word, without a lock; its `uint32_t
// check` tells a mix of two entries (Hyatt and Mann 2002).
template <class Entry>
class Transpositions {
 public:
  // Starts small: a short search stays in the near caches, and a new game need not clear a large table.
  explicit Transpositions(std::size_t bytes) : most_(std::bit_floor(std::max<std::size_t>(bytes / sizeof(Entry), 2))) {
    if (!resize(std::min(most_, FIRST))) throw std::invalid_argument("there is no memory for a transposition table");
  }

  // From now on threads may use it at the same time. It no longer grows by itself.
  void share()
    requires requires(Entry e) { e.check; }
  {
    is_shared_ = true;
  }
  // Makes room for that many entries, as far as the bound and the memory go; no other thread may use it meanwhile.
  void reserve(std::size_t entries) {
    const std::size_t wanted = std::min(most_, std::bit_ceil(std::min(most_, entries)));
    if (wanted > slots_) grow_to(wanted);
  }

  // Whether the table has the key; fills in the entry.
  bool find(std::uint64_t key, Entry &out) const {
    const Words *bucket = place(key);
    for (int i = 0; i < 2; ++i) {
      if (key == 0 || key_of(bucket[i]) != key) continue;
      out = read(bucket[i]);
      if (out.key == key && is_whole(out)) return true;
    }
    return false;
  }
  void prefetch(std::uint64_t key) const { __builtin_prefetch(place(key)); }
  void store(Entry fresh) {
    fresh.age = age_;
    if constexpr (CHECKED)
      if (is_shared_) fresh.check = check_of(fresh);
    if (put(fresh) && !is_shared_ && 2 * ++used_ > slots_) grow();
  }
  // Begins the next decision. Entries of earlier ones stay, but are the first to be replaced.
  void grow_older() { ++age_; }
  void clear() {
    if (slots_ <= FIRST || !resize(std::min(most_, FIRST)))
      std::memset(static_cast<void *>(entries_), 0, slots_ * sizeof(Entry));
    age_ = 0;
    used_ = 0;
  }

 private:
  static constexpr std::size_t FIRST = 1 << 14;
  static constexpr std::size_t LINE = 64;  // of the cache; a bucket must lie within one
  static constexpr std::size_t WORDS = sizeof(Entry) / sizeof(std::uint64_t);
  static constexpr bool CHECKED = requires(Entry e) { e.check; };
  static_assert(sizeof(Entry) % sizeof(std::uint64_t) == 0);

  struct Words {
    std::uint64_t at[WORDS];
  };
  struct Free {
    void operator()(void *p) const { std::free(p); }
  };
  using Memory = std::unique_ptr<void, Free>;

  static std::atomic_ref<std::uint64_t> word(const std::uint64_t &at) {
    return std::atomic_ref<std::uint64_t>(const_cast<std::uint64_t &>(at));  // an atomic_ref of const comes with C++26
  }
  static std::uint64_t key_of(const Words &entry) { return word(entry.at[0]).load(std::memory_order_relaxed); }
  static Entry read(const Words &from) {
    Words copy;
    for (std::size_t i = 0; i < WORDS; ++i) copy.at[i] = word(from.at[i]).load(std::memory_order_relaxed);
    return std::bit_cast<Entry>(copy);
  }
  static void write(Words &to, const Entry &entry) {
    const auto copy = std::bit_cast<Words>(entry);
    for (std::size_t i = 0; i < WORDS; ++i) word(to.at[i]).store(copy.at[i], std::memory_order_relaxed);
  }
  static std::uint32_t check_of(Entry entry) {
    entry.check = 0;
    const auto words = std::bit_cast<Words>(entry);
    std::uint64_t mixed = 0;
    for (const std::uint64_t w : words.at) mixed = (mixed ^ w) * 0x9E3779B97F4A7C15ull;
    return static_cast<std::uint32_t>(mixed >> 32);
  }
  bool is_whole(const Entry &entry) const {
    if constexpr (CHECKED) return !is_shared_ || entry.check == check_of(entry);
    return true;
  }

  Words *place(std::uint64_t key) const { return &entries_[key & (slots_ - 1) & ~std::size_t{1}]; }

  // Returns true if it filled an empty entry.
  bool put(const Entry &fresh) {
    Words *bucket = place(fresh.key);
    const std::uint64_t deep_key = key_of(bucket[0]), late_key = key_of(bucket[1]);
    if (deep_key == fresh.key || late_key == fresh.key) {
      write(bucket[deep_key == fresh.key ? 0 : 1], fresh);
      return false;
    }
    if (deep_key != 0) {
      const Entry deep = read(bucket[0]);
      // Entries of earlier decisions give way, however deep.
      if (deep.age == age_ && deep.depth > fresh.depth) {
        write(bucket[1], fresh);
        return late_key == 0;
      }
      write(bucket[1], deep);
    }
    write(bucket[0], fresh);
    return deep_key == 0 || late_key == 0;
  }
  void grow() {
    used_ = 0;  // count again: if there is no memory to grow, try again after as many entries
    if (slots_ < most_) grow_to(std::min(most_, 4 * slots_));
  }
  void grow_to(std::size_t slots) {
    const std::size_t before = slots_;
    const Words *old = entries_;
    Memory kept = std::move(memory_);
    if (!resize(slots)) {
      memory_ = std::move(kept);
      return;
    }
    for (std::size_t i = 0; i < before; ++i)
      if (old[i].at[0] != 0) used_ += put(std::bit_cast<Entry>(old[i]));
  }
  bool resize(std::size_t slots) {
    void *fresh = std::calloc(slots * sizeof(Entry) + LINE, 1);
    if (!fresh) return false;
    memory_.reset(fresh);
    std::size_t space = slots * sizeof(Entry) + LINE;
    entries_ = static_cast<Words *>(std::align(LINE, slots * sizeof(Entry), fresh, space));
    slots_ = slots;
    return true;
  }

  std::size_t most_, slots_ = 0, used_ = 0;
  Memory memory_;
  Words *entries_ = nullptr;
  std::uint8_t age_ = 0;
  bool is_shared_ = false;
};

}  // namespace boardlab
