#include "search/mcts.h"

#include "bindings/searches.h"

namespace boardlab {

namespace {

double checked_number(const char *what, double value, double low, double high) {
  if (value >= low && value <= high) return value;
  char text[160];
  std::snprintf(text, sizeof text, "%s must be from %g to %g", what, low, high);
  throw std::invalid_argument(text);
}

template <class Kind>
Kind named(const char *what, const std::string &name, std::initializer_list<std::pair<const char *, Kind>> known) {
  std::string names;
  for (const auto &[key, kind] : known) {
    if (name == key) return kind;
    names += (names.empty() ? "" : ", ") + std::string(key);
  }
  throw std::invalid_argument(std::string(what) + " must be one of " + names);
}

}  // namespace

void bind_mcts(nb::module_ &m) {
  m.def(
      "mcts_search",
      [](const EvaluatorPtr &e, std::uint64_t seed, std::int64_t iterations, double seconds, bool puct, double c,
         double epsilon, std::int64_t depth, bool reuse, std::int64_t batch, std::int64_t leaf_visits,
         std::int64_t max_nodes, bool solver, double fpu, bool fpu_from_parent, double noise_alpha,
         double noise_fraction, bool paper, const std::string &policy, const std::string &choose, double temperature,
         bool rave, double equivalence, bool rave_of_all, bool rave_rollouts, std::int64_t gumbel, double c_visit,
         double c_scale, bool gumbel_interior, std::int64_t threads, bool minmax_priors) {
        using Policy = MctsOptions::Policy;
        using Choice = MctsOptions::Choice;
        MctsOptions options;
        options.iterations = static_cast<std::int64_t>(checked_count("iterations", iterations, 0, 4'000'000'000));
        options.seconds = checked_number("seconds", seconds, 0, 1e6);
        if (iterations == 0 && seconds == 0)
          throw std::invalid_argument("mcts needs a number of iterations or of seconds");
        options.reuse = reuse;
        options.tree.batch = static_cast<int>(checked_count("batch", batch, 1, 65536));
        options.tree.leaf_visits = static_cast<std::int64_t>(checked_count("leaf_visits", leaf_visits, 0, 1000000));
        options.policy = named<Policy>("policy", policy,
                                       {{"visits", Policy::VISITS},
                                        {"value", Policy::VALUE},
                                        {"rave", Policy::RAVE},
                                        {"improved", Policy::IMPROVED}});
        options.choice = named<Choice>("choose", choose,
                                       {{"visits", Choice::VISITS},
                                        {"value", Choice::VALUE},
                                        {"policy", Choice::POLICY},
                                        {"sample", Choice::SAMPLE}});
        options.temperature = checked_number("temperature", temperature, 1e-3, 1e3);
        options.threads = static_cast<int>(checked_count("threads", threads, 1, 1024));
        options.minmax_priors = minmax_priors;
        if (minmax_priors && e->has_policy())
          throw std::invalid_argument(
              "mcts: priors=\"minmax\" makes priors of values, but this evaluator has a policy of its own; leave it "
              "out");
        options.tree.puct = puct;
        options.tree.c = checked_number("c", c, 0, 1e6);
        options.tree.epsilon = checked_number("epsilon", epsilon, 0, 1);
        options.tree.depth = static_cast<int>(checked_count("depth", depth, 0, 1000000));
        options.tree.max_nodes = static_cast<std::uint32_t>(checked_count("max_nodes", max_nodes, 1024, 1ll << 31));
        options.tree.solver = solver;
        options.tree.fpu = checked_number("fpu", fpu, -1e6, 1e6);
        options.tree.fpu_from_parent = fpu_from_parent;
        options.tree.noise_alpha = checked_number("noise", noise_alpha, 0, 1e6);
        options.tree.noise_fraction = checked_number("noise_fraction", noise_fraction, 0, 1);
        options.tree.paper = paper;
        options.tree.rave = rave;
        options.tree.equivalence = checked_number("equivalence", equivalence, 1e-9, 1e12);
        options.tree.rave_of_all = rave_of_all;
        options.tree.rave_rollouts = rave && rave_rollouts;
        options.tree.gumbel = static_cast<int>(checked_count("gumbel", gumbel, 0, 1 << 24));
        options.tree.c_visit = checked_number("c_visit", c_visit, 0, 1e6);
        options.tree.c_scale = checked_number("c_scale", c_scale, 0, 1e6);
        options.tree.gumbel_interior = gumbel_interior;
        if (gumbel_interior && (gumbel == 0 || rave))
          throw std::invalid_argument("mcts: gumbel_interior needs gumbel, and goes without rave");
        if (options.policy == Policy::RAVE && !rave) throw std::invalid_argument("the policy \"rave\" needs rave=True");
        if (options.policy == Policy::IMPROVED && gumbel == 0)
          throw std::invalid_argument("the policy \"improved\" needs gumbel");
        if (gumbel > 0 && (iterations == 0 || !puct))
          throw std::invalid_argument("gumbel needs a number of iterations and select=\"puct\"");
        if (threads > 1 && gumbel > 0) throw std::invalid_argument("mcts: gumbel is for one thread");
        return wrap(std::make_unique<MctsSearch>(e->clone(), options, seed));
      },
      nb::arg("evaluator"), nb::arg("seed"), nb::arg("iterations") = 1000, nb::arg("seconds") = 0.0,
      nb::arg("puct") = false, nb::arg("c") = 1.0, nb::arg("epsilon") = 1e-8, nb::arg("depth") = 0,
      nb::arg("reuse") = true, nb::arg("batch") = 1, nb::arg("leaf_visits") = 0, nb::arg("max_nodes") = 1 << 24,
      nb::arg("solver") = true, nb::arg("fpu") = 0.0, nb::arg("fpu_from_parent") = false, nb::arg("noise") = 0.0,
      nb::arg("noise_fraction") = 0.25, nb::arg("paper") = false, nb::arg("policy") = "visits",
      nb::arg("choose") = "visits", nb::arg("temperature") = 1.0, nb::arg("rave") = false,
      nb::arg("equivalence") = 1000.0, nb::arg("rave_of_all") = false, nb::arg("rave_rollouts") = false,
      nb::arg("gumbel") = 0, nb::arg("c_visit") = 50.0, nb::arg("c_scale") = 1.0, nb::arg("gumbel_interior") = false,
      nb::arg("threads") = 1, nb::arg("minmax_priors") = false);
}

}  // namespace boardlab
