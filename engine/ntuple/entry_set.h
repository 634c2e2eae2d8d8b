// A set of entries of a network's tables. Emptying it touches no memory, because learning with replacing traces does so
// after every action.
#pragma once

#include <cstdint>
#include <vector>

namespace boardlab::ntuple {

class EntrySet {
 public:
  // Returns false if it is already there.
  bool insert(std::uint64_t entry) {
    if (2 * ++count_ > slots_.size()) grow();
    Slot &slot = slots_[place(entry)];
    if (slot.round == round_) {
      --count_;
      return false;
    }
    slot = {entry, round_};
    return true;
  }
  void clear() {
    count_ = 0;
    ++round_;
  }

 private:
  struct Slot {
    std::uint64_t entry, round;  // in the set if its round is the present one
  };
  std::size_t place(std::uint64_t entry) const {
    const std::size_t mask = slots_.size() - 1;
    std::size_t at = (entry * 0x9e3779b97f4a7c15u >> 32) & mask;
    while (slots_[at].round == round_ && slots_[at].entry != entry) at = (at + 1) & mask;
    return at;
  }
  void grow() {
    std::vector<Slot> old(slots_.size() * 2);
    old.swap(slots_);
    for (const Slot &slot : old)
      if (slot.round == round_) slots_[place(slot.entry)] = slot;
  }

  std::vector<Slot> slots_ = std::vector<Slot>(1024);
  std::size_t count_ = 0;
  std::uint64_t round_ = 1;
};

}  // namespace boardlab::ntuple
