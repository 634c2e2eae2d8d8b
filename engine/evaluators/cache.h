// A cache of evaluations by position, of bounded size; a newer entry replaces an older one in its place.
#pragma once

#include <cstring>
#include <memory>
#include <span>

#include "core/game.h"
#include "core/memory.h"

namespace boardlab {

class EvaluationCache {
 public:
  EvaluationCache(const Game &game, std::size_t bytes)
      : state_size_(game.state_size()),
        players_(static_cast<std::size_t>(game.players())),
        entry_((sizeof(Head) + state_size_ + 4 * (players_ + static_cast<std::size_t>(game.max_legal())) + 7) / 8 * 8),
        entries_(bytes / entry_),
        memory_(entries_ ? std::make_unique<Memory>(entries_ * entry_) : nullptr) {}

  bool empty() const { return entries_ == 0; }
  void clear() {
    if (!empty()) std::memset(memory_->data(), 0, entries_ * entry_);
  }

  // value[players] and priors, one a legal action, exactly as they were stored. They are 32-bit numbers: an evaluator's
  // values are, and a tree keeps its priors so. What was stored for another number of actions is not found.
  bool find(std::uint64_t hash, const void *state, double *value, std::span<double> priors) const {
    if (empty()) return false;
    const std::byte *entry = place(hash);
    Head head;
    std::memcpy(&head, entry, sizeof head);
    if (head.actions != priors.size() || head.hash != hash || std::memcmp(entry + sizeof head, state, state_size_) != 0)
      return false;
    const std::byte *at = entry + sizeof head + state_size_;
    const auto next = [&at] {
      float number;
      std::memcpy(&number, at, sizeof number);
      at += sizeof number;
      return static_cast<double>(number);
    };
    for (std::size_t p = 0; p < players_; ++p) value[p] = next();
    for (double &prior : priors) prior = next();
    return true;
  }

  void store(std::uint64_t hash, const void *state, const double *value, std::span<const double> priors) {
    if (empty()) return;
    std::byte *entry = place(hash);
    const Head head{hash, priors.size()};
    std::memcpy(entry, &head, sizeof head);
    std::memcpy(entry + sizeof head, state, state_size_);
    std::byte *at = entry + sizeof head + state_size_;
    const auto put = [&at](double number) {
      const auto stored = static_cast<float>(number);
      std::memcpy(at, &stored, sizeof stored);
      at += sizeof stored;
    };
    for (std::size_t p = 0; p < players_; ++p) put(value[p]);
    for (const double prior : priors) put(prior);
  }

 private:
  struct Head {
    std::uint64_t hash, actions;  // 0 actions: a free place
  };

  std::byte *place(std::uint64_t hash) const {
    return static_cast<std::byte *>(memory_->data()) + hash % entries_ * entry_;
  }

  std::size_t state_size_, players_, entry_, entries_;
  std::unique_ptr<Memory> memory_;  // on huge pages: a fresh one is zeroed four times as fast
};

}  // namespace boardlab
