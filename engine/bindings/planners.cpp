// Searches that plan sequences of actions.
#include "bindings/searches.h"
#include "search/beam.h"
#include "search/nrpa.h"
#include "search/rhea.h"

namespace boardlab {

namespace {

void check_within(const char *name, double value, double low, double high, const char *words) {
  if (!(value >= low && value <= high)) throw std::invalid_argument(std::string(name) + " must be from " + words);
}

}  // namespace

void bind_planners(nb::module_ &m) {
  m.def(
      "rhea_search",
      [](const EvaluatorPtr &e, std::int64_t population, std::int64_t length, std::int64_t iterations, double seconds,
         double mutation, std::int64_t repetitions, double length_penalty, bool plans_for_others, std::uint64_t seed) {
        RheaOptions options;
        options.population = static_cast<int>(checked_count("population", population, 1, 1000000));
        options.length = static_cast<int>(checked_count("length", length, 1, 100000));
        options.iterations = static_cast<std::int64_t>(checked_count("iterations", iterations, 0, INT64_MAX));
        options.repetitions = static_cast<int>(checked_count("repetitions", repetitions, 1, 1000000));
        options.seconds = seconds;
        options.mutation = mutation;
        options.length_penalty = length_penalty;
        options.plans_for_others = plans_for_others;
        check_within("seconds", seconds, 0, 1e6, "0 to 1000000");
        check_within("mutation", mutation, 0, 1, "0 to 1");
        check_within("length_penalty", length_penalty, 0, 1, "0 to 1");
        if (iterations == 0 && seconds == 0)
          throw std::invalid_argument("rhea needs a number of iterations or of seconds");
        return wrap(std::make_unique<RheaSearch>(e->clone(), options, seed));
      },
      nb::arg("evaluator"), nb::arg("population"), nb::arg("length"), nb::arg("iterations"), nb::arg("seconds"),
      nb::arg("mutation"), nb::arg("repetitions"), nb::arg("length_penalty"), nb::arg("plans_for_others"),
      nb::arg("seed"));
  m.def(
      "nrpa_search",
      [](const std::shared_ptr<Game> &game, const std::string &outcome, std::int64_t level, std::int64_t iterations,
         double alpha, double seconds, bool restart, std::int64_t depth, bool by_ply, std::uint64_t seed) {
        NrpaOptions options;
        options.outcome = outcome_index(*game, outcome);
        options.level = static_cast<int>(checked_count("level", level, 1, 10));
        options.iterations = static_cast<int>(checked_count("iterations", iterations, 1, 1000000));
        options.depth = static_cast<int>(checked_count("depth", depth, 0, 1000000));
        options.alpha = alpha;
        options.seconds = seconds;
        options.restart = restart;
        options.by_ply = by_ply;
        check_within("alpha", alpha, 0, 1000, "0 to 1000");
        check_within("seconds", seconds, 0, 1e6, "0 to 1000000");
        return wrap(std::make_unique<NrpaSearch>(game, options, seed));
      },
      nb::arg("game"), nb::arg("outcome"), nb::arg("level"), nb::arg("iterations"), nb::arg("alpha"),
      nb::arg("seconds"), nb::arg("restart"), nb::arg("depth"), nb::arg("by_ply"), nb::arg("seed"));
  m.def(
      "beam_search",
      [](const EvaluatorPtr &e, std::int64_t width, std::int64_t depth, std::int64_t threads, std::uint64_t seed) {
        BeamOptions options;
        options.width = static_cast<std::int64_t>(checked_count("width", width, 1, 1 << 26));
        options.depth = static_cast<int>(checked_count("depth", depth, 0, 1000000));
        options.threads = static_cast<int>(checked_count("threads", threads, 1, 1024));
        return wrap(std::make_unique<BeamSearch>(e->clone(), options, seed));
      },
      nb::arg("evaluator"), nb::arg("width"), nb::arg("depth"), nb::arg("threads"), nb::arg("seed"));
}

}  // namespace boardlab
