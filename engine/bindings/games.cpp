#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "bindings/module.h"
#include "core/guard.h"
#include "games/cards.h"
#include "games/registry.h"

namespace boardlab {

std::vector<Action> PyState::legal_actions() const {
  std::vector<Action> actions(static_cast<std::size_t>(game->max_legal()));
  const int who = player();
  if (who == TERMINAL) return {};
  int n;
  if (who == CHANCE) {
    std::vector<double> p(actions.size());
    n = game->chance(data(), actions.data(), p.data());
  } else {
    n = game->legal(data(), actions.data());
  }
  actions.resize(static_cast<std::size_t>(n));
  return actions;
}

void PyState::check_action(std::int64_t action) const {
  if (seen_by >= 0)
    throw std::invalid_argument("this is only what player " + std::to_string(seen_by) +
                                " sees of the state; use determinize() before applying actions");
  if (player() == TERMINAL) throw std::invalid_argument("the game is over: no action can be applied");
  const auto legal = legal_actions();
  if (std::find(legal.begin(), legal.end(), action) != legal.end()) return;
  std::string list;
  for (std::size_t i = 0; i < legal.size() && i < 20; ++i) list += (i ? ", " : "") + std::to_string(legal[i]);
  if (legal.size() > 20) list += ", ...";
  throw std::invalid_argument("action " + std::to_string(action) + " is not legal here; legal are " + list);
}

void PyState::check_player(std::int64_t player) const {
  if (player < 0 || player >= game->players())
    throw std::invalid_argument("there is no player " + std::to_string(player) + "; players are 0 to " +
                                std::to_string(game->players() - 1));
}

void PyState::check_view(std::int64_t player) const {
  check_player(player);
  if (seen_by >= 0 && seen_by != player)
    throw std::invalid_argument("this is only what player " + std::to_string(seen_by) +
                                " sees of the state; what player " + std::to_string(player) +
                                " sees cannot be derived from it");
}

std::size_t checked_count(const char *what, std::int64_t value, std::int64_t low, std::int64_t high) {
  if (value < low || value > high)
    throw std::invalid_argument(std::string(what) + " must be from " + std::to_string(low) + " to " +
                                std::to_string(high) + ", not " + std::to_string(value));
  return static_cast<std::size_t>(value);
}

int outcome_index(const Game &game, const std::string &name) {
  if (name == "score") return SCORE;
  std::string known = "\"score\"";
  for (int i = 0; i < game.reward_count(); ++i) {
    if (game.reward_name(i) == name) return i;
    known += ", \"" + game.reward_name(i) + "\"";
  }
  throw std::invalid_argument(game.name() + " has no outcome \"" + name + "\"; it has " + known);
}

namespace {

using StatePtr = std::shared_ptr<PyState>;

StatePtr make_state(const GamePtr &game) { return std::make_shared<PyState>(game); }

StatePtr from_fields(const GamePtr &game,
                     const nb::ndarray<const std::int32_t, nb::ndim<1>, nb::c_contig, nb::device::cpu> &fields) {
  const auto wanted = static_cast<std::size_t>(game->table().field_count);
  if (fields.shape(0) != wanted)
    throw std::invalid_argument("a state of " + game->name() + " has " + std::to_string(wanted) + " fields, not " +
                                std::to_string(fields.shape(0)));
  StatePtr s = make_state(game);
  if (const char *error = game->table().from_fields(game->table().self, s->data(), fields.data()))
    throw std::invalid_argument(error);
  return s;
}

// The position with at most this many positions before it.
StatePtr copy_of(const PyState &s, std::size_t history) {
  auto copy = std::make_shared<PyState>(s.game);
  copy->buffer = s.buffer;
  copy->seen_by = s.seen_by;
  copy->history.assign(s.history.end() - static_cast<std::ptrdiff_t>(std::min(history, s.history.size())),
                       s.history.end());
  return copy;
}

Array<double> vector_of(const double *values, int n) {
  double *data;
  auto array = new_array<double>({static_cast<std::size_t>(n)}, &data);
  std::copy(values, values + n, data);
  return array;
}

std::uint64_t checked_symmetry(const Game &game, std::uint64_t g) {
  if (g >= game.symmetries())
    throw std::invalid_argument("there is no symmetry " + std::to_string(g) + "; " + game.name() + " has " +
                                std::to_string(game.symmetries()));
  return g;
}

// Games of one name with different parameters differ in one of these, or in the positions that they accept.
bool has_same_facts(const Game &a, const Game &b) {
  const auto facts = [](const bl_game &t) {
    return std::tuple(t.state_size, t.players, t.action_count, t.outcome_count, t.max_legal, t.horizon, t.flags,
                      t.min_score, t.max_score, t.step_reward, t.field_count, t.cells, t.symmetries, t.feature_count,
                      t.legal, t.apply);
  };
  return facts(a.table()) == facts(b.table());
}

// Whether the game reads the same bytes from the state's fields. It need not be able to read one player's view.
bool is_position_of(const Game &game, const PyState &state, PyState &scratch) {
  if (state.seen_by >= 0) return true;
  std::vector<std::int32_t> fields(static_cast<std::size_t>(game.table().field_count));
  state.game->table().to_fields(state.game->table().self, state.data(), fields.data());
  return !game.table().from_fields(game.table().self, scratch.data(), fields.data()) &&
         game.equal(scratch.data(), state.data());
}

[[noreturn]] void lacks(const Game &game, const char *what) {
  throw std::invalid_argument(game.name() + " has no " + what);
}

}  // namespace

void bind_games(nb::module_ &m) {
  m.def("game_names", &game_names);
  m.def(
      "make_game",
      [](const std::string &name, std::map<std::string, Params::Value> params) {
        return std::const_pointer_cast<Game>(make_game(name, Params(name, std::move(params))));
      },
      nb::arg("name"), nb::arg("params"));

  m.def(
      "game_from_table",
      [](const std::string &name, const nb::capsule &table) {
        if (!table.name() || std::string(table.name()) != "boardlab.bl_game")
          throw std::invalid_argument("expected a capsule named boardlab.bl_game");
        // Another version's table may be shorter than ours, so that only its first words are read until the version is
        // known.
        const auto *given = static_cast<const bl_game *>(table.data());
        bl_game copy{};
        copy.abi_version = given->abi_version;
        copy.struct_size = given->struct_size;
        if (is_readable(copy)) std::memcpy(&copy, given, copy.struct_size);
        return std::make_shared<Game>(name, copy);
      },
      nb::arg("name"), nb::arg("table"), "A game from a library's table, which is copied.");
  m.def(
      "guarded_game",
      [](const GamePtr &game, const nb::ndarray<std::uint8_t, nb::ndim<1>, nb::c_contig, nb::device::cpu> &note) {
        if (note.shape(0) < sizeof(GuardNote)) throw std::invalid_argument("the note is too short");
        return std::const_pointer_cast<Game>(guarded(game, new (note.data()) GuardNote));
      },
      nb::arg("game"), nb::arg("note").noconvert(), nb::keep_alive<0, 2>(),
      "The same game, whose functions may not write beyond what they are given; `note` says what it is doing.");
  m.def("guarded_functions", &guarded_functions);
  m.def(
      "end_without_clean_up", [] { std::atexit([] { std::_Exit(0); }); },
      "From now on `exit` ends the process at once: a copy of a process has lost the threads that its handlers and "
      "destructors may wait for.");

  nb::class_<Game>(m, "Game", "The rules of one game with its parameters.")
      .def_prop_ro("name", [](const Game &g) { return g.name(); })
      .def_prop_ro("players", &Game::players)
      .def_prop_ro("action_count", &Game::action_count)
      .def_prop_ro("outcome_count", [](const Game &g) { return g.table().outcome_count; })
      .def_prop_ro("max_legal", &Game::max_legal)
      .def_prop_ro("horizon", &Game::horizon)
      .def_prop_ro("state_size", &Game::state_size)
      .def_prop_ro("step_reward", &Game::step_reward)
      .def_prop_ro("has_chance", &Game::has_chance)
      .def_prop_ro("is_hidden", &Game::is_hidden)
      .def_prop_ro("is_zero_sum", &Game::is_zero_sum)
      .def_prop_ro("has_solver", [](const Game &g) { return g.has_solver(); })
      .def_prop_ro("has_rounds", [](const Game &g) { return g.table().round_over != nullptr; })
      .def_prop_ro("has_moves_left", [](const Game &g) { return g.table().moves_left != nullptr; })
      .def_prop_ro("field_count", [](const Game &g) { return g.table().field_count; })
      .def_prop_ro("symmetries", &Game::symmetries)
      .def_prop_ro("cells", &Game::cells)
      .def_prop_ro("stages", &Game::stages)
      .def_prop_ro("hand_features", [](const Game &g) { return g.table().hand_features; })
      .def_prop_ro("can_retrace", &Game::can_retrace)
      .def_prop_ro("names_situations", [](const Game &g) { return g.table().situation != nullptr; })
      .def_prop_ro("feature_count", [](const Game &g) { return g.table().features ? g.table().feature_count : 0; })
      .def_prop_ro("feature_table_sizes",
                   [](const Game &g) {
                     std::vector<int> sizes;
                     if (g.table().feature_table_size)
                       for (int i = 0; i < g.table().feature_tables; ++i)
                         sizes.push_back(g.table().feature_table_size(g.table().self, i));
                     return sizes;
                   })
      .def_prop_ro("plane_shape",
                   [](const Game &g) {
                     const PlaneShape shape = g.plane_shape();
                     return std::tuple(shape.count, shape.rows, shape.cols);
                   })
      .def_prop_ro(
          "outcomes",
          [](const Game &g) {
            std::vector<std::string> names{"score"};
            for (int i = 0; i < g.reward_count(); ++i) names.push_back(g.reward_name(i));
            return names;
          },
          "The score and the named rewards.")
      .def(
          "outcome_range",
          [](const Game &g, const std::string &outcome) {
            const Range r = g.outcome_range(outcome_index(g, outcome));
            return std::tuple(r.min, r.max, r.loose);
          },
          nb::arg("outcome") = "score", "(min, max, whether these are only estimates)")
      .def("cell_values",
           [](const Game &g) {
             std::vector<int> values;
             for (int c = 0; c < g.cells(); ++c) values.push_back(g.cell_values(c));
             return values;
           })
      .def(
          "adjacency",
          [](const Game &g) {
            std::vector<std::vector<int>> lists;
            std::vector<std::int32_t> buffer(static_cast<std::size_t>(g.cells()));
            for (int c = 0; c < g.cells() && g.table().adjacency; ++c) {
              const int n = g.table().adjacency(g.table().self, c, buffer.data());
              lists.emplace_back(buffer.begin(), buffer.begin() + n);
            }
            return lists;
          },
          "The neighbours of every cell of the board vector.")
      .def(
          "joint_values",
          [](const Game &g) {
            std::vector<std::pair<std::vector<int>, std::vector<std::vector<int>>>> groups;
            for (JointValues &group : g.joint_values())
              groups.emplace_back(std::move(group.cells), std::move(group.rows));
            return groups;
          },
          "Groups of cells whose values depend on one another, with the joint values that can occur.")
      .def(
          "symmetry_cells",
          [](const Game &g, std::uint64_t index) -> std::optional<std::pair<Array<std::int32_t>, Array<std::uint8_t>>> {
            checked_symmetry(g, index);
            const auto cells = static_cast<std::size_t>(g.cells());
            if (!cells || !g.table().symmetry_cells) return std::nullopt;
            std::int32_t *source;
            std::uint8_t *values;
            auto sources = new_array<std::int32_t>({cells}, &source);
            auto maps = new_array<std::uint8_t>({cells, 256}, &values);
            if (!g.table().symmetry_cells(g.table().self, index, source, values)) return std::nullopt;
            return std::pair(sources, maps);
          },
          nb::arg("symmetry"), "(source cell, value map) of the board vector under a symmetry, or None")
      .def(
          "initial_state",
          [](const std::shared_ptr<Game> &g, std::uint64_t seed) {
            StatePtr s = make_state(g);
            Rng rng(derive_seed(seed, 0));
            g->initial_state(s->data(), rng);
            return s;
          },
          nb::arg("seed") = 0)
      .def(
          "training_start",
          [](const std::shared_ptr<Game> &g, std::uint64_t seed) {
            StatePtr s = make_state(g);
            Rng rng(derive_seed(seed, 0));
            g->training_start(s->data(), rng);
            return s;
          },
          nb::arg("seed") = 0)
      .def(
          "from_fields",
          [](const std::shared_ptr<Game> &g,
             const nb::ndarray<const std::int32_t, nb::ndim<1>, nb::c_contig, nb::device::cpu> &fields) {
            return from_fields(g, fields);
          },
          nb::arg("fields").noconvert())
      .def(
          "adopt",
          [](const std::shared_ptr<Game> &g, const PyState &s) {
            StatePtr copy = make_state(g);
            if (s.game->name() != g->name() || !has_same_facts(*s.game, *g) || !is_position_of(*g, s, *copy))
              throw std::invalid_argument("the state belongs to another game");
            g->copy(copy->data(), s.data());
            copy->seen_by = s.seen_by;
            return copy;
          },
          nb::arg("state"), "The same state in this game, whose rules must be those of the state's own game.");

  nb::class_<PyState>(m, "State", "A position, with the ones before it for undo.")
      .def_prop_ro("game", [](const PyState &s) { return std::const_pointer_cast<Game>(s.game); })
      .def_prop_ro("player", &PyState::player)
      .def_prop_ro("last_player", [](const PyState &s) { return s.game->last_player(s.data()); })
      .def_prop_ro("is_terminal", [](const PyState &s) { return s.player() == TERMINAL; })
      .def_prop_ro(
          "viewer", [](const PyState &s) { return s.seen_by; },
          "The player for whom hidden parts were erased; -1 in a full state.")
      .def_prop_ro("actions_played", [](const PyState &s) { return s.history.size(); })
      .def("legal_actions", &PyState::legal_actions)
      .def(
          "apply",
          [](PyState &s, std::int64_t action) {
            s.check_action(action);
            s.advance([&](void *next) { return s.game->apply(next, static_cast<Action>(action)), 0; });
          },
          nb::arg("action"))
      .def("undo",
           [](PyState &s) {
             if (s.history.empty()) throw std::invalid_argument("there is no action to undo");
             s.buffer = s.history.back();
             s.history.pop_back();
           })
      .def("copy", [](const PyState &s) { return copy_of(s, s.history.size()); })
      .def(
          "recent",
          [](const PyState &s, std::int64_t history) {
            return copy_of(s, checked_count("history", history, 0, INT64_MAX));
          },
          nb::arg("history"), "A copy with at most this many positions before it, for undo.")
      .def(
          "with_history",
          [](const PyState &s, const std::vector<StatePtr> &before) {
            StatePtr copy = copy_of(s, 0);
            for (const StatePtr &earlier : before) {
              if (!earlier) throw std::invalid_argument("the states before a state cannot be None");
              if (earlier->game != s.game)
                throw std::invalid_argument("a state before this one belongs to another game");
              copy->history.push_back(earlier->buffer);
            }
            return copy;
          },
          nb::arg("before"), "The same position with these before it, for undo.")
      .def(
          "outcome",
          [](const PyState &s, const std::string &name) {
            double values[MAX_PLAYERS] = {};
            s.game->outcome(outcome_index(*s.game, name), s.data(), values);
            return vector_of(values, s.game->players());
          },
          nb::arg("outcome") = "score")
      .def("chance_outcomes",
           [](const PyState &s) {
             std::vector<std::pair<Action, double>> list;
             if (s.player() != CHANCE)
               throw std::invalid_argument("nature does not move here; chance_outcomes is for chance nodes");
             std::vector<std::int32_t> outcomes(static_cast<std::size_t>(s.game->max_legal()));
             std::vector<double> p(outcomes.size());
             const int n = s.game->chance(s.data(), outcomes.data(), p.data());
             for (std::size_t i = 0; i < static_cast<std::size_t>(n); ++i) list.emplace_back(outcomes[i], p[i]);
             return list;
           })
      .def(
          "sample_chance",
          [](const PyState &s, std::uint64_t seed) {
            if (s.player() != CHANCE)
              throw std::invalid_argument("nature does not move here; sample_chance is for chance nodes");
            Rng rng(derive_seed(seed, 1));
            return s.game->sample_chance(s.data(), rng);
          },
          nb::arg("seed"))
      .def("to_fields",
           [](const PyState &s) {
             std::int32_t *data;
             auto array = new_array<std::int32_t>({static_cast<std::size_t>(s.game->table().field_count)}, &data);
             s.game->table().to_fields(s.game->table().self, s.data(), data);
             return array;
           })
      .def(
          "to_bytes",
          [](const PyState &s) { return nb::bytes(static_cast<const char *>(s.data()), s.game->state_size()); },
          "The bytes of the position, equal for equal positions.")
      .def(
          "__eq__",
          [](const PyState &a, const PyState &b) { return a.game == b.game && a.game->equal(a.data(), b.data()); },
          nb::arg("other"), nb::is_operator())
      .def("__hash__", [](const PyState &s) { return static_cast<std::int64_t>(s.game->hash(s.data()) >> 1); })
      .def(
          "board_vector",
          [](const PyState &s, std::int64_t player) {
            s.check_player(player);
            if (!s.game->cells()) lacks(*s.game, "board vector");
            std::uint8_t *data;
            auto array = new_array<std::uint8_t>({static_cast<std::size_t>(s.game->cells())}, &data);
            s.game->board_vector(s.data(), static_cast<int>(player), data);
            return array;
          },
          nb::arg("player") = 0)
      .def(
          "apply_changes",
          [](PyState &s, std::int64_t action, std::int64_t player) {
            s.check_player(player);
            s.check_action(action);
            if (!s.game->cells()) lacks(*s.game, "board vector");
            std::vector<bl_cell_change> changes(static_cast<std::size_t>(s.game->max_changes()));
            const int n = s.advance([&](void *next) {
              return s.game->apply_changes(next, static_cast<Action>(action), static_cast<int>(player), changes.data());
            });
            std::vector<std::tuple<int, int, int>> list;
            for (std::size_t i = 0; i < static_cast<std::size_t>(n); ++i)
              list.emplace_back(changes[i].cell, changes[i].before, changes[i].after);
            return list;
          },
          nb::arg("action"), nb::arg("player") = 0,
          "Applies the action; returns (cell, before, after) of the board vector.")
      .def(
          "planes",
          [](const PyState &s, std::int64_t player) {
            s.check_player(player);
            const PlaneShape shape = s.game->plane_shape();
            if (!shape.count) lacks(*s.game, "planes");
            float *data;
            auto array = new_array<float>({static_cast<std::size_t>(shape.count), static_cast<std::size_t>(shape.rows),
                                           static_cast<std::size_t>(shape.cols)},
                                          &data);
            s.game->planes(s.data(), static_cast<int>(player), data);
            return array;
          },
          nb::arg("player") = 0)
      .def(
          "features",
          [](const PyState &s, std::int64_t player) {
            s.check_player(player);
            const bl_game &t = s.game->table();
            if (!t.features) lacks(*s.game, "features");
            double *data;
            auto array = new_array<double>({static_cast<std::size_t>(t.feature_count)}, &data);
            t.features(t.self, s.data(), static_cast<int>(player), data);
            return array;
          },
          nb::arg("player") = 0)
      .def(
          "situation",
          [](const PyState &s, std::int64_t player) {
            s.check_player(player);
            const bl_game &t = s.game->table();
            if (!t.situation) lacks(*s.game, "situations");
            std::vector<std::uint8_t> key(static_cast<std::size_t>(t.situation_size));
            const int length = t.situation(t.self, s.data(), static_cast<int>(player), key.data());
            return nb::bytes(reinterpret_cast<const char *>(key.data()), static_cast<std::size_t>(length));
          },
          nb::arg("player"))
      .def(
          "feature_indices",
          [](const PyState &s, std::int64_t player) {
            s.check_player(player);
            const bl_game &t = s.game->table();
            if (!t.feature_indices) lacks(*s.game, "feature tables");
            std::int32_t *data;
            auto array = new_array<std::int32_t>({static_cast<std::size_t>(t.feature_tables)}, &data);
            t.feature_indices(t.self, s.data(), static_cast<int>(player), data);
            return array;
          },
          nb::arg("player") = 0)
      .def_prop_ro("stage", [](const PyState &s) { return s.game->stage(s.data()); })
      .def_prop_ro("round_over", [](const PyState &s) { return s.game->round_over(s.data()); })
      .def_prop_ro("moves_left", [](const PyState &s) { return s.game->moves_left(s.data()); })
      .def(
          "symmetry",
          [](const PyState &s, std::uint64_t g) {
            checked_symmetry(*s.game, g);
            StatePtr turned = copy_of(s, 0);
            s.game->symmetry(g, turned->data());
            return turned;
          },
          nb::arg("symmetry"))
      .def(
          "symmetry_action",
          [](const PyState &s, std::uint64_t g, std::int64_t action) {
            checked_symmetry(*s.game, g);
            s.check_action(action);
            if (s.player() == CHANCE)
              throw std::invalid_argument("symmetries map the players' actions, not chance outcomes");
            return s.game->symmetry_action(g, s.data(), static_cast<Action>(action));
          },
          nb::arg("symmetry"), nb::arg("action"), "What a legal action becomes in the transformed state.")
      .def(
          "seen_by",
          [](const PyState &s, std::int64_t player) {
            s.check_view(player);
            StatePtr seen = copy_of(s, 0);
            if (s.game->is_hidden()) {
              s.game->conceal(seen->data(), static_cast<int>(player));
              seen->seen_by = static_cast<int>(player);
            }
            return seen;
          },
          nb::arg("player"))
      .def(
          "observe",
          [](const PyState &s, std::int64_t player) {
            s.check_view(player);
            const auto key = s.game->observe(s.data(), static_cast<int>(player));
            return nb::bytes(reinterpret_cast<const char *>(key.data()), key.size());
          },
          nb::arg("player"))
      .def(
          "determinize",
          [](const PyState &s, std::int64_t player, std::uint64_t seed) {
            s.check_view(player);
            StatePtr full = copy_of(s, 0);
            Rng rng(derive_seed(seed, 2));
            s.game->determinize(full->data(), static_cast<int>(player), rng);
            full->seen_by = -1;
            return full;
          },
          nb::arg("player"), nb::arg("seed"))
      .def(
          "retrace",
          [](const PyState &s) {
            if (!s.game->can_retrace()) lacks(*s.game, "retrace");
            if (s.seen_by >= 0) throw std::invalid_argument("hidden parts cannot be retraced; fill them in first");
            StatePtr start = make_state(s.game);
            std::vector<Action> actions;
            s.game->retrace(s.data(), start->data(), actions);
            return std::make_pair(start, actions);
          },
          "Where the round began, and the actions and outcomes since.")
      .def(
          "completions",
          [](const PyState &s, std::int64_t player, std::int64_t most) {
            s.check_view(player);
            checked_count("most", most, 1, 1 << 20);
            std::vector<double> p;
            const auto bytes = s.game->completions(s.data(), static_cast<int>(player), static_cast<int>(most), p);
            std::vector<std::pair<StatePtr, double>> list;
            for (std::size_t i = 0; i < p.size(); ++i) {
              StatePtr full = make_state(s.game);
              std::memcpy(full->data(), bytes.data() + i * s.game->state_size(), s.game->state_size());
              list.emplace_back(full, p[i]);
            }
            return list;
          },
          nb::arg("player"), nb::arg("most") = 4096)
      .def(
          "solve",
          [](const PyState &s, std::int64_t node_limit,
             const std::string &outcome) -> std::optional<std::tuple<Array<double>, Action, std::int64_t>> {
            checked_count("node_limit", node_limit, 1, INT64_MAX);
            const int which = outcome_index(*s.game, outcome);
            if (s.player() < 0 || s.seen_by >= 0) return std::nullopt;
            bl_solution solution;
            const StateBuffer copy = s.buffer;
            bool solved;
            {
              SignalPoll signals;
              const WithoutGil release;
              solved = s.game->solve(copy.data(), which, node_limit, [&signals] { signals(); }, solution);
            }
            if (!solved) return std::nullopt;
            return std::tuple(vector_of(solution.scores, s.game->players()), solution.action, solution.nodes);
          },
          nb::arg("node_limit"), nb::arg("outcome"),
          "(exact outcome for every player, an action that leads to it or -1, positions looked at), or None.")
      .def(
          "playout",
          [](PyState &s, std::uint64_t seed, std::int64_t max_actions) {
            if (s.seen_by >= 0) throw std::invalid_argument("a playout needs a full state; use determinize() first");
            checked_count("max_actions", max_actions, 0, INT32_MAX);
            Rng rng(derive_seed(seed, 3));
            const auto most = std::min<std::int64_t>(max_actions, s.game->horizon());
            return s.advance([&](void *next) { return s.game->playout(next, rng, static_cast<int>(most), false); });
          },
          nb::arg("seed"), nb::arg("max_actions"),
          "Plays random actions in place, up to the game's horizon; returns their number.");

  m.def(
      "perft",
      [](const PyState &s, std::int64_t depth) {
        checked_count("depth", depth, 0, 1000);
        if (s.seen_by >= 0) throw std::invalid_argument("perft needs a full state; use determinize() first");
        const PyState copy = s;
        SignalPoll poll;
        const WithoutGil release;
        return perft(*copy.game, copy.data(), static_cast<int>(depth), [&poll] { poll(); });
      },
      nb::arg("state"), nb::arg("depth"));

  m.def(
      "count_states",
      [](const std::vector<StatePtr> &states, std::int64_t depth) {
        checked_count("depth", depth, 0, 1000000);
        if (states.empty()) throw std::invalid_argument("count_states needs at least one state to start from");
        std::vector<const void *> starts;
        for (const StatePtr &s : states) {
          if (!s) throw std::invalid_argument("count_states starts from states, not from None");
          if (s->game != states[0]->game) throw std::invalid_argument("all states must belong to the same game");
          starts.push_back(s->data());
        }
        SignalPoll poll;
        return count_states(*states[0]->game, starts, static_cast<int>(depth), [&poll] { poll(); });
      },
      nb::arg("states"), nb::arg("depth"));

  m.def(
      "random_games",
      [](const std::shared_ptr<Game> &game, std::int64_t games, std::uint64_t seed) {
        checked_count("games", games, 1, INT64_MAX);
        SignalPoll poll;
        const WithoutGil release;
        StateBuffer state(*game);
        Rng rng(derive_seed(seed, 4));
        std::int64_t actions = 0;
        std::vector<double> sums(static_cast<std::size_t>(game->players()), 0.0);
        double scores[MAX_PLAYERS];
        for (std::int64_t i = 0; i < games; ++i) {
          game->initial_state(state.data(), rng);
          actions += game->playout(state.data(), rng, game->horizon(), false);
          game->scores(state.data(), scores);
          for (std::size_t p = 0; p < sums.size(); ++p) sums[p] += scores[p];
          if (i % 64 == 0) poll();
        }
        for (double &sum : sums) sum /= static_cast<double>(games);
        return std::pair(actions, sums);
      },
      nb::arg("game"), nb::arg("games"), nb::arg("seed") = 0, "(player actions, mean scores) of random games.");

  m.def(
      "hand_strengths",
      [](const nb::ndarray<const std::uint8_t, nb::ndim<2>, nb::c_contig, nb::device::cpu> &hands) {
        const std::size_t count = hands.shape(0), cards = hands.shape(1);
        checked_count("the number of cards in a hand", static_cast<std::int64_t>(cards), 5, 7);
        std::uint32_t *out;
        auto array = new_array<std::uint32_t>({count}, &out);
        for (std::size_t i = 0; i < count; ++i) {
          CardSet set = 0;
          for (std::size_t k = 0; k < cards; ++k) {
            const std::uint8_t card = hands.data()[i * cards + k];
            if (card >= DECK) throw std::invalid_argument("a card is a number from 0 to 51: rank * 4 + suit");
            set |= card_bit(card);
          }
          if (std::popcount(set) != static_cast<int>(cards))
            throw std::invalid_argument("a hand has the same card twice");
          out[i] = hand_strength(set);
        }
        return array;
      },
      nb::arg("hands").noconvert(),
      "The strength of poker hands, uint8 [hands][5 to 7 cards]: the better hand has the higher number, and the number "
      ">> 26 is its category from 0 (high card) to 8 (straight flush).");
}

}  // namespace boardlab
