#include "bindings/searches.h"
#include "search/heuristics.h"
#include "search/solved.h"

namespace boardlab {

void bind_references(nb::module_ &m) {
  m.def(
      "solved_search",
      [](const std::shared_ptr<Game> &game, std::int64_t max_states, std::uint64_t seed) {
        const std::size_t most = checked_count("max_states", max_states, 1, 1'000'000'000);
        SignalPoll signals;
        const nb::gil_scoped_release release;
        return wrap(std::make_unique<SolvedSearch>(game, most, seed, [&signals] { signals(); }));
      },
      nb::arg("game"), nb::arg("max_states"), nb::arg("seed"));
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
