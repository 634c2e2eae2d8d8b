// Nim for two players (normal or misere) and for three (Luckhardt, Beale and Tucker, as GBG plays it).
#include <algorithm>
#include <vector>

#include "core/adapt.h"
#include "core/permutation.h"
#include "games/feature_list.h"
#include "games/registry.h"

namespace boardlab {

namespace {

class Nim {
 public:
  static constexpr int MAX_HEAPS = 12, MAX_SIZE = 255;
  static constexpr int max_legal = MAX_HEAPS * MAX_SIZE;

  struct State {
    std::uint8_t heaps[MAX_HEAPS];
    std::uint8_t to_move;
  };

  Nim(std::vector<int> heaps, int max_take, int players, bool misere, bool extra_rule)
      : heaps_(std::move(heaps)),
        count_(static_cast<int>(heaps_.size())),
        max_take_(max_take),
        players_(players),
        misere_(misere),
        extra_rule_(extra_rule) {
    // Heaps of equal size at the start are interchangeable: one group of heaps per size.
    for (int heap = 0; heap < count_; ++heap) {
      const auto same = std::find_if(groups_.begin(), groups_.end(),
                                     [&](const std::vector<int> &group) { return size(group.front()) == size(heap); });
      if (same == groups_.end())
        groups_.push_back({heap});
      else
        same->push_back(heap);
    }
  }

  Facts facts() const {
    Facts f;
    f.players = players_;
    f.action_count = count_ * max_take_;
    for (const int heap : heaps_) f.horizon += heap;
    f.flags = players_ == 2 ? BL_ZERO_SUM : 0;
    f.min_score = players_ == 2 ? -1 : 0;
    f.field_count = count_ + 1;
    f.cells = count_;
    f.max_changes = 1;
    for (const auto &group : groups_)
      for (std::size_t k = 2; k <= group.size(); ++k) f.symmetries *= k;
    f.plane_count = 1;
    f.plane_rows = 1;
    f.plane_cols = count_;
    f.feature_count = FEATURES;
    return f;
  }

  void initial_state(State &s, Rng &) const {
    for (int heap = 0; heap < count_; ++heap) s.heaps[heap] = static_cast<std::uint8_t>(size(heap));
  }
  int player(const State &s) const { return is_empty(s) ? TERMINAL : s.to_move; }
  int last_player(const State &s) const {
    bool untouched = true;
    for (int heap = 0; heap < count_; ++heap) untouched = untouched && s.heaps[heap] == size(heap);
    return untouched ? CHANCE : (s.to_move + players_ - 1) % players_;
  }
  int legal(const State &s, Action *actions) const {
    int count = 0;
    for (int heap = 0; heap < count_; ++heap)
      for (int take = 1; take <= std::min<int>(s.heaps[heap], max_take_); ++take)
        actions[count++] = heap * max_take_ + take - 1;
    return count;
  }
  Action random_action(const State &s, Rng &rng) const {
    int total = 0;
    for (int heap = 0; heap < count_; ++heap) total += std::min<int>(s.heaps[heap], max_take_);
    int pick = static_cast<int>(rng.below(static_cast<std::uint32_t>(total)));
    for (int heap = 0;; ++heap) {
      const int here = std::min<int>(s.heaps[heap], max_take_);
      if (pick < here) return heap * max_take_ + pick;
      pick -= here;
    }
  }
  void apply(State &s, Action action) const {
    s.heaps[action / max_take_] = static_cast<std::uint8_t>(s.heaps[action / max_take_] - action % max_take_ - 1);
    s.to_move = static_cast<std::uint8_t>((s.to_move + 1) % players_);
  }
  void scores(const State &s, double *out) const {
    std::fill(out, out + players_, 0.0);
    if (!is_empty(s)) return;
    const int after = s.to_move;  // the player after the last taker
    if (players_ == 2) {
      out[after] = misere_ ? 1 : -1;
      out[1 - after] = -out[after];
    } else {
      out[after] = 1;
      if (extra_rule_) out[(after + 1) % 3] = 0.2;
    }
  }

  void to_fields(const State &s, std::int32_t *fields) const {
    for (int heap = 0; heap < count_; ++heap) fields[heap] = s.heaps[heap];
    fields[count_] = s.to_move;
  }
  const char *from_fields(State &s, const std::int32_t *fields) const {
    for (int heap = 0; heap < count_; ++heap) {
      if (fields[heap] < 0 || fields[heap] > size(heap)) return "a heap is negative or larger than it was at the start";
      s.heaps[heap] = static_cast<std::uint8_t>(fields[heap]);
    }
    if (fields[count_] < 0 || fields[count_] >= players_) return "there is no such player to move";
    s.to_move = static_cast<std::uint8_t>(fields[count_]);
    return nullptr;
  }

  int cell_values(int cell) const { return size(cell) + 1; }
  void board_vector(const State &s, int, std::uint8_t *cells) const { std::copy(s.heaps, s.heaps + count_, cells); }
  int adjacency(int cell, std::int32_t *out) const {
    int n = 0;
    for (int heap = 0; heap < count_; ++heap)
      if (heap != cell) out[n++] = heap;
    return n;
  }
  int apply_changes(State &s, Action action, int, bl_cell_change *changes) const {
    const int heap = action / max_take_;
    changes[0] = {heap, s.heaps[heap], 0};
    apply(s, action);
    changes[0].after = s.heaps[heap];
    return 1;
  }

  void symmetry(std::uint64_t g, State &s) const {
    int target[MAX_HEAPS];
    permutation(g, target);
    State moved = s;
    for (int heap = 0; heap < count_; ++heap) moved.heaps[target[heap]] = s.heaps[heap];
    s = moved;
  }
  int symmetry_action(std::uint64_t g, Action a) const {
    int target[MAX_HEAPS];
    permutation(g, target);
    return target[a / max_take_] * max_take_ + a % max_take_;
  }
  int symmetry_cells(std::uint64_t g, std::int32_t *source, std::uint8_t *values) const {
    int target[MAX_HEAPS];
    permutation(g, target);
    for (int heap = 0; heap < count_; ++heap) {
      source[target[heap]] = heap;
      for (int v = 0; v < 256; ++v) values[heap * 256 + v] = static_cast<std::uint8_t>(v);
    }
    return 1;
  }

  void planes(const State &s, int, float *out) const {
    for (int heap = 0; heap < count_; ++heap)
      out[heap] = static_cast<float>(s.heaps[heap]) / static_cast<float>(size(heap));
  }
  // How much is left, in how many heaps, the Nim sum bit by bit, and the last objects one by one.
  static constexpr int BITS = 8, LAST = 6;
  static constexpr int FEATURES = 5 + 3 + BITS + 1 + LAST;
  void features(const State &s, int, double *out) const {
    int total = 0, start = 0, heaps = 0, singles = 0, largest = 0, biggest = 1, nim_sum = 0;
    for (int heap = 0; heap < count_; ++heap) {
      const int left = s.heaps[heap];
      total += left;
      start += size(heap);
      heaps += left > 0;
      singles += left == 1;
      largest = std::max(largest, left);
      biggest = std::max(biggest, size(heap));
      nim_sum ^= left % (max_take_ + 1);
    }
    FeatureList list(out);
    list.share(total, start);
    list.share(heaps, count_);
    list.share(singles, count_);
    list.share(largest, biggest);
    list.flag(singles % 2);
    list.steps(heaps - singles, 3);
    for (int bit = 0; bit < BITS; ++bit) list.flag(nim_sum >> bit & 1);
    list.flag(nim_sum == 0);
    for (int left = 1; left <= LAST; ++left) list.flag(total == left);
  }

 private:
  int size(int heap) const { return heaps_[static_cast<std::size_t>(heap)]; }
  bool is_empty(const State &s) const {
    for (int heap = 0; heap < count_; ++heap)
      if (s.heaps[heap]) return false;
    return true;
  }
  // The g-th exchange of equal heaps, as the target of each heap: one permutation per group.
  void permutation(std::uint64_t g, int *target) const {
    for (const auto &group : groups_) {
      int order[MAX_HEAPS];
      g = permutation_of(g, static_cast<int>(group.size()), order);
      for (std::size_t i = 0; i < group.size(); ++i) target[group[i]] = group[static_cast<std::size_t>(order[i])];
    }
  }

  std::vector<int> heaps_;
  int count_, max_take_, players_;
  bool misere_, extra_rule_;
  std::vector<std::vector<int>> groups_;
};

}  // namespace

bl_game make_nim(const Params &params) {
  std::vector<int> heaps = params.integers("heaps", 1, Nim::MAX_HEAPS, 1, Nim::MAX_SIZE);
  const int max_take = params.integer("max_take", 1, Nim::MAX_SIZE);
  const int players = params.integer("players", 2, 3);
  const bool misere = params.boolean("misere"), extra_rule = params.boolean("extra_rule");
  if (misere && players == 3) params.refuse("misere", "is a rule for two players");
  if (extra_rule && players == 2) params.refuse("extra_rule", "is a rule for three players");
  return make_table(std::make_unique<Nim>(std::move(heaps), max_take, players, misere, extra_rule));
}

}  // namespace boardlab
