// Turns a C++ class into the contract's table, so that built-in games are plain typed methods.
//
// A game class G has `using State`, a trivially copyable struct, `Facts facts() const`, and the contract's
// functions as const methods over State& (same names and meaning, without `self` and void pointers). Functions that
// the contract marks optional may be left out: a missing method becomes a null pointer. Random playouts are compiled
// here as one loop over G's inlined methods, which makes them fast.
//
// Three members exist only for that loop: `int random_action(const State&, Rng&) const`, a uniformly random legal
// action without listing them all; the constant `max_legal` (static constexpr), the size of the list; and
// `int playout(State&, Rng&, int max_actions) const`, which replaces the loop in a game without chance and rounds: it
// must reach every position with the loop's probability.
#pragma once

#include <cstring>
#include <memory>
#include <span>
#include <type_traits>

#include "core/contract.h"
#include "core/rng.h"

namespace boardlab {

using Action = std::int32_t;

inline constexpr int CHANCE = BL_CHANCE;
inline constexpr int TERMINAL = BL_TERMINAL;
inline constexpr int MAX_PLAYERS = BL_MAX_PLAYERS;

// The numbers of a bl_game; contract.h explains each.
struct Facts {
  int players = 2;
  int action_count = 0;
  int outcome_count = 0;
  int horizon = 0;
  unsigned flags = 0;
  double min_score = -1, max_score = 1;
  double step_reward = 0;
  int field_count = 0;
  int reward_count = 0;
  int observation_size = 0;
  int cells = 0;
  int stages = 1;
  int feature_tables = 0;
  int max_changes = 0;
  std::uint64_t symmetries = 1;
  int plane_count = 0, plane_rows = 0, plane_cols = 0;
  int feature_count = 0;
  int situation_size = 0;
  int hand_features = 0;
};

namespace detail {

template <class G>
struct Thunks {
  using S = typename G::State;
  static const G &game(void *self) { return *static_cast<const G *>(self); }
  static const S &at(const void *state) { return *static_cast<const S *>(state); }
  static S &at(void *state) { return *static_cast<S *>(state); }

  static Action random_action(const G &g, const S &s, Rng &rng) {
    if constexpr (requires { g.random_action(s, rng); }) {
      return g.random_action(s, rng);
    } else {
      Action actions[G::max_legal];
      return actions[rng.below(static_cast<std::uint32_t>(g.legal(s, actions)))];
    }
  }

  static Action sample_chance(const G &g, const S &s, Rng &rng) {
    if constexpr (requires { g.sample_chance(s, rng); }) {
      return g.sample_chance(s, rng);
    } else {
      std::int32_t outcomes[G::max_legal];
      double probabilities[G::max_legal];
      const int n = g.chance(s, outcomes, probabilities);
      double u = rng.unit();
      for (int i = 0; i + 1 < n; ++i)
        if ((u -= probabilities[i]) < 0) return outcomes[i];
      return outcomes[n - 1];
    }
  }

  // Typed, so that everything inlines. Player actions count towards the limit, chance events do not.
  static std::int32_t playout(const G &g, S &s, Rng &rng, int max_actions, [[maybe_unused]] bool cut_at_round) {
    if constexpr (requires { g.playout(s, rng, max_actions); }) return g.playout(s, rng, max_actions);
    int count = 0;
    while (count < max_actions) {
      const int player = g.player(s);
      if (player == TERMINAL) break;
      if constexpr (requires { g.round_over(s); })
        if (cut_at_round && g.round_over(s)) break;
      if constexpr (requires(std::int32_t *o, double *p) { g.chance(s, o, p); }) {
        if (player == CHANCE) {
          g.apply(s, sample_chance(g, s, rng));
          continue;
        }
      }
      g.apply(s, random_action(g, s, rng));
      ++count;
    }
    return count;
  }
};

}  // namespace detail

// Needs `using T = detail::Thunks<G>` and `const G &g` in scope. A macro, because each line would otherwise be
// five.
#define BOARDLAB_OPTIONAL(name, expression, signature, ...) \
  if constexpr (requires expression) table.name = +[] signature __VA_ARGS__

template <class G>
bl_game make_table(std::unique_ptr<G> owned) {
  using T = detail::Thunks<G>;
  using S = typename G::State;
  static_assert(std::is_trivially_copyable_v<S>, "a state is copied with memcpy");
  static_assert(std::has_unique_object_representations_v<S>, "equal positions must have equal bytes: no padding");
  static_assert(alignof(S) <= 16, "state buffers are 16-byte aligned");
  const Facts facts = owned->facts();
  bl_game table;
  std::memset(&table, 0, sizeof table);
  table.abi_version = BL_GAME_ABI;
  table.struct_size = sizeof(bl_game);
  table.state_size = sizeof(S);
  table.players = facts.players;
  table.action_count = facts.action_count;
  table.outcome_count = facts.outcome_count;
  table.max_legal = G::max_legal;
  table.horizon = facts.horizon;
  table.flags = facts.flags;
  table.min_score = facts.min_score;
  table.max_score = facts.max_score;
  table.step_reward = facts.step_reward;
  table.field_count = facts.field_count;
  table.reward_count = facts.reward_count;
  table.observation_size = facts.observation_size;
  table.cells = facts.cells;
  table.stages = facts.stages;
  table.feature_tables = facts.feature_tables;
  table.max_changes = facts.max_changes;
  table.symmetries = facts.symmetries;
  table.plane_count = facts.plane_count;
  table.plane_rows = facts.plane_rows;
  table.plane_cols = facts.plane_cols;
  table.feature_count = facts.feature_count;
  table.situation_size = facts.situation_size;
  table.hand_features = facts.hand_features;

  table.destroy = [](void *self) { delete static_cast<G *>(self); };
  table.initial_state = [](void *self, void *s, std::uint64_t *rng) {
    std::memset(s, 0, sizeof(S));
    Rng r(*rng);
    T::game(self).initial_state(T::at(s), r);
    *rng = r.word;
  };
  table.player = [](void *self, const void *s) { return std::int32_t(T::game(self).player(T::at(s))); };
  table.last_player = [](void *self, const void *s) { return std::int32_t(T::game(self).last_player(T::at(s))); };
  table.legal = [](void *self, const void *s, std::int32_t *actions) {
    return std::int32_t(T::game(self).legal(T::at(s), actions));
  };
  table.apply = [](void *self, void *s, std::int32_t action) { T::game(self).apply(T::at(s), action); };
  table.scores = [](void *self, const void *s, double *scores) { T::game(self).scores(T::at(s), scores); };
  table.to_fields = [](void *self, const void *s, std::int32_t *f) { T::game(self).to_fields(T::at(s), f); };
  table.from_fields = [](void *self, void *s, const std::int32_t *f) -> const char * {
    S fresh;
    std::memset(static_cast<void *>(&fresh), 0, sizeof fresh);
    const char *error = T::game(self).from_fields(fresh, f);
    if (!error) std::memcpy(s, &fresh, sizeof fresh);
    return error;
  };
  table.playout = [](void *self, void *s, std::uint64_t *rng, std::int32_t max_actions, std::int32_t cut) {
    Rng r(*rng);
    const std::int32_t n = T::playout(T::game(self), T::at(s), r, max_actions, cut != 0);
    *rng = r.word;
    return n;
  };

  [[maybe_unused]] const G &g = *owned;
  [[maybe_unused]] S probe{};
  [[maybe_unused]] std::int32_t *ints = nullptr;
  [[maybe_unused]] double *doubles = nullptr;
  [[maybe_unused]] Rng random(0);
  [[maybe_unused]] bl_solution solution{};
  [[maybe_unused]] bl_joint_values joint{};

  BOARDLAB_OPTIONAL(
      chance, { g.chance(probe, ints, doubles); },
      (void *self, const void *s, std::int32_t *o, double *p)->std::int32_t,
      { return T::game(self).chance(T::at(s), o, p); });
  BOARDLAB_OPTIONAL(
      sample_chance, { g.sample_chance(probe, random); }, (void *self, const void *s, std::uint64_t *rng)->std::int32_t,
      {
        Rng r(*rng);
        const std::int32_t outcome = T::game(self).sample_chance(T::at(s), r);
        *rng = r.word;
        return outcome;
      });
  BOARDLAB_OPTIONAL(
      reward_name, { g.reward_name(0); }, (void *self, std::int32_t reward)->const char *,
      { return T::game(self).reward_name(reward); });
  BOARDLAB_OPTIONAL(
      reward_range, { g.reward_range(0, doubles); }, (void *self, std::int32_t reward, double *range),
      { T::game(self).reward_range(reward, range); });
  BOARDLAB_OPTIONAL(
      reward, { g.reward(0, probe, doubles); }, (void *self, std::int32_t reward, const void *s, double *scores),
      { T::game(self).reward(reward, T::at(s), scores); });
  BOARDLAB_OPTIONAL(
      training_start, { g.training_start(probe, random); }, (void *self, void *s, std::uint64_t *rng),
      {
        std::memset(s, 0, sizeof(S));
        Rng r(*rng);
        T::game(self).training_start(T::at(s), r);
        *rng = r.word;
      });
  BOARDLAB_OPTIONAL(
      round_over, { g.round_over(probe); }, (void *self, const void *s)->std::int32_t,
      { return T::game(self).round_over(T::at(s)); });
  BOARDLAB_OPTIONAL(
      moves_left, { g.moves_left(probe); }, (void *self, const void *s)->double,
      { return T::game(self).moves_left(T::at(s)); });
  BOARDLAB_OPTIONAL(
      solve, { g.solve(probe, solution); }, (void *self, const void *s, bl_solution *out)->std::int32_t,
      { return T::game(self).solve(T::at(s), *out); });
  BOARDLAB_OPTIONAL(
      conceal, { g.conceal(probe, 0); }, (void *self, void *s, std::int32_t player),
      { T::game(self).conceal(T::at(s), player); });
  BOARDLAB_OPTIONAL(
      observe, { g.observe(probe, 0, static_cast<std::uint8_t *>(nullptr)); },
      (void *self, const void *s, std::int32_t player, std::uint8_t *key)->std::int32_t,
      { return T::game(self).observe(T::at(s), player, key); });
  BOARDLAB_OPTIONAL(
      determinize, { g.determinize(probe, 0, random); }, (void *self, void *s, std::int32_t player, std::uint64_t *rng),
      {
        Rng r(*rng);
        T::game(self).determinize(T::at(s), player, r);
        *rng = r.word;
      });
  BOARDLAB_OPTIONAL(
      completions, { g.completions(probe, 0, 0, static_cast<S *>(nullptr), doubles); },
      (void *self, const void *s, std::int32_t player, std::int32_t capacity, void *states, double *probabilities)
          ->std::int32_t {
            return T::game(self).completions(T::at(s), player, capacity, static_cast<S *>(states), probabilities);
          });
  BOARDLAB_OPTIONAL(
      cell_values, { g.cell_values(0); }, (void *self, std::int32_t cell)->std::int32_t,
      { return T::game(self).cell_values(cell); });
  BOARDLAB_OPTIONAL(
      board_vector, { g.board_vector(probe, 0, static_cast<std::uint8_t *>(nullptr)); },
      (void *self, const void *s, std::int32_t player, std::uint8_t *cells),
      { T::game(self).board_vector(T::at(s), player, cells); });
  BOARDLAB_OPTIONAL(
      adjacency, { g.adjacency(0, ints); }, (void *self, std::int32_t cell, std::int32_t *neighbours)->std::int32_t,
      { return T::game(self).adjacency(cell, neighbours); });
  BOARDLAB_OPTIONAL(
      stage, { g.stage(probe); }, (void *self, const void *s)->std::int32_t, { return T::game(self).stage(T::at(s)); });
  BOARDLAB_OPTIONAL(
      feature_table_size, { g.feature_table_size(0); }, (void *self, std::int32_t index)->std::int32_t,
      { return T::game(self).feature_table_size(index); });
  BOARDLAB_OPTIONAL(
      feature_indices, { g.feature_indices(probe, 0, ints); },
      (void *self, const void *s, std::int32_t player, std::int32_t *indices),
      { T::game(self).feature_indices(T::at(s), player, indices); });
  BOARDLAB_OPTIONAL(
      apply_changes, { g.apply_changes(probe, 0, 0, static_cast<bl_cell_change *>(nullptr)); },
      (void *self, void *s, std::int32_t action, std::int32_t player, bl_cell_change *changes)->std::int32_t {
        return T::game(self).apply_changes(T::at(s), action, player, changes);
      });
  BOARDLAB_OPTIONAL(
      symmetry, { g.symmetry(std::uint64_t{}, probe); }, (void *self, std::uint64_t index, void *s),
      { T::game(self).symmetry(index, T::at(s)); });
  // Most games map actions without looking at the state.
  BOARDLAB_OPTIONAL(
      symmetry_action, { g.symmetry_action(std::uint64_t{}, 0); },
      (void *self, std::uint64_t index, const void *, std::int32_t action)->std::int32_t,
      { return T::game(self).symmetry_action(index, action); });
  BOARDLAB_OPTIONAL(
      symmetry_action, { g.symmetry_action(std::uint64_t{}, probe, 0); },
      (void *self, std::uint64_t index, const void *s, std::int32_t action)->std::int32_t,
      { return T::game(self).symmetry_action(index, T::at(s), action); });
  BOARDLAB_OPTIONAL(
      symmetry_cells, { g.symmetry_cells(std::uint64_t{}, ints, static_cast<std::uint8_t *>(nullptr)); },
      (void *self, std::uint64_t index, std::int32_t *source, std::uint8_t *values)->std::int32_t,
      { return T::game(self).symmetry_cells(index, source, values); });
  BOARDLAB_OPTIONAL(
      planes, { g.planes(probe, 0, static_cast<float *>(nullptr)); },
      (void *self, const void *s, std::int32_t player, float *planes),
      { T::game(self).planes(T::at(s), player, planes); });
  BOARDLAB_OPTIONAL(
      features, { g.features(probe, 0, doubles); }, (void *self, const void *s, std::int32_t player, double *features),
      { T::game(self).features(T::at(s), player, features); });
  BOARDLAB_OPTIONAL(
      joint_values, { g.joint_values(0, joint); }, (void *self, std::int32_t group, bl_joint_values *out)->std::int32_t,
      { return T::game(self).joint_values(group, *out); });
  BOARDLAB_OPTIONAL(
      situation, { g.situation(probe, 0, static_cast<std::uint8_t *>(nullptr)); },
      (void *self, const void *s, std::int32_t player, std::uint8_t *key)->std::int32_t,
      { return T::game(self).situation(T::at(s), player, key); });
  BOARDLAB_OPTIONAL(
      retrace, { g.retrace(probe, probe, 0, ints); },
      (void *self, const void *s, void *start, std::int32_t capacity, std::int32_t *actions)->std::int32_t,
      {
        std::memset(start, 0, sizeof(S));
        return T::game(self).retrace(T::at(s), T::at(start), capacity, actions);
      });
  table.self = owned.release();
  return table;
}

#undef BOARDLAB_OPTIONAL

}  // namespace boardlab
