#include "search/mcts.h"

#include "bindings/searches.h"
#include "bindings/tree_options.h"

namespace boardlab {

namespace {

SearchPtr mcts_search(const EvaluatorPtr &e, std::uint64_t seed, const TreeOptions &tree, std::int64_t iterations,
                      double seconds, const std::string &choose, double temperature, std::int64_t threads,
                      bool minmax_priors) {
  using Choice = MctsOptions::Choice;
  MctsOptions options;
  options.tree = checked_tree(tree);
  options.iterations = static_cast<std::int64_t>(checked_count("iterations", iterations, 0, 4'000'000'000));
  options.seconds = checked_number("seconds", seconds, 0, 1e6);
  options.choice = named<Choice>(
      "choose", choose,
      {{"visits", Choice::VISITS}, {"value", Choice::VALUE}, {"policy", Choice::POLICY}, {"sample", Choice::SAMPLE}});
  options.temperature = checked_number("temperature", temperature, 1e-3, 1e3);
  options.threads = static_cast<int>(checked_count("threads", threads, 1, 1024));
  options.minmax_priors = minmax_priors;
  if (iterations == 0 && seconds == 0) throw std::invalid_argument("mcts needs a number of iterations or of seconds");
  if (minmax_priors && e->has_policy())
    throw std::invalid_argument(
        "mcts: priors=\"minmax\" makes priors of values, but this evaluator has a policy of its own; leave it out");
  if (tree.gumbel > 0 && (iterations == 0 || !tree.puct))
    throw std::invalid_argument("gumbel needs a number of iterations and select=\"puct\"");
  if (tree.gumbel > 0 && threads > 1) throw std::invalid_argument("mcts: gumbel is for one thread");
  return wrap(std::make_unique<MctsSearch>(e->clone(), options, seed));
}

}  // namespace

void bind_mcts(nb::module_ &m) {
  m.def("mcts_search", &mcts_search, nb::arg("evaluator"), nb::arg("seed"), nb::arg("tree"),
        nb::arg("iterations") = 1000, nb::arg("seconds") = 0.0, nb::arg("choose") = "visits",
        nb::arg("temperature") = 1.0, nb::arg("threads") = 1, nb::arg("minmax_priors") = false);
}

}  // namespace boardlab
