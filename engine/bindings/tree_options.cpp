#include "bindings/tree_options.h"

#include "bindings/module.h"

namespace boardlab {

namespace {

using Bound = nb::class_<TreeOptions>;

// The two kinds of fields below reject only values that could corrupt memory or hang. The useful range is declared in
// boardlab/search/tree_options.py.
void number(Bound &bound, const char *name, double TreeOptions::*field, double low = 0) {
  bound.def_prop_rw(
      name, [field](const TreeOptions &tree) { return tree.*field; },
      [name, field, low](TreeOptions &tree, double value) { tree.*field = checked_number(name, value, low, 1e12); });
}

template <class Int>
void count(Bound &bound, const char *name, Int TreeOptions::*field, std::int64_t low = 0, std::int64_t high = 1 << 24) {
  bound.def_prop_rw(
      name, [field](const TreeOptions &tree) { return tree.*field; },
      [name, field, low, high](TreeOptions &tree, std::int64_t value) {
        tree.*field = static_cast<Int>(checked_count(name, value, low, high));
      });
}

// A field whose values have names in Python.
template <class Kind>
void word(Bound &bound, const char *name, Kind TreeOptions::*field,
          const std::vector<std::pair<const char *, Kind>> &words) {
  bound.def_prop_rw(
      name,
      [field, words](const TreeOptions &tree) {
        for (const auto &[key, kind] : words)
          if (tree.*field == kind) return key;
        return words[0].first;
      },
      [name, field, words](TreeOptions &tree, const std::string &value) {
        tree.*field = named<Kind>(name, value, words);
      });
}

void check(bool good, const char *sentence) {
  if (!good) throw std::invalid_argument(sentence);
}

}  // namespace

double checked_number(const char *what, double value, double low, double high) {
  if (value >= low && value <= high) return value;
  char text[160];
  std::snprintf(text, sizeof text, "%s must be from %g to %g", what, low, high);
  throw std::invalid_argument(text);
}

TreeOptions checked_tree(TreeOptions tree) {
  check(tree.policy != RootPolicy::RAVE || tree.rave, "the policy \"rave\" needs rave=True");
  check(tree.policy != RootPolicy::IMPROVED || tree.gumbel > 0, "the policy \"improved\" needs gumbel");
  check(!tree.gumbel_interior || (tree.gumbel > 0 && !tree.rave),
        "gumbel_interior needs gumbel and cannot be used with rave");
  check(tree.gumbel == 0 || tree.noise_alpha == 0, "gumbel brings its own noise; leave noise out");
  check(tree.selection == Selection::FORMULA || !(tree.rave || tree.gumbel > 0 || tree.noise_alpha > 0),
        "rave, gumbel and noise belong to select=\"uct\" and \"puct\", not to \"epsilon\" and \"roulette\"");
  tree.rave_rollouts &= tree.rave;
  return tree;
}

void bind_tree_options(nb::module_ &m) {
  Bound bound(m, "TreeOptions", "The options of a search tree; boardlab.TreeOptions declares them.");
  bound.def(nb::init<>());
  bound.def(
      "check", [](const TreeOptions &tree) { checked_tree(tree); },
      "Raise an error for options that exclude one another.");
  // Which formula is decided by `puct`.
  word<Selection>(bound, "select", &TreeOptions::selection,
                  {{"formula", Selection::FORMULA},
                   {"uct", Selection::FORMULA},
                   {"puct", Selection::FORMULA},
                   {"epsilon", Selection::EPSILON},
                   {"roulette", Selection::ROULETTE}});
  number(bound, "explore", &TreeOptions::explore);
  number(bound, "cpuct", &TreeOptions::c);
  number(bound, "epsilon", &TreeOptions::epsilon);
  word<bool>(bound, "fpu", &TreeOptions::fpu_from_parent, {{"absolute", false}, {"parent", true}});
  number(bound, "fpu_value", &TreeOptions::fpu, -1e12);
  number(bound, "noise", &TreeOptions::noise_alpha);
  number(bound, "noise_fraction", &TreeOptions::noise_fraction);
  count(bound, "gumbel", &TreeOptions::gumbel);
  number(bound, "c_visit", &TreeOptions::c_visit);
  number(bound, "c_scale", &TreeOptions::c_scale);
  bound.def_rw("gumbel_interior", &TreeOptions::gumbel_interior);
  bound.def_rw("rave", &TreeOptions::rave);
  number(bound, "equivalence", &TreeOptions::equivalence, 1e-9);
  word<bool>(bound, "rave_of", &TreeOptions::rave_of_all, {{"own", false}, {"all", true}});
  bound.def_rw("rave_rollouts", &TreeOptions::rave_rollouts);
  word<RootPolicy>(bound, "policy", &TreeOptions::policy,
                   {{"visits", RootPolicy::VISITS},
                    {"value", RootPolicy::VALUE},
                    {"rave", RootPolicy::RAVE},
                    {"improved", RootPolicy::IMPROVED}});
  count(bound, "depth", &TreeOptions::depth);
  bound.def_rw("solver", &TreeOptions::solver);
  bound.def_rw("reuse", &TreeOptions::reuse);
  count(bound, "batch", &TreeOptions::batch, 1, 65536);
  count(bound, "leaf_visits", &TreeOptions::leaf_visits);
  count(bound, "max_nodes", &TreeOptions::max_nodes, 1024, 1ll << 31);
  // Decided by the search that owns the tree, not by the user's TreeOptions.
  bound.def_rw("puct", &TreeOptions::puct);
  bound.def_rw("paper", &TreeOptions::paper);
}

}  // namespace boardlab
