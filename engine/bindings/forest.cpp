#include "search/forest.h"

#include <limits>

#include "bindings/python_evaluator.h"
#include "bindings/tree_options.h"

namespace boardlab {

namespace {

// A forest as Python holds it, with the arrays that show its leaves, for one thread at a time.
struct PyForest {
  PyForest(const GamePtr &game, int outcome, Inputs inputs, const ForestOptions &options, std::uint64_t seed)
      : forest(game, outcome, inputs, options, seed), batch(forest.encoding()) {
    batch.reserve(forest.capacity());
  }
  Forest forest;
  ArrayBatch batch;
  std::atomic<bool> busy{false};
};

class Occupied {
 public:
  explicit Occupied(PyForest &f) : forest_(f) {
    if (forest_.busy.exchange(true)) throw std::invalid_argument("this forest is already searching in another thread");
  }
  ~Occupied() { forest_.busy = false; }
  Occupied(const Occupied &) = delete;
  Occupied &operator=(const Occupied &) = delete;

 private:
  PyForest &forest_;
};

template <class T>
using Vector = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

template <class T>
const T *one_a_tree(const char *what, const Forest &forest, const Vector<T> &array) {
  if (array.shape(0) != forest.size())
    throw std::invalid_argument(std::string(what) + " must have one entry for every tree: " +
                                std::to_string(forest.size()) + ", not " + std::to_string(array.shape(0)));
  return array.data();
}

std::size_t checked_tree(const Forest &forest, std::int64_t i) {
  return checked_count("a tree", i, 0, static_cast<std::int64_t>(forest.size()) - 1);
}

// Games must not change while leaves wait for their evaluation.
void check_idle(const Forest &forest) {
  if (forest.waiting() > 0)
    throw std::invalid_argument("a search is under way: answer its leaves with step until none waits, or forget it");
}

// [trees, columns], each row written by fill(tree, row).
template <class T, class Fill>
Array<T> rows_of(const Forest &forest, std::size_t columns, T empty, const Fill &fill) {
  T *data;
  auto array = new_array<T>({forest.size(), columns}, &data);
  std::fill_n(data, forest.size() * columns, empty);
  for (std::size_t i = 0; i < forest.size(); ++i) fill(i, data + i * columns);
  return array;
}

// `ranked`: the threshold for final scores, if rewards are ranked.
void make_forest(PyForest *self, const std::shared_ptr<Game> &game, std::int64_t trees, const TreeOptions &tree,
                 const std::string &inputs, const std::string &outcome, double rollout_weight,
                 std::optional<double> ranked, std::int64_t cache_bytes, std::int64_t threads, std::uint64_t seed) {
  ForestOptions options;
  options.trees = static_cast<int>(checked_count("trees", trees, 1, 1 << 20));
  options.tree = checked_tree(tree);
  options.tree.ranked = ranked.has_value();
  options.tree.threshold = ranked.value_or(0);
  options.rollout_weight = checked_number("rollout_weight", rollout_weight, 0, 1);
  options.cache_bytes = checked_count("cache_bytes", cache_bytes, 0, 1ll << 40);
  options.threads = static_cast<int>(checked_count("threads", threads, 1, 1024));
  if (ranked && game->players() != 1)
    throw std::invalid_argument("ranked rewards need a game for one player; " + game->name() + " has more");
  if (game->is_hidden())
    throw std::invalid_argument("a forest cannot search a game with hidden information such as " + game->name());
  new (self) PyForest(game, outcome_index(*game, outcome), inputs_named(inputs), options, seed);
}

}  // namespace

void bind_forest(nb::module_ &m) {
  nb::class_<PyForest>(m, "Forest", "Many trees side by side, whose leaves are evaluated as one batch.")
      .def("__init__", &make_forest, nb::arg("game"), nb::arg("trees"), nb::arg("tree"), nb::arg("inputs"),
           nb::arg("outcome"), nb::arg("rollout_weight"), nb::arg("ranked").none(), nb::arg("cache_bytes"),
           nb::arg("threads"), nb::arg("seed"))
      .def_prop_ro("trees", [](const PyForest &f) { return f.forest.size(); })
      .def_prop_ro(
          "inputs", [](const PyForest &f) { return f.batch.inputs(f.forest.capacity()); },
          "The rows that wait for an evaluation; only the first ones are filled.")
      .def_prop_ro("legal", [](const PyForest &f) { return f.batch.legal(f.forest.capacity()); })
      .def(
          "state",
          [](PyForest &f, std::int64_t i) {
            const Occupied occupied(f);
            auto state = std::make_shared<PyState>(f.forest.game_ptr());
            f.forest.game().copy(state->data(), f.forest.state(checked_tree(f.forest, i)));
            return state;
          },
          nb::arg("tree"))
      .def(
          "set_state",
          [](PyForest &f, std::int64_t i, const PyState &state) {
            const Occupied occupied(f);
            if (state.game != f.forest.game_ptr()) throw std::invalid_argument("the state belongs to another game");
            check_idle(f.forest);
            f.forest.set_state(checked_tree(f.forest, i), state.data());
          },
          nb::arg("tree"), nb::arg("state"))
      .def(
          "restart",
          [](PyForest &f, const Vector<std::int64_t> &trees, bool training_start) {
            const Occupied occupied(f);
            std::vector<std::size_t> chosen;
            for (std::size_t i = 0; i < trees.shape(0); ++i) chosen.push_back(checked_tree(f.forest, trees.data()[i]));
            check_idle(f.forest);
            f.forest.restart(chosen, training_start);
          },
          nb::arg("trees").noconvert(), nb::arg("training_start"))
      .def(
          "play",
          [](PyForest &f, const Vector<std::int64_t> &actions) {
            const Occupied occupied(f);
            const std::int64_t *chosen = one_a_tree("actions", f.forest, actions);
            const Game &game = f.forest.game();
            std::vector<Action> legal(static_cast<std::size_t>(game.max_legal())), actions_played;
            std::vector<std::size_t> trees;
            for (std::size_t i = 0; i < f.forest.size(); ++i) {
              if (chosen[i] == -1) continue;
              const bool over = game.player(f.forest.state(i)) == TERMINAL;
              const int n = over ? 0 : game.legal(f.forest.state(i), legal.data());
              if (std::find(legal.begin(), legal.begin() + n, chosen[i]) == legal.begin() + n)
                throw std::invalid_argument("action " + std::to_string(chosen[i]) +
                                            " is not legal in the game of tree " + std::to_string(i) +
                                            (over ? ", which is over" : ""));
              trees.push_back(i);
              actions_played.push_back(static_cast<Action>(chosen[i]));
            }
            check_idle(f.forest);
            f.forest.play(trees, actions_played);
          },
          nb::arg("actions").noconvert(), "Play one action in every tree (-1: none), then nature's moves.")
      .def(
          "fields",
          [](PyForest &f) {
            const Occupied occupied(f);
            const bl_game &table = f.forest.game().table();
            return rows_of<std::int32_t>(
                f.forest, static_cast<std::size_t>(table.field_count), 0,
                [&](std::size_t i, std::int32_t *row) { table.to_fields(table.self, f.forest.state(i), row); });
          },
          "[trees, fields] of the games' states")
      .def_prop_ro(
          "players",
          [](PyForest &f) {
            const Occupied occupied(f);
            std::int64_t *data;
            auto array = new_array<std::int64_t>({f.forest.size()}, &data);
            for (std::size_t i = 0; i < f.forest.size(); ++i) data[i] = f.forest.game().player(f.forest.state(i));
            return array;
          },
          nb::rv_policy::move)
      .def(
          "outcomes",
          [](PyForest &f, const std::string &name) {
            const Occupied occupied(f);
            const Game &game = f.forest.game();
            const int which = outcome_index(game, name);
            return rows_of<double>(f.forest, static_cast<std::size_t>(game.players()), 0.0,
                                   [&](std::size_t i, double *row) { game.outcome(which, f.forest.state(i), row); });
          },
          nb::arg("outcome"), "[trees, players]")
      .def(
          "round_ends",
          [](PyForest &f) {
            const Occupied occupied(f);
            const auto players = static_cast<std::size_t>(f.forest.game().players());
            return rows_of<double>(f.forest, players, std::numeric_limits<double>::quiet_NaN(),
                                   [&](std::size_t i, double *row) {
                                     if (const double *end = f.forest.round_end(i)) std::copy_n(end, players, row);
                                   });
          },
          "[trees, players]: the outcome at the end of the last action's round; NaN if the round goes on")
      .def(
          "root_inputs",
          [](PyForest &f) {
            const Occupied occupied(f);
            ArrayBatch roots(f.forest.encoding());
            const Game &game = f.forest.game();
            roots.reserve(f.forest.size());
            std::vector<Action> legal;
            for (std::size_t i = 0; i < f.forest.size(); ++i) {
              if (game.player(f.forest.state(i)) == TERMINAL) continue;
              legal.resize(static_cast<std::size_t>(game.max_legal()));
              legal.resize(static_cast<std::size_t>(game.legal(f.forest.state(i), legal.data())));
              roots.encoding().write(f.forest.state(i), legal, roots.input_row(i), roots.legal_row(i));
            }
            return nb::make_tuple(roots.inputs(f.forest.size()), roots.legal(f.forest.size()));
          },
          "(inputs, legal) of the current states; zeros for finished games")
      .def(
          "start",
          [](PyForest &f, const Vector<std::int64_t> &iterations, const Vector<bool> &noise) {
            const Occupied occupied(f);
            const std::int64_t *wanted = one_a_tree("iterations", f.forest, iterations);
            for (std::size_t i = 0; i < f.forest.size(); ++i)
              checked_count("iterations", wanted[i], 0, f.forest.has_gumbel() ? 100'000'000 : 1 << 30);
            const bool *noisy = one_a_tree("noise", f.forest, noise);
            const WithoutGil release;
            return f.forest.start(wanted, noisy, f.batch.input_row(0), f.batch.legal_row(0));
          },
          nb::arg("iterations").noconvert(), nb::arg("noise").noconvert(),
          "Begin a search; return the number of rows that wait for evaluation.")
      .def(
          "step",
          [](PyForest &f, const FloatMatrix &values, const FloatMatrix &logits) {
            const Occupied occupied(f);
            const Answers answers = checked_answers(f.forest.game(), f.forest.waiting(), values, logits);
            const WithoutGil release;
            return f.forest.step(answers, f.batch.input_row(0), f.batch.legal_row(0));
          },
          nb::arg("values"), nb::arg("logits"), "Back up the answers; return the number of rows that wait now.")
      .def("forget",
           [](PyForest &f) {
             const Occupied occupied(f);
             f.forest.forget();
           })
      .def("clear_cache",
           [](PyForest &f) {
             const Occupied occupied(f);
             f.forest.clear_cache();
           })
      .def(
          "visits",
          [](PyForest &f) {
            const Occupied occupied(f);
            return rows_of<std::int64_t>(f.forest, static_cast<std::size_t>(f.forest.game().action_count()), 0,
                                         [&](std::size_t i, std::int64_t *row) {
                                           for (const Node &child : f.forest.root_children(i))
                                             row[child.action] = child.visits;
                                         });
          },
          "[trees, actions] of the roots")
      .def(
          "values",
          [](PyForest &f) {
            const Occupied occupied(f);
            return rows_of<double>(f.forest, static_cast<std::size_t>(f.forest.game().action_count()),
                                   std::numeric_limits<double>::quiet_NaN(), [&](std::size_t i, double *row) {
                                     for (const Node &child : f.forest.root_children(i))
                                       if (child.visits) row[child.action] = child.value_sum / child.visits;
                                   });
          },
          "[trees, actions]: mean values for the player to move; NaN for unvisited actions")
      .def(
          "root_values",
          [](PyForest &f) {
            const Occupied occupied(f);
            const int players = f.forest.game().players();
            return rows_of<double>(f.forest, static_cast<std::size_t>(players),
                                   std::numeric_limits<double>::quiet_NaN(), [&](std::size_t i, double *row) {
                                     if (f.forest.root_children(i).empty()) return;
                                     for (int p = 0; p < players; ++p) row[p] = f.forest.tree(i).root_mean(p);
                                   });
          },
          "[trees, players]: mean over the descents of the last search")
      .def(
          "policy",
          [](PyForest &f) {
            const Occupied occupied(f);
            return rows_of<double>(f.forest, static_cast<std::size_t>(f.forest.game().action_count()), 0.0,
                                   [&](std::size_t i, double *row) { f.forest.policy(i, row); });
          },
          "[trees, actions]: the reported policy; zeros without a search")
      .def(
          "choices",
          [](PyForest &f) {
            const Occupied occupied(f);
            std::int64_t *data;
            auto array = new_array<std::int64_t>({f.forest.size()}, &data);
            for (std::size_t i = 0; i < f.forest.size(); ++i) {
              const auto children = f.forest.root_children(i);
              data[i] = -1;
              if (children.empty()) continue;
              const auto running = f.forest.tree(i).running();
              const auto better = [](const Node &x, const Node &y) {  // ranked as in the search mcts
                if (!x.visits || x.visits != y.visits) return x.visits > y.visits;
                return x.mean() > y.mean();
              };
              const Node *best = nullptr;
              for (const Node &child : children)
                if (running.has(child) && (!best || better(child, *best))) best = &child;
              if (f.forest.has_gumbel())
                if (const Node &child = children[f.forest.tree(i).gumbel_choice()]; running.has(child)) best = &child;
              data[i] = best->action;
            }
            return array;
          },
          "[trees]: the most visited action that the solver has not ruled out, or the one of them that Gumbel's "
          "selection "
          "ends with; -1 without a search")
      .def_prop_ro("evaluations", [](const PyForest &f) { return f.forest.evaluations(); })
      .def_prop_ro("shared", [](const PyForest &f) { return f.forest.shared(); })
      .def_prop_ro("encode_seconds", [](const PyForest &f) { return f.forest.encode_seconds(); })
      .def_prop_ro("nodes", [](PyForest &f) {
        const Occupied occupied(f);
        std::size_t sum = 0;
        for (std::size_t i = 0; i < f.forest.size(); ++i) sum += f.forest.tree(i).node_count();
        return sum;
      });
}

}  // namespace boardlab
