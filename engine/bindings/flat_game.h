// A game over a declared flat state: functions that Python has compiled, or that call Python, and the checks of what
// they answer.
//
// The functions are addresses with the signatures of boardlab/games/flat/abi.py. They return FAILED for an exception in
// the rules. Their answers are checked, because the engine trusts a table; on a failure or a wrong answer `explain` of
// the Python object asks the uncompiled rules again and raises an error that names function and position.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstring>

#include "bindings/module.h"

namespace boardlab {

inline constexpr std::int32_t FAILED = INT32_MIN;

// Room for a few items on the stack, for more on the heap.
template <class T, std::size_t FEW>
class Scratch {
 public:
  explicit Scratch(std::size_t count) : many_(count > FEW ? count : 0) {}
  T *data() { return many_.empty() ? few_ : many_.data(); }

 private:
  alignas(16) T few_[FEW];
  std::vector<T> many_;
};

// One field of the state: `count` items of `size` bytes; kind is numpy's, i, u, f or b.
struct Field {
  std::string name;
  std::size_t offset, size, count;
  char kind;
  std::size_t words() const { return size == 8 ? 2 : 1; }
};

class FlatGame {
 public:
  FlatGame(const nb::object &rules, const nb::dict &facts);

  bl_game table(const nb::dict &facts);

  static const FlatGame &of(void *self) { return *static_cast<const FlatGame *>(self); }

 private:
  using State = void *;
  using Word = std::uint64_t;

  std::int8_t &mover(void *s) const { return static_cast<std::int8_t *>(s)[mover_at_]; }
  std::int8_t &last(void *s) const { return static_cast<std::int8_t *>(s)[mover_at_ + 1]; }
  std::int8_t mover(const void *s) const { return static_cast<const std::int8_t *>(s)[mover_at_]; }
  std::int8_t last(const void *s) const { return static_cast<const std::int8_t *>(s)[mover_at_ + 1]; }
  bool is_mover(std::int32_t p) const { return p >= BL_TERMINAL && p < players_ && (p != BL_CHANCE || outcomes_ > 0); }

  template <class... Taken, class... Given>
  std::int32_t call(std::int32_t (*function)(Taken...), Given... given) const {
    if (!calls_python_) return function(static_cast<Taken>(given)...);
    const Gil gil;
    return in_python([&] { return function(static_cast<Taken>(given)...); });
  }
  // Raises the Python error about a function that failed or gave a wrong answer in the state `before`.
  template <class... Given>
  [[noreturn]] void fail(const char *function, const void *before, Given... given) const {
    const Gil gil;
    const nb::object state = before ? nb::object(nb::bytes(before, size_)) : nb::none();
    in_python([&] { rules_.attr("explain")(function, state, given...); });
    nb::raise("%s failed, but not when it was asked again", function);
  }
  // The state before a function changes it, for the error message.
  class Before {
   public:
    Before(const FlatGame &game, const void *s) : bytes_(game.size_) {
      // Most states are small, and a call of memcpy would take as long as some actions.
      const auto *from = static_cast<const std::byte *>(s);
      const std::size_t size = game.size_;
      if (size <= 16 || size > 64) {
        std::memcpy(bytes_.data(), from, size);
      } else if (size <= 32) {
        std::memcpy(bytes_.data(), from, 16);
        std::memcpy(bytes_.data() + size - 16, from + size - 16, 16);
      } else {
        std::memcpy(bytes_.data(), from, 32);
        std::memcpy(bytes_.data() + size - 32, from + size - 32, 32);
      }
    }
    std::byte *data() { return bytes_.data(); }

   private:
    Scratch<std::byte, 256> bytes_;
  };

  void start(void *s, std::uint64_t *rng, const char *name, std::int32_t (*function)(State, Word *)) const {
    const std::uint64_t seed = *rng;
    std::memset(s, 0, size_);
    const std::int32_t status = call(function, s, rng);
    const std::int32_t first = status ? FAILED : call(f_.player, s);
    if (!is_mover(first)) fail(name, nullptr, seed);
    mover(s) = static_cast<std::int8_t>(first);
    last(s) = BL_CHANCE;
  }
  int legal(const void *s, std::int32_t *out) const {
    const std::int32_t n = call(f_.legal, const_cast<void *>(s), out);
    if (n < 1 || n > actions_ || !ascends(out, n, actions_, [&] { std::sort(out, out + n); })) fail("legal", s);
    return n;
  }
  // Whether the numbers are in 0 .. below-1, each once; `sort` brings them into order first if necessary.
  template <class Sort>
  static bool ascends(const std::int32_t *out, std::int32_t n, std::int32_t below, const Sort &sort) {
    const auto in_order = [&] {
      bool ascending = out[0] >= 0 && out[n - 1] < below;
      for (std::int32_t i = 1; i < n; ++i) ascending &= out[i - 1] < out[i];
      return ascending;
    };
    return in_order() || (sort(), in_order());
  }
  void settle(void *s, std::int32_t next) const {
    if (mover(s) >= 0) last(s) = mover(s);
    mover(s) = static_cast<std::int8_t>(next);
  }
  void apply(void *s, std::int32_t action) const {
    Before before(*this, s);
    const std::int32_t next = call(f_.apply, s, action);
    if (!is_mover(next)) fail("apply", before.data(), action);
    settle(s, next);
  }
  // Final scores must be within the range that the game declares, because searches scale by it.
  void scores(const void *s, double *out) const {
    bool good = call(f_.scores, const_cast<void *>(s), out) == 0;
    double sum = 0;
    for (int p = 0; p < players_; ++p) {
      good = good && std::isfinite(out[p]);
      sum += out[p];
      if (mover(s) == BL_TERMINAL) good = good && out[p] >= low_ - 1e-9 && out[p] <= high_ + 1e-9;
    }
    if (mover(s) == BL_TERMINAL && is_zero_sum_) good = good && std::abs(sum) <= 1e-9;
    if (!good) fail("scores", s);
  }
  int chance(const void *s, std::int32_t *outcomes, double *p) const {
    const std::int32_t n = call(f_.chance, const_cast<void *>(s), outcomes, p);
    if (n < 1 || n > outcomes_) fail("chance", s);
    const auto sort = [&] {
      std::vector<std::pair<std::int32_t, double>> both;
      for (std::int32_t i = 0; i < n; ++i) both.emplace_back(outcomes[i], p[i]);
      std::sort(both.begin(), both.end());
      for (std::size_t i = 0; i < both.size(); ++i) outcomes[i] = both[i].first, p[i] = both[i].second;
    };
    if (!ascends(outcomes, n, outcomes_, sort) || !sums_to_one(p, n)) fail("chance", s);
    return n;
  }
  static bool sums_to_one(const double *p, std::int32_t n) {
    double sum = 0;
    for (std::int32_t i = 0; i < n; ++i) {
      if (!(p[i] > 0)) return false;
      sum += p[i];
    }
    return std::abs(sum - 1) <= 1e-9;
  }
  int playout(void *s, std::uint64_t *rng, std::int32_t most, std::int32_t cut) const {
    Before before(*this, s);
    const std::uint64_t seed = *rng;
    Scratch<std::int32_t, 256> actions(room_);
    Scratch<double, 256> p(outcomes_ ? room_ : 0);
    std::int32_t who[2] = {mover(s), last(s)};
    const std::int32_t n = call(f_.playout, s, rng, most, cut, actions.data(), p.data(), who);
    if (n < 0 || !is_mover(who[0])) fail("playout", before.data(), seed, most, cut != 0);
    mover(s) = static_cast<std::int8_t>(who[0]);
    last(s) = static_cast<std::int8_t>(who[1]);
    return n;
  }
  // Functions that change a state but not who moves.
  template <class... Taken, class... Given>
  void transform(void *s, const char *name, std::int32_t (*function)(State, Taken...), Given... given) const {
    Before before(*this, s);
    if (call(function, s, given...) != 0 || call(f_.player, s) != mover(s)) fail(name, before.data(), given...);
  }
  void board_vector(const void *s, int player, std::uint8_t *cells) const {
    const std::int32_t status = call(f_.board_vector, const_cast<void *>(s), player, cells);
    std::uint8_t outside = status != 0;
    for (std::size_t i = 0; i < top_.size(); ++i) outside |= cells[i] > top_[i];
    if (outside) fail("board_vector", s, player);
  }
  // Plays an action and lists the cells that it changed, as the rules say or by comparing two board vectors.
  int apply_changes(void *s, std::int32_t action, int player, bl_cell_change *changes) const {
    return f_.apply_changes ? told_changes(s, action, player, changes) : found_changes(s, action, player, changes);
  }
  int told_changes(void *s, std::int32_t action, int player, bl_cell_change *changes) const {
    Before before(*this, s);
    std::int32_t next = FAILED;
    const std::int32_t n = call(f_.apply_changes, s, action, player, changes, &next);
    bool good = is_mover(next) && n >= 0 && n <= static_cast<std::int32_t>(top_.size());
    for (std::int32_t i = 0; good && i < n; ++i) good = is_cell(changes[i]);
    if (!good) fail("apply_changes", before.data(), action, player);
    settle(s, next);
    return n;
  }
  int found_changes(void *s, std::int32_t action, int player, bl_cell_change *changes) const {
    const std::size_t cells = top_.size();
    const Parent &parent = parent_of(s, player);
    const std::uint8_t *before = parent.cells.data();
    Scratch<std::uint8_t, 512> vector((cells + 7) / 8 * 8);
    std::uint8_t *after = vector.data();
    const std::int32_t next = call(f_.apply, s, action);
    if (!is_mover(next)) fail("apply", parent.state.data(), action);
    settle(s, next);
    bool good = call(f_.board_vector, s, player, after) == 0;
    int n = 0;
    for (std::size_t from = 0; from < cells; from += 8) {
      Word a, b;
      std::memcpy(&a, before + from, 8);
      std::memcpy(&b, after + from, 8);
      if (a == b) continue;  // behind the last cell the two may differ
      for (std::size_t c = from; c < std::min(from + 8, cells); ++c)
        if (before[c] != after[c]) {
          changes[n] = {static_cast<std::int32_t>(c), before[c], after[c]};
          good = good && is_cell(changes[n++]);
        }
    }
    if (!good) fail("board_vector", s, player);
    return n;
  }
  // A position and its board vector, kept for all of its actions.
  struct Parent {
    std::uint64_t game = 0;
    int player = -1;
    std::vector<std::byte> state;
    std::vector<std::uint8_t> cells;
  };
  const Parent &parent_of(const void *s, int player) const {
    static thread_local Parent kept;
    if (kept.game == serial_ && kept.player == player && std::memcmp(kept.state.data(), s, size_) == 0) return kept;
    kept.game = 0;  // until it is complete: the rules may fail
    kept.cells.resize((top_.size() + 7) / 8 * 8);
    board_vector(s, player, kept.cells.data());
    const auto *bytes = static_cast<const std::byte *>(s);
    kept.state.assign(bytes, bytes + size_);
    kept.game = serial_;
    kept.player = player;
    return kept;
  }
  bool is_cell(const bl_cell_change &change) const {
    if (change.cell < 0 || static_cast<std::size_t>(change.cell) >= top_.size()) return false;
    const std::uint8_t top = top_[static_cast<std::size_t>(change.cell)];
    return change.before <= top && change.after <= top;
  }
  void doubles(const char *name, const void *s, int n, double *out, std::int32_t status, int given) const {
    bool good = status == 0;
    for (int i = 0; i < n; ++i) good = good && std::isfinite(out[i]);
    if (!good) fail(name, s, given);
  }
  int completions(const void *s, int player, int capacity, void *states, double *p) const {
    Before scratch(*this, s);
    const std::int32_t n = call(f_.completions, static_cast<State>(scratch.data()), player, capacity, states, p);
    if (n > capacity) return -1;
    if (n < 1 || !sums_to_one(p, n)) fail("completions", s, player);
    return n;
  }
  void to_fields(const void *s, std::int32_t *out) const;
  const char *from_fields(void *s, const std::int32_t *fields) const;
  const char *refused_field(void *s, const std::int32_t *&word, const Field &field) const;

  struct Functions {
    std::int32_t (*initial_state)(State, Word *), (*training_start)(State, Word *);
    std::int32_t (*player)(State), (*round_over)(State), (*stage)(State);
    std::int32_t (*legal)(State, std::int32_t *), (*apply)(State, std::int32_t);
    std::int32_t (*scores)(State, double *), (*moves_left)(State, double *), (*solve)(State, double *);
    std::int32_t (*chance)(State, std::int32_t *, double *), (*sample_chance)(State, Word *);
    std::int32_t (*reward)(State, std::int32_t, double *), (*features)(State, std::int32_t, double *);
    std::int32_t (*conceal)(State, std::int32_t), (*symmetry)(State, Word);
    std::int32_t (*determinize)(State, std::int32_t, Word *);
    std::int32_t (*observe)(State, std::int32_t, std::uint8_t *), (*board_vector)(State, std::int32_t, std::uint8_t *);
    std::int32_t (*completions)(State, std::int32_t, std::int32_t, void *, double *);
    std::int32_t (*feature_indices)(State, std::int32_t, std::int32_t *), (*planes)(State, std::int32_t, float *);
    std::int32_t (*symmetry_action)(State, Word, std::int32_t), (*symmetry_cells)(Word, std::int32_t *);
    std::int32_t (*apply_changes)(State, std::int32_t, std::int32_t, bl_cell_change *, std::int32_t *);
    std::int32_t (*playout)(State, Word *, std::int32_t, std::int32_t, std::int32_t *, double *, std::int32_t *);
  };

  static std::uint64_t next_serial() {
    static std::atomic<std::uint64_t> serial{0};
    return ++serial;
  }

  nb::object rules_;
  std::string name_;
  std::uint64_t serial_ = next_serial();  // tells games apart, of which one may lie where another was
  Functions f_{};
  bool calls_python_, is_checked_, is_zero_sum_;
  std::size_t size_, mover_at_;
  std::int32_t players_, actions_, outcomes_;
  std::size_t room_;  // for actions or outcomes
  double low_, high_;
  std::vector<Field> fields_;
  std::vector<std::uint8_t> top_;  // the highest value of each cell
  std::vector<std::vector<std::int32_t>> adjacency_;
  std::vector<std::tuple<std::string, double, double>> rewards_;
  std::vector<std::int32_t> table_sizes_;
  std::int32_t stages_, observation_size_;
  std::vector<std::size_t> planes_;
  std::int32_t features_;
  std::vector<std::pair<std::vector<std::int32_t>, std::vector<std::uint8_t>>> joint_;  // cells, then rows of values
};

}  // namespace boardlab
