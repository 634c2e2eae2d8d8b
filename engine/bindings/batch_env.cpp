#include "arena/batch_env.h"

#include "bindings/python_evaluator.h"

namespace boardlab {

namespace {

// A batch of games as Python holds it, with the arrays that show them, for one thread at a time.
struct PyBatchEnv {
  PyBatchEnv(const GamePtr &game, const BatchOptions &options, std::uint64_t seed)
      : env(game, options), shown(env.encoding()) {
    const std::size_t games = env.size(), players = static_cast<std::size_t>(game->players());
    shown.reserve(games);
    rewards.reserve(games * players * sizeof(double));
    done.reserve(games);
    truncated.reserve(games);
    movers.reserve(games * sizeof(std::int32_t));
    choices.reserve(games * sizeof(std::int64_t));
    env.show_in({shown.input_row(0), shown.legal_row(0), reinterpret_cast<double *>(rewards.data()),
                 reinterpret_cast<bool *>(done.data()), reinterpret_cast<bool *>(truncated.data()),
                 reinterpret_cast<std::int32_t *>(movers.data())});
    const WithoutGil release;
    env.reset(seed);
  }

  BatchEnv env;
  ArrayBatch shown;
  SharedBuffer rewards, done, truncated, movers, choices;
  std::atomic<bool> busy{false};
};

class Occupied {
 public:
  explicit Occupied(PyBatchEnv &e) : env_(e) {
    if (env_.busy.exchange(true)) throw std::invalid_argument("these games are already being played in another thread");
  }
  ~Occupied() { env_.busy = false; }
  Occupied(const Occupied &) = delete;
  Occupied &operator=(const Occupied &) = delete;

 private:
  PyBatchEnv &env_;
};

template <class T>
nb::object column(const PyBatchEnv &e, const SharedBuffer &buffer) {
  const std::size_t shape[1] = {e.env.size()};
  return buffer.view<T>(shape);
}

template <class T>
using Column = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

template <class T>
void one_a_game(const char *what, const PyBatchEnv &e, const Column<T> &given) {
  if (given.shape(0) != e.env.size())
    throw std::invalid_argument(std::string(what) + " must have one entry for every game: " +
                                std::to_string(e.env.size()) + ", not " + std::to_string(given.shape(0)));
}

// A fresh array of inputs that fill(first row) writes without the GIL.
template <class Fill>
nb::object fresh_inputs(const PyBatchEnv &e, std::size_t rows, const Fill &fill) {
  ArrayBatch batch(e.env.encoding());
  batch.reserve(std::max(rows, std::size_t{1}));
  {
    const WithoutGil release;
    fill(batch.input_row(0));
  }
  return batch.inputs(rows);
}

void make_batch_env(PyBatchEnv *self, const std::shared_ptr<Game> &game, std::int64_t games, std::uint64_t seed,
                    const std::string &inputs, const std::string &outcome, std::int64_t max_actions,
                    bool training_starts, std::int64_t threads) {
  BatchOptions options;
  options.games = checked_count("games", games, 1, 1 << 20);
  options.inputs = inputs_named(inputs);
  options.outcome = outcome_index(*game, outcome);
  options.max_actions = static_cast<int>(checked_count("max_actions", max_actions, 1, INT32_MAX));
  options.training_starts = training_starts;
  options.threads = static_cast<int>(checked_count("threads", threads, 1, 1024));
  new (self) PyBatchEnv(game, options, seed);
}

}  // namespace

void bind_batch_env(nb::module_ &m) {
  nb::class_<PyBatchEnv>(m, "BatchEnv", "Many games side by side, one action each at a time.")
      .def("__init__", &make_batch_env, nb::arg("game"), nb::arg("games"), nb::arg("seed"), nb::arg("inputs"),
           nb::arg("outcome"), nb::arg("max_actions"), nb::arg("training_starts"), nb::arg("threads"))
      .def_prop_ro("inputs", [](const PyBatchEnv &e) { return e.shown.inputs(e.env.size()); })
      .def_prop_ro("mask", [](const PyBatchEnv &e) { return e.shown.legal(e.env.size()); })
      .def_prop_ro("rewards",
                   [](const PyBatchEnv &e) {
                     const std::size_t shape[2] = {e.env.size(), static_cast<std::size_t>(e.env.game().players())};
                     return e.rewards.view<double>(shape);
                   })
      .def_prop_ro("done", [](const PyBatchEnv &e) { return column<bool>(e, e.done); })
      .def_prop_ro("truncated", [](const PyBatchEnv &e) { return column<bool>(e, e.truncated); })
      .def_prop_ro("players", [](const PyBatchEnv &e) { return column<std::int32_t>(e, e.movers); })
      .def_prop_ro("choices", [](const PyBatchEnv &e) { return column<std::int64_t>(e, e.choices); })
      .def(
          "reset",
          [](PyBatchEnv &e, std::optional<std::uint64_t> seed) {
            const Occupied occupied(e);
            const WithoutGil release;
            e.env.reset(seed);
          },
          nb::arg("seed").none())
      .def(
          "step",
          [](PyBatchEnv &e, const Column<std::int64_t> &actions, const std::optional<Column<bool>> &where) {
            const Occupied occupied(e);
            one_a_game("actions", e, actions);
            if (where) one_a_game("where", e, *where);
            const WithoutGil release;
            e.env.step(actions.data(), where ? where->data() : nullptr);
          },
          nb::arg("actions").noconvert(), nb::arg("where").noconvert().none())
      .def(
          "draw",
          [](PyBatchEnv &e) {
            const Occupied occupied(e);
            e.env.random_actions(reinterpret_cast<std::int64_t *>(e.choices.data()));
          },
          "Write a random legal action of each game into `choices`.")
      .def(
          "observe",
          [](PyBatchEnv &e, std::int64_t player) {
            const Occupied occupied(e);
            const std::size_t who = checked_count("a player", player, 0, e.env.game().players() - 1);
            return fresh_inputs(e, e.env.size(), [&](std::byte *rows) { e.env.observe(static_cast<int>(who), rows); });
          },
          nb::arg("player"))
      .def(
          "observe_finished",
          [](PyBatchEnv &e, std::int64_t player) {
            const Occupied occupied(e);
            const auto who = static_cast<int>(checked_count("a player", player + 1, 0, e.env.game().players())) - 1;
            return fresh_inputs(e, e.env.finished(), [&](std::byte *rows) { e.env.observe_finished(who, rows); });
          },
          nb::arg("player"), "As this player sees them; -1: each as the player to move, or the last one.")
      .def(
          "state",
          [](PyBatchEnv &e, std::int64_t row) {
            const Occupied occupied(e);
            const std::size_t i = checked_count("a row", row, 0, static_cast<std::int64_t>(e.env.size()) - 1);
            auto state = std::make_shared<PyState>(e.env.game_ptr());
            e.env.game().copy(state->data(), e.env.state(i));
            return state;
          },
          nb::arg("row"));
}

}  // namespace boardlab
