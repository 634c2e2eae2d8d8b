// A set of 64-bit hashes with open addressing, at most half full. Positions with equal hashes count as one: a chance
// below one in a million for ten million positions.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace boardlab {

class HashSet {
 public:
  // Returns false if it is already there.
  bool insert(std::uint64_t key) {
    key += key == 0;
    if (2 * ++count_ > slots_.size()) grow();
    std::uint64_t &slot = slots_[place(key)];
    if (slot == key) {
      --count_;
      return false;
    }
    slot = key;
    return true;
  }
  bool contains(std::uint64_t key) const {
    key += key == 0;
    return slots_[place(key)] == key;
  }
  // Empties the set but keeps its memory.
  void clear() {
    if (count_ > 0) std::fill(slots_.begin(), slots_.end(), 0);
    count_ = 0;
  }

 private:
  std::size_t place(std::uint64_t key) const {
    const std::size_t mask = slots_.size() - 1;
    std::size_t at = key & mask;
    while (slots_[at] && slots_[at] != key) at = (at + 1) & mask;
    return at;
  }
  void grow() {
    std::vector<std::uint64_t> old(slots_.size() * 2);
    old.swap(slots_);
    for (const std::uint64_t key : old)
      if (key) slots_[place(key)] = key;
  }

  std::vector<std::uint64_t> slots_ = std::vector<std::uint64_t>(1024);
  std::size_t count_ = 0;
};

}  // namespace boardlab
