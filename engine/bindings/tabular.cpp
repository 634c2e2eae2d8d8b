#include "bindings/learners.h"
#include "evaluators/q_table.h"
#include "tabular/q_learner.h"

namespace boardlab {

namespace {

using tabular::QLearner;
using tabular::QSettings;
using tabular::QTable;
using tabular::QTableEvaluator;
using tabular::QTablePtr;
using PyQLearner = PyKindOfLearner<QLearner>;

template <class T>
nb::ndarray<nb::numpy, T, nb::ndim<1>> shown(nb::handle self, std::vector<T> QTable::*array) {
  std::vector<T> &values = (*nb::cast<QTablePtr>(self)).*array;
  return {values.data(), {values.size()}, self};
}

}  // namespace

void bind_tabular(nb::module_ &m) {
  nb::class_<QTable>(m, "QTable", "Values of pairs of state and action in a hash table of fixed size.")
      .def(
          "__init__",
          [](QTable *self, const std::shared_ptr<Game> &game, const std::string &outcome, std::int64_t bytes,
             bool by_cells) {
            checked_count("bytes", bytes, 1, std::int64_t{1} << 42);
            new (self) QTable(game, outcome_index(*game, outcome), static_cast<std::uint64_t>(bytes), by_cells);
          },
          nb::arg("game"), nb::arg("outcome"), nb::arg("bytes"), nb::arg("by_cells") = false)
      .def_prop_ro("count", &QTable::count, "Number of pairs learned.")
      .def_prop_ro("most", &QTable::most, "Number of pairs that fit.")
      .def_prop_ro("keys", [](nb::handle self) { return shown(self, &QTable::keys); })
      .def_prop_ro("values", [](nb::handle self) { return shown(self, &QTable::values); })
      .def("recount", &QTable::recount, "Call after filling the arrays; raises an error if they are inconsistent.")
      .def(
          "value",
          [](const QTable &t, const PyState &s, std::int64_t action) -> std::optional<double> {
            if (s.game != t.game_ptr()) throw std::invalid_argument("the state belongs to another game than the table");
            s.check_action(action);
            std::vector<std::uint8_t> cells;
            const double *found = t.find(t.pair(t.key(s.data(), cells), static_cast<Action>(action)));
            return found ? std::optional<double>(*found) : std::nullopt;
          },
          nb::arg("state"), nb::arg("action"), "Q of the pair, or None if it was never learned.")
      .def(
          "evaluator",
          [](const QTablePtr &t, std::int64_t rollouts) -> std::shared_ptr<Evaluator> {
            return std::make_shared<QTableEvaluator>(t,
                                                     static_cast<int>(checked_count("rollouts", rollouts, 0, 1000000)));
          },
          nb::arg("rollouts"));

  nb::class_<PyQLearner, PyLearner>(m, "QLearner", "Tabular Q-learning and QM-learning.")
      .def(
          "__init__",
          [](PyQLearner *self, const QTablePtr &table, const ntuple::TdSettings &settings, const std::string &outcome,
             bool random_opponents, bool asks_monte_carlo, std::int64_t search_iterations, double search_seconds,
             std::uint64_t seed) {
            QSettings q;
            q.play = checked_self_play(table->game(), settings, outcome);
            if (q.play.outcome != table->outcome()) throw std::invalid_argument("the table is for another outcome");
            if (!(q.play.alpha <= 1 && q.play.alpha_final <= 1))
              throw std::invalid_argument("alpha must be at most 1 for a table");
            q.random_opponents = random_opponents;
            q.asks_monte_carlo = asks_monte_carlo;
            q.search_iterations =
                static_cast<std::int64_t>(checked_count("search_iterations", search_iterations, 0, INT64_MAX));
            q.search_seconds = search_seconds;
            if (!(search_seconds >= 0 && search_seconds <= 1e6))
              throw std::invalid_argument("search_seconds must be from 0 to 1000000");
            if (asks_monte_carlo && search_iterations == 0 && search_seconds == 0)
              throw std::invalid_argument("Monte Carlo Search needs a number of iterations or of seconds");
            new (self) PyQLearner(std::make_unique<QLearner>(table, q, seed));
          },
          nb::arg("table"), nb::arg("settings"), nb::arg("outcome"), nb::arg("random_opponents"),
          nb::arg("asks_monte_carlo"), nb::arg("search_iterations"), nb::arg("search_seconds"), nb::arg("seed"))
      .def_prop_ro("table", [](const PyQLearner &l) { return l.kind().table(); });
}

}  // namespace boardlab
