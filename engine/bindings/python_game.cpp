// A game whose rules are a Python object: the contract's table over its methods. Every answer is checked, because the
// engine trusts a table. Exceptions of the rules, and errors about wrong answers, pass through the engine as C++
// exceptions, from any thread.
#include <algorithm>
#include <cmath>
#include <cstring>

#include "bindings/module.h"

namespace boardlab {

namespace {

// A state is the rules' whole numbers, then who moves and who moved last, stored because they are read all the time.
class PythonGame {
 public:
  PythonGame(const nb::object &rules, const nb::dict &facts)
      : rules_(rules),
        random_(nb::module_::import_("random").attr("Random")),
        name_(nb::cast<std::string>(facts["name"])),
        numbers_(nb::cast<int>(facts["numbers"])),
        players_(nb::cast<int>(facts["players"])),
        actions_(nb::cast<int>(facts["action_count"])),
        outcomes_(nb::cast<int>(facts["outcome_count"])),
        planes_(nb::cast<std::vector<int>>(facts["planes"])),
        features_(nb::cast<int>(facts["features"])),
        cell_values_(nb::cast<std::vector<int>>(facts["cell_values"])),
        low_(nb::cast<double>(facts["min_score"])),
        high_(nb::cast<double>(facts["max_score"])),
        is_zero_sum_((nb::cast<std::uint32_t>(facts["flags"]) & BL_ZERO_SUM) != 0) {
    const auto is_cell = [](int values) { return values >= 1 && values <= 256; };
    if (numbers_ < 1 || outcomes_ < 0 || features_ < 0 || planes_.size() != 3 ||
        !std::all_of(cell_values_.begin(), cell_values_.end(), is_cell))
      throw std::invalid_argument("a fact of a game in Python is out of range");
  }

  bl_game table(const nb::dict &facts);

  static constexpr int MOST_SITUATION = 256;

  static PythonGame &of(void *self) { return *static_cast<PythonGame *>(self); }

 private:
  static std::int32_t *numbers_of(void *s) { return static_cast<std::int32_t *>(s); }
  static const std::int32_t *numbers_of(const void *s) { return static_cast<const std::int32_t *>(s); }
  std::int32_t &mover(void *s) const { return numbers_of(s)[numbers_]; }
  std::int32_t &last(void *s) const { return numbers_of(s)[numbers_ + 1]; }

  nb::object position(const void *s) const {
    nb::object tuple = nb::steal(PyTuple_New(numbers_));
    for (int i = 0; i < numbers_; ++i) PyTuple_SET_ITEM(tuple.ptr(), i, PyLong_FromLong(numbers_of(s)[i]));
    return tuple;
  }

  [[noreturn]] void fail(const std::string &what) const {
    const nb::object kind = nb::module_::import_("boardlab.errors").attr("BoardLabError");
    PyErr_SetString(kind.ptr(), (name_ + ": " + what).c_str());
    throw nb::python_error();
  }
  // The same, with the value that was returned and the position.
  [[noreturn]] void refuse(const char *function, const std::string &wanted, nb::handle given,
                           const void *s = nullptr) const {
    const std::string where = s ? " in the position " + shown(position(s), 400) : "";
    fail(std::string(function) + " must return " + wanted + ", not " + shown(given, 200) + where);
  }
  // The object's repr, cut to a number of characters.
  static std::string shown(nb::handle value, Py_ssize_t most) {
    const nb::object text = nb::repr(value);
    if (PyUnicode_GetLength(text.ptr()) <= most) return nb::cast<std::string>(text);
    return nb::cast<std::string>(nb::steal(PyUnicode_Substring(text.ptr(), 0, most))) + " ...";
  }

  template <class... Given>
  nb::object call(const char *function, Given &&...given) const {
    const nb::object asked = rules_.attr(function);
    return in_python([&] { return asked(std::forward<Given>(given)...); });
  }
  nb::object rng(std::uint64_t *word) const { return random_(bl_random(word)); }

  // Reads a sequence with `read(i, item)`, which returns whether the item is valid.
  template <class Read>
  std::size_t read(const char *function, const std::string &wanted, const nb::object &given, std::size_t least,
                   std::size_t most, const void *s, const Read &read_item) const {
    // A copy as a tuple, because converting an item to a number may run code that changes the list.
    const nb::object items = nb::steal(PySequence_Tuple(given.ptr()));
    if (!items.is_valid()) {
      if (!PyErr_ExceptionMatches(PyExc_TypeError)) throw nb::python_error();  // Ctrl-C, or a generator that failed
      PyErr_Clear();
      refuse(function, wanted, given, s);
    }
    const auto n = static_cast<std::size_t>(PyTuple_GET_SIZE(items.ptr()));
    if (n < least || n > most) refuse(function, wanted, given, s);
    for (std::size_t i = 0; i < n; ++i)
      if (!read_item(i, nb::handle(PyTuple_GET_ITEM(items.ptr(), static_cast<Py_ssize_t>(i)))))
        refuse(function, wanted, given, s);
    return n;
  }
  static bool whole(nb::handle item, std::int64_t low, std::int64_t high, std::int32_t &out) {
    const nb::object number = nb::steal(PyNumber_Index(item.ptr()));
    int overflow = 0;
    const long long value = number.is_valid() ? PyLong_AsLongLongAndOverflow(number.ptr(), &overflow) : 0;
    if (PyErr_Occurred()) PyErr_Clear();
    if (!number.is_valid() || overflow || value < low || value > high) return false;
    out = static_cast<std::int32_t>(value);
    return true;
  }
  static bool finite(nb::handle item, double &out) {
    out = PyFloat_AsDouble(item.ptr());
    if (!PyErr_Occurred()) return std::isfinite(out);
    PyErr_Clear();
    return false;
  }
  static std::string range(std::int64_t low, std::int64_t high) {
    return "from " + std::to_string(low) + " to " + std::to_string(high);
  }

  // A position that the rules returned, checked before it replaces another: an invalid one leaves the state unchanged.
  // `before` is the state that it was made from, or null.
  class Found {
   public:
    Found(const PythonGame &game, const char *function, const nb::object &given, const void *before)
        : words_(static_cast<std::size_t>(game.numbers_) + 2) {
      const auto n = static_cast<std::size_t>(game.numbers_);
      game.read(function, std::to_string(n) + " whole numbers of 32 bits", given, n, n, before,
                [&](std::size_t i, nb::handle item) { return whole(item, INT32_MIN, INT32_MAX, words_[i]); });
      if (before) std::copy_n(numbers_of(before) + n, 2, words_.begin() + game.numbers_);
    }
    void *data() { return words_.data(); }
    void replace(void *s) const { std::memcpy(s, words_.data(), words_.size() * sizeof(std::int32_t)); }

   private:
    std::vector<std::int32_t> words_;
  };
  std::int32_t asked_mover(const void *s) const {
    const nb::object given = call("player", position(s));
    std::int32_t p = 0;
    if (!whole(given, BL_TERMINAL, players_ - 1, p) || (p == BL_CHANCE && outcomes_ == 0))
      refuse("player",
             "a player " + range(0, players_ - 1) + (outcomes_ ? ", boardlab.CHANCE" : "") + " or boardlab.TERMINAL",
             given, s);
    return p;
  }
  // The state that a function without an action returns; it must have the same player to move.
  void transform(void *s, const char *function, const nb::object &given) const {
    Found found(*this, function, given, s);
    if (asked_mover(found.data()) != mover(s)) fail(std::string(function) + " must not change who moves");
    found.replace(s);
  }
  void start(void *s, const char *function, std::uint64_t *word) const {
    Found found(*this, function, call(function, rng(word)), nullptr);
    last(found.data()) = BL_CHANCE;
    mover(found.data()) = asked_mover(found.data());
    found.replace(s);
  }
  int legal(const void *s, std::int32_t *out) const {
    const std::string wanted = "the legal actions, at least one, each " + range(0, actions_ - 1) + " and once";
    const nb::object given = call("legal", position(s));
    const std::size_t n = read("legal", wanted, given, 1, static_cast<std::size_t>(actions_), s,
                               [&](std::size_t i, nb::handle item) { return whole(item, 0, actions_ - 1, out[i]); });
    std::sort(out, out + n);
    if (std::adjacent_find(out, out + n) != out + n) refuse("legal", wanted, given, s);
    return static_cast<int>(n);
  }
  void apply(void *s, std::int32_t action) const {
    Found found(*this, "apply", call("apply", position(s), action), s);
    if (mover(s) >= 0) last(found.data()) = mover(s);
    mover(found.data()) = asked_mover(found.data());
    found.replace(s);
  }
  int chance(const void *s, std::int32_t *outcomes, double *probabilities) const {
    std::vector<std::pair<std::int32_t, double>> found;
    const std::string wanted =
        "pairs of an outcome " + range(0, outcomes_ - 1) + ", each once, and its probability, which add up to 1";
    const nb::object given = call("chance", position(s));
    double sum = 0;
    read("chance", wanted, given, 1, static_cast<std::size_t>(outcomes_), s, [&](std::size_t, nb::handle item) {
      const nb::object pair = nb::steal(PySequence_Tuple(item.ptr()));
      if (!pair.is_valid()) PyErr_Clear();
      if (!pair.is_valid() || PyTuple_GET_SIZE(pair.ptr()) != 2) return false;
      std::int32_t outcome = 0;
      double p = 0;
      if (!whole(PyTuple_GET_ITEM(pair.ptr(), 0), 0, outcomes_ - 1, outcome) ||
          !finite(PyTuple_GET_ITEM(pair.ptr(), 1), p) || p <= 0)
        return false;
      found.emplace_back(outcome, p);
      sum += p;
      return true;
    });
    std::sort(found.begin(), found.end());
    for (std::size_t i = 1; i < found.size(); ++i)
      if (found[i].first == found[i - 1].first) refuse("chance", wanted, given, s);
    if (std::abs(sum - 1) > 1e-9) refuse("chance", wanted, given, s);
    for (std::size_t i = 0; i < found.size(); ++i) outcomes[i] = found[i].first, probabilities[i] = found[i].second;
    return static_cast<int>(found.size());
  }
  // Numbers for a player: one for each player or feature.
  void doubles(const char *function, const nb::object &given, int n, const void *s, double *out) const {
    read(function, std::to_string(n) + (n == 1 ? " finite number" : " finite numbers"), given,
         static_cast<std::size_t>(n), static_cast<std::size_t>(n), s,
         [&](std::size_t i, nb::handle item) { return finite(item, out[i]); });
  }
  // Final scores must be within the range that the game declares, because searches scale by it.
  void scores(const void *s, double *out) const {
    const nb::object given = call("scores", position(s));
    doubles("scores", given, players_, s, out);
    if (numbers_of(s)[numbers_] != BL_TERMINAL) return;
    double sum = 0;
    for (int p = 0; p < players_; ++p) {
      sum += out[p];
      if (out[p] < low_ - 1e-9 || out[p] > high_ + 1e-9) refuse("scores", "numbers within score_range", given, s);
    }
    if (is_zero_sum_ && std::abs(sum) > 1e-9)
      refuse("scores", "numbers that add up to 0 (or is_zero_sum is False)", given, s);
  }
  // Checks arbitrary numbers: null if they are a state, otherwise what is wrong with them.
  const char *from_fields(void *s, const std::int32_t *fields) const {
    static thread_local std::string why;
    if (fields[numbers_] < BL_CHANCE || fields[numbers_] >= players_) {
      why = "the last field, who moved last, must be " + range(BL_CHANCE, players_ - 1);
      return why.c_str();
    }
    std::memcpy(s, fields, static_cast<std::size_t>(numbers_) * sizeof(std::int32_t));
    last(s) = fields[numbers_];
    try {
      const nb::object said = call("check", position(s));
      if (!said.is_none()) {
        why = nb::cast<std::string>(nb::str(said));
        return why.c_str();
      }
      mover(s) = asked_mover(s);
    } catch (nb::python_error &error) {
      if (!error.matches(PyExc_Exception)) throw;
      why = error.matches(PyExc_ValueError) ? nb::cast<std::string>(nb::str(error.value())) : describe(error);
      if (why.starts_with(name_ + ": ")) why.erase(0, name_.size() + 2);  // the caller adds the name
      return why.c_str();
    }
    return nullptr;
  }
  void board_vector(const void *s, int player, std::uint8_t *cells) const {
    const std::size_t n = cell_values_.size();
    read("board_vector", std::to_string(n) + " cells, each from 0 to below its cell_values",
         call("board_vector", position(s), player), n, n, s, [&](std::size_t i, nb::handle item) {
           std::int32_t value = 0;
           if (!whole(item, 0, cell_values_[i] - 1, value)) return false;
           cells[i] = static_cast<std::uint8_t>(value);
           return true;
         });
  }
  int adjacency(int cell, std::int32_t *neighbours) const {
    const auto n = static_cast<std::int64_t>(cell_values_.size());
    return static_cast<int>(read("adjacency", "the neighbours of a cell, each " + range(0, n - 1),
                                 call("adjacency", cell), 0, static_cast<std::size_t>(n), nullptr,
                                 [&](std::size_t i, nb::handle item) { return whole(item, 0, n - 1, neighbours[i]); }));
  }
  std::int32_t symmetry_action(std::uint64_t g, const void *s, std::int32_t action) const {
    const nb::object given = call("symmetry_action", g, position(s), action);
    std::int32_t found = 0;
    if (!whole(given, 0, actions_ - 1, found))
      refuse("symmetry_action", "an action " + range(0, actions_ - 1), given, s);
    return found;
  }
  void symmetry_cells(std::uint64_t g, std::int32_t *source, std::uint8_t *values) const {
    const std::size_t n = cell_values_.size();
    read("symmetry_cells", "for each of the " + std::to_string(n) + " cells the number of the cell that moves there",
         call("symmetry_cells", g), n, n, nullptr,
         [&](std::size_t i, nb::handle item) { return whole(item, 0, static_cast<std::int64_t>(n) - 1, source[i]); });
    for (std::size_t i = 0; i < n; ++i)
      for (int v = 0; v < 256; ++v) values[i * 256 + static_cast<std::size_t>(v)] = static_cast<std::uint8_t>(v);
  }
  int situation(const void *s, int player, std::uint8_t *key) const {
    std::int32_t numbers[MOST_SITUATION];
    const std::size_t n =
        read("situation", "at most " + std::to_string(MOST_SITUATION) + " whole numbers of 32 bits",
             call("situation", position(s), player), 0, MOST_SITUATION, s,
             [&](std::size_t i, nb::handle item) { return whole(item, INT32_MIN, INT32_MAX, numbers[i]); });
    std::memcpy(key, numbers, n * sizeof(std::int32_t));
    return static_cast<int>(n * sizeof(std::int32_t));
  }
  int retrace(const void *s, void *start, std::int32_t capacity, std::int32_t *actions) const {
    const nb::object given = call("retrace", position(s));
    nb::tuple pair;
    if (!nb::try_cast(given, pair) || pair.size() != 2)
      refuse("retrace", "(position, actions): where the round began, and the actions and outcomes since", given, s);
    // Who moved last before the round does not matter, unless nobody has acted since.
    Found found(*this, "retrace", pair[0], s);
    mover(found.data()) = asked_mover(found.data());
    found.replace(start);
    return static_cast<int>(read("retrace", "at most " + std::to_string(capacity) + " actions and outcomes", pair[1], 0,
                                 static_cast<std::size_t>(capacity), s, [&](std::size_t i, nb::handle item) {
                                   return whole(item, 0, std::max(actions_, outcomes_) - 1, actions[i]);
                                 }));
  }
  void planes(const void *s, int player, float *out) const {
    using Planes = nb::ndarray<const float, nb::ndim<3>, nb::c_contig, nb::device::cpu>;
    const nb::object given = call("_planes", position(s), player);
    Planes found;
    const auto size = [&](std::size_t axis) { return static_cast<std::size_t>(planes_[axis]); };
    if (!nb::try_cast(given, found) || found.shape(0) != size(0) || found.shape(1) != size(1) ||
        found.shape(2) != size(2))
      refuse("planes", "an array of the same shape as in the first position", given, s);
    const std::size_t n = size(0) * size(1) * size(2);
    if (!std::all_of(found.data(), found.data() + n, [](float x) { return std::isfinite(x); }))
      refuse("planes", "finite numbers", given, s);
    std::copy_n(found.data(), n, out);
  }

  nb::object rules_, random_;
  std::string name_;
  int numbers_, players_, actions_, outcomes_;
  std::vector<int> planes_;
  int features_;
  std::vector<int> cell_values_;
  double low_, high_;
  bool is_zero_sum_;
};

bl_game PythonGame::table(const nb::dict &facts) {
  const auto number = [&](const char *name) { return nb::cast<std::int32_t>(facts[name]); };
  const auto real = [&](const char *name) { return nb::cast<double>(facts[name]); };
  const auto has = [&](const char *name) {
    return nb::cast<bool>(nb::object(facts["has"]).attr("__contains__")(nb::str(name)));
  };
  bl_game t{};
  t.abi_version = BL_GAME_ABI;
  t.struct_size = sizeof(bl_game);
  t.self = this;
  t.destroy = [](void *self) {
    const Gil gil;
    delete &of(self);
  };
  t.state_size = static_cast<std::int32_t>(sizeof(std::int32_t)) * (numbers_ + 2);
  t.players = players_;
  t.action_count = actions_;
  t.outcome_count = outcomes_;
  t.max_legal = std::max(actions_, outcomes_);
  t.horizon = number("horizon");
  t.flags = static_cast<std::uint32_t>(number("flags"));
  t.min_score = low_;
  t.max_score = high_;
  t.step_reward = real("step_reward");
  t.field_count = numbers_ + 1;
  t.initial_state = [](void *self, void *s, std::uint64_t *rng) {
    const Gil gil;
    of(self).start(s, "initial_state", rng);
  };
  t.player = [](void *self, const void *s) { return numbers_of(s)[of(self).numbers_]; };
  t.last_player = [](void *self, const void *s) { return numbers_of(s)[of(self).numbers_ + 1]; };
  t.legal = [](void *self, const void *s, std::int32_t *actions) {
    const Gil gil;
    return of(self).legal(s, actions);
  };
  t.apply = [](void *self, void *s, std::int32_t action) {
    const Gil gil;
    of(self).apply(s, action);
  };
  t.scores = [](void *self, const void *s, double *scores) {
    const Gil gil;
    const PythonGame &g = of(self);
    g.scores(s, scores);
  };
  if (outcomes_)
    t.chance = [](void *self, const void *s, std::int32_t *outcomes, double *probabilities) {
      const Gil gil;
      return of(self).chance(s, outcomes, probabilities);
    };
  t.to_fields = [](void *self, const void *s, std::int32_t *fields) {
    const auto n = static_cast<std::size_t>(of(self).numbers_);
    std::memcpy(fields, s, n * sizeof(std::int32_t));
    fields[n] = numbers_of(s)[n + 1];
  };
  t.from_fields = [](void *self, void *s, const std::int32_t *fields) {
    const Gil gil;
    return of(self).from_fields(s, fields);
  };
  if (has("training_start"))
    t.training_start = [](void *self, void *s, std::uint64_t *rng) {
      const Gil gil;
      of(self).start(s, "training_start", rng);
    };
  if (has("round_over"))
    t.round_over = [](void *self, const void *s) -> std::int32_t {
      const Gil gil;
      const int truth = PyObject_IsTrue(of(self).call("round_over", of(self).position(s)).ptr());
      if (truth < 0) throw nb::python_error();
      return truth;
    };
  if (has("moves_left"))
    t.moves_left = [](void *self, const void *s) {
      const Gil gil;
      const PythonGame &g = of(self);
      const nb::object given = g.call("moves_left", g.position(s));
      double left = 0;
      if (!finite(given, left) || left < 0) g.refuse("moves_left", "a number of at least 0", given, s);
      return left;
    };
  if (has("conceal")) {
    t.conceal = [](void *self, void *s, std::int32_t player) {
      const Gil gil;
      const PythonGame &g = of(self);
      Found(g, "conceal", g.call("conceal", g.position(s), player), s).replace(s);
    };
    t.determinize = [](void *self, void *s, std::int32_t player, std::uint64_t *rng) {
      const Gil gil;
      const PythonGame &g = of(self);
      g.transform(s, "determinize", g.call("determinize", g.position(s), player, g.rng(rng)));
    };
  }
  if (has("board_vector")) {
    t.cells = static_cast<std::int32_t>(cell_values_.size());
    t.cell_values = [](void *self, std::int32_t cell) -> std::int32_t {
      return of(self).cell_values_[static_cast<std::size_t>(cell)];
    };
    t.board_vector = [](void *self, const void *s, std::int32_t player, std::uint8_t *cells) {
      const Gil gil;
      of(self).board_vector(s, player, cells);
    };
    if (has("adjacency"))
      t.adjacency = [](void *self, std::int32_t cell, std::int32_t *neighbours) {
        const Gil gil;
        return of(self).adjacency(cell, neighbours);
      };
  }
  if (has("symmetry")) {
    t.symmetries = static_cast<std::uint64_t>(number("symmetries"));
    t.symmetry = [](void *self, std::uint64_t g, void *s) {
      const Gil gil;
      const PythonGame &game = of(self);
      game.transform(s, "symmetry", game.call("symmetry", g, game.position(s)));
    };
    t.symmetry_action = [](void *self, std::uint64_t g, const void *s, std::int32_t action) {
      const Gil gil;
      return of(self).symmetry_action(g, s, action);
    };
    if (has("symmetry_cells"))
      t.symmetry_cells = [](void *self, std::uint64_t g, std::int32_t *source, std::uint8_t *values) -> std::int32_t {
        const Gil gil;
        of(self).symmetry_cells(g, source, values);
        return 1;
      };
  }
  if (has("planes")) {
    t.plane_count = planes_[0];
    t.plane_rows = planes_[1];
    t.plane_cols = planes_[2];
    t.planes = [](void *self, const void *s, std::int32_t player, float *planes) {
      const Gil gil;
      of(self).planes(s, player, planes);
    };
  }
  if (has("features")) {
    t.feature_count = features_;
    t.features = [](void *self, const void *s, std::int32_t player, double *features) {
      const Gil gil;
      const PythonGame &g = of(self);
      g.doubles("features", g.call("features", g.position(s), player), g.features_, s, features);
    };
  }
  if (has("situation")) {
    t.situation_size = static_cast<std::int32_t>(sizeof(std::int32_t)) * MOST_SITUATION;
    t.hand_features = number("hand_features");
    t.situation = [](void *self, const void *s, std::int32_t player, std::uint8_t *key) {
      const Gil gil;
      return of(self).situation(s, player, key);
    };
  }
  if (has("retrace"))
    t.retrace = [](void *self, const void *s, void *start, std::int32_t capacity, std::int32_t *actions) {
      const Gil gil;
      return static_cast<std::int32_t>(of(self).retrace(s, start, capacity, actions));
    };
  return t;
}

}  // namespace

void bind_python_game(nb::module_ &m) {
  m.def(
      "python_game",
      [](const nb::object &rules, const nb::dict &facts) {
        std::unique_ptr<PythonGame> game;
        bl_game table;
        try {
          game = std::make_unique<PythonGame>(rules, facts);
          table = game->table(facts);
        } catch (const nb::cast_error &) {
          throw std::invalid_argument("a fact of a game in Python has the wrong type");
        }
        game.release();  // the table's destroy frees it, also if the constructor throws
        return std::make_shared<Game>(nb::cast<std::string>(facts["name"]), table);
      },
      nb::arg("rules"), nb::arg("facts"),
      "A game whose rules are the methods of a Python object; see boardlab.PythonGame.");
}

}  // namespace boardlab
