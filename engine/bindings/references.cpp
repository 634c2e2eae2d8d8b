#include "bindings/searches.h"
#include "evaluators/cell_weights.h"
#include "games/2048_tiles.h"
#include "games/connectfour_solver.h"
#include "search/solved.h"

namespace boardlab {

void bind_references(nb::module_ &m) {
  nb::class_<ConnectFourSolver>(m, "ConnectFourSolver", "Exact scores of Connect Four positions.")
      .def(
          "__init__",
          [](ConnectFourSolver *self, int rows, int cols, int connect, std::int64_t table_mb) {
            new (self) ConnectFourSolver(rows, cols, connect, checked_count("table_mb", table_mb, 1, 65536) << 20);
          },
          nb::arg("rows"), nb::arg("cols"), nb::arg("connect"), nb::arg("table_mb"))
      .def(
          "scores",
          [](ConnectFourSolver &solver, const std::vector<int> &cells) {
            SignalPoll signals;  // keeps the GIL, because a solver is for one thread at a time
            return solver.scores(cells, [&signals] { signals(); });
          },
          nb::arg("cells"),
          "The score of each column: stones left to the winner, positive for the side to move; -1000 if it is full.");

  m.def(
      "solved_search",
      [](const std::shared_ptr<Game> &game, std::int64_t max_states, std::int64_t table_mb, std::uint64_t seed) {
        const std::size_t most = checked_count("max_states", max_states, 1, 1'000'000'000);
        const std::size_t bytes = checked_count("table_mb", table_mb, 1, 65536) << 20;
        SignalPoll signals;
        const WithoutGil release;
        return wrap(std::make_unique<SolvedSearch>(game, most, bytes, seed, [&signals] { signals(); }));
      },
      nb::arg("game"), nb::arg("max_states"), nb::arg("table_mb"), nb::arg("seed"));
  m.def(
      "cell_weights_evaluator",
      [](const std::shared_ptr<Game> &game, const std::vector<double> &weights) -> EvaluatorPtr {
        return std::make_shared<CellWeightsEvaluator>(game, weights);
      },
      nb::arg("game"), nb::arg("weights"));
  m.def(
      "tiles_evaluator",
      [](const std::shared_ptr<Game> &game) -> EvaluatorPtr { return std::make_shared<TilesEvaluator>(game); },
      nb::arg("game"));
}

}  // namespace boardlab
