#include "core/guard.h"

#include <algorithm>
#include <cstddef>
#include <cstring>

namespace boardlab {

namespace {

// clang-format off
#define BOARDLAB_GUARDED(F)                                                                                     \
  F(initial_state) F(player) F(last_player) F(legal) F(apply) F(scores) F(chance) F(sample_chance) F(to_fields) \
  F(from_fields) F(reward_name) F(reward_range) F(reward) F(training_start) F(round_over) F(moves_left)         \
  F(solve) F(playout) F(conceal) F(observe) F(determinize) F(completions) F(cell_values) F(board_vector)        \
  F(adjacency) F(stage) F(feature_table_size) F(feature_indices) F(apply_changes) F(symmetry)                   \
  F(symmetry_action) F(symmetry_cells) F(planes) F(features) F(joint_values) F(situation)
// clang-format on

#define BOARDLAB_ITEM(name) name,
enum class Function : std::int32_t { BOARDLAB_GUARDED(BOARDLAB_ITEM) };
#undef BOARDLAB_ITEM

struct Guard {
  GamePtr game;
  GuardNote *note;

  const bl_game &table() const { return game->table(); }
  void *self() const { return game->table().self; }
};

// Memory between two fences. A function that writes a little too far changes a fence.
class Fenced {
 public:
  Fenced(const void *content, std::size_t size) : bytes_(size + 2 * FENCE, std::byte{0xA5}), size_(size) {
    if (content)
      std::memcpy(data(), content, size);
    else
      std::memset(data(), 0, size);
  }
  void *data() { return bytes_.data() + FENCE; }
  template <class T>
  T *as() {
    return static_cast<T *>(data());
  }
  bool is_whole() const {
    const auto same = [](std::byte b) { return b == std::byte{0xA5}; };
    const auto end = bytes_.begin() + static_cast<std::ptrdiff_t>(FENCE + size_);
    return std::all_of(bytes_.begin(), bytes_.begin() + FENCE, same) && std::all_of(end, bytes_.end(), same);
  }

 private:
  static constexpr std::size_t FENCE = 512;
  std::vector<std::byte> bytes_;
  std::size_t size_;
};

// One call of a function: noted while it runs, and checked afterwards.
class Call {
 public:
  Call(void *self, Function function, std::int32_t argument = 0)
      : guard_(*static_cast<Guard *>(self)), function_(function) {
    guard_.note->argument = argument;
    guard_.note->function = static_cast<std::int32_t>(function);
    ++guard_.note->calls;
  }
  Call(const Call &) = delete;
  Call &operator=(const Call &) = delete;

  const bl_game &table() const { return guard_.table(); }
  void *self() const { return guard_.self(); }
  std::size_t state_size() const { return static_cast<std::size_t>(table().state_size); }

  [[noreturn]] void fail(const std::string &why) {
    done();
    throw BrokenRules(guard_.game->name() + ": the function " +
                      guarded_functions()[static_cast<std::size_t>(function_)] + " " + why);
  }
  void done() { guard_.note->function = -1; }

  // Checks a constant state after the call.
  void unchanged(Fenced &copy, const void *state) {
    if (!copy.is_whole()) fail("writes outside of the state");
    if (std::memcmp(copy.data(), state, state_size()) != 0) fail("changes the state, which it may only read");
  }
  // Copies a changed state back.
  void changed(Fenced &copy, void *state) {
    if (!copy.is_whole()) fail("writes outside of the state");
    std::memcpy(state, copy.data(), state_size());
  }
  // Copies `count` items of an answer to where they belong.
  template <class T>
  void answer(Fenced &copy, T *to, std::size_t count, const char *room) {
    if (!copy.is_whole()) fail(std::string("writes outside of its answer, which has room for ") + room);
    if (count) std::memcpy(to, copy.data(), count * sizeof(T));
  }
  void within(std::int64_t number, std::int64_t low, std::int64_t high, const char *what) {
    if (number < low || number > high)
      fail("returns " + std::to_string(number) + ", which is not " + what + " (" + std::to_string(low) + " to " +
           std::to_string(high) + ")");
  }

 private:
  Guard &guard_;
  Function function_;
};

std::size_t count(std::int32_t number) { return static_cast<std::size_t>(std::max(number, 0)); }

// A number that a function gives about a constant state.
template <class Ask>
auto asked(void *self, Function function, const void *state, std::int32_t argument, const Ask &ask) {
  Call call(self, function, argument);
  Fenced copy(state, call.state_size());
  const auto number = ask(call.table(), call.self(), copy.data());
  call.unchanged(copy, state);
  call.done();
  return number;
}

// An answer of `length` items about a constant state.
template <class T, class Ask>
void filled(void *self, Function function, const void *state, std::int32_t argument, T *out, std::size_t length,
            const char *room, const Ask &ask) {
  Call call(self, function, argument);
  Fenced copy(state, call.state_size()), answer(nullptr, length * sizeof(T));
  ask(call.table(), call.self(), copy.data(), answer.template as<T>());
  call.unchanged(copy, state);
  call.answer(answer, out, length, room);
  call.done();
}

// A change of a state.
template <class Ask>
auto transformed(void *self, Function function, void *state, std::int32_t argument, const Ask &ask) {
  Call call(self, function, argument);
  Fenced copy(state, call.state_size());
  const auto number = ask(call.table(), call.self(), copy.data());
  call.changed(copy, state);
  call.done();
  return number;
}

int legal(void *self, const void *s, std::int32_t *actions) {
  Call call(self, Function::legal);
  const bl_game &t = call.table();
  Fenced state(s, call.state_size()), answer(nullptr, count(t.max_legal) * sizeof(std::int32_t));
  const std::int32_t n = t.legal(call.self(), state.data(), answer.as<std::int32_t>());
  call.unchanged(state, s);
  if (!answer.is_whole() || n > t.max_legal)
    call.fail("lists " + std::to_string(n) + " actions; max_legal is " + std::to_string(t.max_legal));
  call.within(n, 0, t.max_legal, "a number of actions");
  call.answer(answer, actions, count(n), "max_legal actions");
  call.done();
  return n;
}

int chance(void *self, const void *s, std::int32_t *outcomes, double *p) {
  Call call(self, Function::chance);
  const bl_game &t = call.table();
  Fenced state(s, call.state_size()), answer(nullptr, count(t.max_legal) * sizeof(std::int32_t));
  Fenced weights(nullptr, count(t.max_legal) * sizeof(double));
  const std::int32_t n = t.chance(call.self(), state.data(), answer.as<std::int32_t>(), weights.as<double>());
  call.unchanged(state, s);
  if (!answer.is_whole() || !weights.is_whole() || n > t.max_legal)
    call.fail("lists " + std::to_string(n) + " outcomes; max_legal is " + std::to_string(t.max_legal));
  call.within(n, 1, t.max_legal, "a number of outcomes");
  call.answer(answer, outcomes, count(n), "max_legal outcomes");
  call.answer(weights, p, count(n), "max_legal probabilities");
  call.done();
  return n;
}

const char *from_fields(void *self, void *s, const std::int32_t *fields) {
  Call call(self, Function::from_fields);
  const std::size_t bytes = count(call.table().field_count) * sizeof(std::int32_t);
  Fenced state(s, call.state_size()), given(fields, bytes);
  const char *refusal = call.table().from_fields(call.self(), state.data(), given.as<const std::int32_t>());
  if (!given.is_whole() || std::memcmp(given.data(), fields, bytes) != 0) call.fail("changes the fields");
  call.changed(state, s);
  call.done();
  return refusal;
}

std::int32_t solve(void *self, const void *s, bl_solution *solution) {
  Call call(self, Function::solve);
  Fenced state(s, call.state_size()), answer(solution, sizeof *solution);
  const std::int32_t solved = call.table().solve(call.self(), state.data(), answer.as<bl_solution>());
  call.unchanged(state, s);
  call.answer(answer, solution, 1, "a bl_solution");
  call.done();
  return solved;
}

std::int32_t observe(void *self, const void *s, std::int32_t player, std::uint8_t *key) {
  Call call(self, Function::observe, player);
  const std::int32_t room = call.table().observation_size;
  Fenced state(s, call.state_size()), answer(nullptr, count(room));
  const std::int32_t n = call.table().observe(call.self(), state.data(), player, answer.as<std::uint8_t>());
  call.unchanged(state, s);
  call.within(n, 0, room, "a length up to observation_size");
  call.answer(answer, key, count(n), "observation_size bytes");
  call.done();
  return n;
}

std::int32_t situation(void *self, const void *s, std::int32_t player, std::uint8_t *key) {
  Call call(self, Function::situation, player);
  const std::int32_t room = call.table().situation_size;
  Fenced state(s, call.state_size()), answer(nullptr, count(room));
  const std::int32_t n = call.table().situation(call.self(), state.data(), player, answer.as<std::uint8_t>());
  call.unchanged(state, s);
  call.within(n, 0, room, "a length up to situation_size");
  call.answer(answer, key, count(n), "situation_size bytes");
  call.done();
  return n;
}

std::int32_t completions(void *self, const void *s, std::int32_t player, std::int32_t capacity, void *states,
                         double *p) {
  Call call(self, Function::completions, player);
  Fenced state(s, call.state_size()), found(nullptr, count(capacity) * call.state_size());
  Fenced weights(nullptr, count(capacity) * sizeof(double));
  const std::int32_t n =
      call.table().completions(call.self(), state.data(), player, capacity, found.data(), weights.as<double>());
  call.unchanged(state, s);
  call.within(n, -1, capacity, "a number of states, or -1");
  call.answer(found, static_cast<std::byte *>(states), count(n) * call.state_size(), "`capacity` states");
  call.answer(weights, p, count(n), "`capacity` probabilities");
  call.done();
  return n;
}

std::int32_t adjacency(void *self, std::int32_t cell, std::int32_t *neighbours) {
  Call call(self, Function::adjacency, cell);
  const std::int32_t cells = call.table().cells;
  Fenced answer(nullptr, count(cells) * sizeof(std::int32_t));
  const std::int32_t n = call.table().adjacency(call.self(), cell, answer.as<std::int32_t>());
  call.within(n, 0, cells, "a number of neighbours");
  call.answer(answer, neighbours, count(n), "`cells` neighbours");
  call.done();
  return n;
}

std::int32_t apply_changes(void *self, void *s, std::int32_t action, std::int32_t player, bl_cell_change *changes) {
  Call call(self, Function::apply_changes, action);
  const bl_game &t = call.table();
  Fenced state(s, call.state_size()), answer(nullptr, count(t.max_changes) * sizeof(bl_cell_change));
  const std::int32_t n = t.apply_changes(call.self(), state.data(), action, player, answer.as<bl_cell_change>());
  if (!answer.is_whole() || n > t.max_changes)
    call.fail("lists " + std::to_string(n) + " changes; max_changes is " + std::to_string(t.max_changes));
  call.within(n, 0, t.max_changes, "a number of changes");
  for (std::size_t i = 0; i < count(n); ++i)
    call.within(answer.as<bl_cell_change>()[i].cell, 0, t.cells - 1, "a cell that changed");
  call.answer(answer, changes, count(n), "max_changes changes");
  call.changed(state, s);
  call.done();
  return n;
}

std::int32_t symmetry_cells(void *self, std::uint64_t g, std::int32_t *source, std::uint8_t *values) {
  Call call(self, Function::symmetry_cells, static_cast<std::int32_t>(g));
  const std::int32_t cells = call.table().cells;
  Fenced from(nullptr, count(cells) * sizeof(std::int32_t)), map(nullptr, count(cells) * 256);
  const std::int32_t has = call.table().symmetry_cells(call.self(), g, from.as<std::int32_t>(), map.as<std::uint8_t>());
  for (std::int32_t cell = 0; has && cell < cells; ++cell)
    call.within(from.as<std::int32_t>()[cell], 0, cells - 1, "the cell from which a value comes");
  call.answer(from, source, count(cells), "`cells` numbers");
  call.answer(map, values, count(cells) * 256, "`cells` times 256 values");
  call.done();
  return has;
}

std::int32_t joint_values(void *self, std::int32_t group, bl_joint_values *joint) {
  Call call(self, Function::joint_values, group);
  const bl_game &t = call.table();
  bl_joint_values sizes{};
  const std::int32_t there = t.joint_values(call.self(), group, &sizes);
  joint->cell_count = sizes.cell_count, joint->row_count = sizes.row_count;
  if (!there) return call.done(), 0;
  call.within(sizes.cell_count, 1, t.cells, "a number of cells");
  call.within(sizes.row_count, 1, 65535, "a number of rows");
  if (joint->cells && joint->rows) {
    const std::size_t width = count(sizes.cell_count), rows = count(sizes.row_count);
    Fenced cells(nullptr, width * sizeof(std::int32_t)), values(nullptr, width * rows);
    bl_joint_values asked{0, 0, cells.as<std::int32_t>(), values.as<std::uint8_t>()};
    t.joint_values(call.self(), group, &asked);
    call.answer(cells, joint->cells, width, "cell_count cells");
    call.answer(values, joint->rows, width * rows, "row_count rows");
  }
  call.done();
  return there;
}

// The functions that every game has, and those about learning, chance and hidden parts that it has.
void watch(bl_game &t) {
  using F = Function;
  using Word = std::uint64_t;
  const auto over = [](auto &function, auto watched) {
    if (function) function = watched;
  };
  over(t.initial_state, [](void *self, void *s, Word *rng) {
    transformed(self, F::initial_state, s, 0,
                [&](const bl_game &of, void *own, void *copy) { return of.initial_state(own, copy, rng), 0; });
  });
  over(t.training_start, [](void *self, void *s, Word *rng) {
    transformed(self, F::training_start, s, 0,
                [&](const bl_game &of, void *own, void *copy) { return of.training_start(own, copy, rng), 0; });
  });
  over(t.player, [](void *self, const void *s) {
    return asked(self, F::player, s, 0, [](const bl_game &of, void *own, void *copy) { return of.player(own, copy); });
  });
  over(t.last_player, [](void *self, const void *s) {
    return asked(self, F::last_player, s, 0,
                 [](const bl_game &of, void *own, void *copy) { return of.last_player(own, copy); });
  });
  over(t.legal, legal);
  over(t.apply, [](void *self, void *s, std::int32_t action) {
    transformed(self, F::apply, s, action,
                [&](const bl_game &of, void *own, void *copy) { return of.apply(own, copy, action), 0; });
  });
  over(t.scores, [](void *self, const void *s, double *out) {
    filled(self, F::scores, s, 0, out, count(static_cast<Guard *>(self)->table().players), "a number a player",
           [](const bl_game &of, void *own, void *copy, double *answer) { of.scores(own, copy, answer); });
  });
  over(t.chance, chance);
  over(t.sample_chance, [](void *self, const void *s, Word *rng) {
    const std::int32_t drawn = asked(self, F::sample_chance, s, 0, [&](const bl_game &of, void *own, void *copy) {
      return of.sample_chance(own, copy, rng);
    });
    Call(self, F::sample_chance).within(drawn, 0, static_cast<Guard *>(self)->table().outcome_count - 1, "an outcome");
    static_cast<Guard *>(self)->note->function = -1;
    return drawn;
  });
  over(t.to_fields, [](void *self, const void *s, std::int32_t *fields) {
    filled(self, F::to_fields, s, 0, fields, count(static_cast<Guard *>(self)->table().field_count),
           "field_count fields",
           [](const bl_game &of, void *own, void *copy, std::int32_t *answer) { of.to_fields(own, copy, answer); });
  });
  over(t.from_fields, from_fields);
  over(t.reward_name, [](void *self, std::int32_t reward) {
    Call call(self, F::reward_name, reward);
    const char *name = call.table().reward_name(call.self(), reward);
    if (!name) call.fail("returns no name");
    call.done();
    return name;
  });
  over(t.reward_range, [](void *self, std::int32_t reward, double *range) {
    Call call(self, F::reward_range, reward);
    Fenced answer(nullptr, 2 * sizeof(double));
    call.table().reward_range(call.self(), reward, answer.as<double>());
    call.answer(answer, range, 2, "two numbers");
    call.done();
  });
  over(t.reward, [](void *self, std::int32_t reward, const void *s, double *out) {
    filled(self, F::reward, s, reward, out, count(static_cast<Guard *>(self)->table().players), "a number a player",
           [&](const bl_game &of, void *own, void *copy, double *answer) { of.reward(own, reward, copy, answer); });
  });
  over(t.round_over, [](void *self, const void *s) {
    return asked(self, F::round_over, s, 0,
                 [](const bl_game &of, void *own, void *copy) { return of.round_over(own, copy); });
  });
  over(t.moves_left, [](void *self, const void *s) {
    return asked(self, F::moves_left, s, 0,
                 [](const bl_game &of, void *own, void *copy) { return of.moves_left(own, copy); });
  });
  over(t.solve, solve);
  over(t.playout, [](void *self, void *s, Word *rng, std::int32_t most, std::int32_t cut) {
    const std::int32_t played = transformed(self, F::playout, s, most, [&](const bl_game &of, void *own, void *copy) {
      return of.playout(own, copy, rng, most, cut);
    });
    Call(self, F::playout).within(played, 0, most, "a number of actions up to max_actions");
    static_cast<Guard *>(self)->note->function = -1;
    return played;
  });
  over(t.conceal, [](void *self, void *s, std::int32_t player) {
    transformed(self, F::conceal, s, player,
                [&](const bl_game &of, void *own, void *copy) { return of.conceal(own, copy, player), 0; });
  });
  over(t.observe, observe);
  over(t.determinize, [](void *self, void *s, std::int32_t player, Word *rng) {
    transformed(self, F::determinize, s, player,
                [&](const bl_game &of, void *own, void *copy) { return of.determinize(own, copy, player, rng), 0; });
  });
  over(t.completions, completions);
  over(t.cell_values, [](void *self, std::int32_t cell) {
    Call call(self, F::cell_values, cell);
    const std::int32_t values = call.table().cell_values(call.self(), cell);
    call.within(values, 1, 256, "a number of values");
    call.done();
    return values;
  });
  over(t.board_vector, [](void *self, const void *s, std::int32_t player, std::uint8_t *cells) {
    filled(self, F::board_vector, s, player, cells, count(static_cast<Guard *>(self)->table().cells), "`cells` values",
           [&](const bl_game &of, void *own, void *copy, std::uint8_t *answer) {
             of.board_vector(own, copy, player, answer);
           });
  });
  over(t.adjacency, adjacency);
  over(t.stage, [](void *self, const void *s) {
    return asked(self, F::stage, s, 0, [](const bl_game &of, void *own, void *copy) { return of.stage(own, copy); });
  });
  over(t.feature_table_size, [](void *self, std::int32_t table) {
    Call call(self, F::feature_table_size, table);
    const std::int32_t size = call.table().feature_table_size(call.self(), table);
    call.within(size, 1, INT32_MAX, "the size of a table");
    call.done();
    return size;
  });
  over(t.feature_indices, [](void *self, const void *s, std::int32_t player, std::int32_t *indices) {
    filled(self, F::feature_indices, s, player, indices, count(static_cast<Guard *>(self)->table().feature_tables),
           "feature_tables numbers", [&](const bl_game &of, void *own, void *copy, std::int32_t *answer) {
             of.feature_indices(own, copy, player, answer);
           });
  });
  over(t.apply_changes, apply_changes);
  over(t.symmetry, [](void *self, Word g, void *s) {
    transformed(self, F::symmetry, s, static_cast<std::int32_t>(g),
                [&](const bl_game &of, void *own, void *copy) { return of.symmetry(own, g, copy), 0; });
  });
  over(t.symmetry_action, [](void *self, Word g, const void *s, std::int32_t action) {
    return asked(self, F::symmetry_action, s, action,
                 [&](const bl_game &of, void *own, void *copy) { return of.symmetry_action(own, g, copy, action); });
  });
  over(t.symmetry_cells, symmetry_cells);
  over(t.planes, [](void *self, const void *s, std::int32_t player, float *out) {
    const bl_game &own_table = static_cast<Guard *>(self)->table();
    const std::size_t size = count(own_table.plane_count) * count(own_table.plane_rows) * count(own_table.plane_cols);
    filled(self, F::planes, s, player, out, size, "plane_count x plane_rows x plane_cols numbers",
           [&](const bl_game &of, void *own, void *copy, float *answer) { of.planes(own, copy, player, answer); });
  });
  over(t.features, [](void *self, const void *s, std::int32_t player, double *out) {
    filled(self, F::features, s, player, out, count(static_cast<Guard *>(self)->table().feature_count),
           "feature_count numbers",
           [&](const bl_game &of, void *own, void *copy, double *answer) { of.features(own, copy, player, answer); });
  });
  over(t.joint_values, joint_values);
  over(t.situation, situation);
}

}  // namespace

GamePtr guarded(const GamePtr &game, GuardNote *note) {
  bl_game table = game->table();
  table.self = new Guard{game, note};
  table.destroy = [](void *self) { delete static_cast<Guard *>(self); };
  watch(table);
  return std::make_shared<const Game>(game->name(), table);  // destroys the guard if it throws
}

const std::vector<std::string> &guarded_functions() {
#define BOARDLAB_NAME(name) #name,
  static const std::vector<std::string> names{BOARDLAB_GUARDED(BOARDLAB_NAME)};
#undef BOARDLAB_NAME
  return names;
}

}  // namespace boardlab
