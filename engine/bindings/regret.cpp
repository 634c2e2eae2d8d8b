// Counterfactual regret minimisation: trees, tables of regrets, learners.
#include "evaluators/regret.h"

#include "bindings/buckets.h"
#include "bindings/module.h"
#include "tabular/cfr.h"

namespace boardlab {

namespace {

using namespace tabular;

template <class T>
using Column = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

// A learner as Python holds it, for one thread at a time.
struct PyCfr {
  explicit PyCfr(std::unique_ptr<CfrLearner> l) : learner(std::move(l)) {}
  std::unique_ptr<CfrLearner> learner;
  std::atomic<bool> busy{false};
};

class Busy {
 public:
  explicit Busy(PyCfr &l) : learner_(l) {
    if (learner_.busy.exchange(true)) throw std::invalid_argument("this learner is already training in another thread");
  }
  ~Busy() { learner_.busy = false; }
  Busy(const Busy &) = delete;
  Busy &operator=(const Busy &) = delete;

 private:
  PyCfr &learner_;
};

Array<double> copied(const std::vector<double> &values) {
  double *data;
  auto array = new_array<double>({values.size()}, &data);
  std::copy(values.begin(), values.end(), data);
  return array;
}

template <class T>
nb::object column(const std::vector<T> &values) {
  T *data;
  auto array = new_array<T>({values.size()}, &data);
  std::copy(values.begin(), values.end(), data);
  return nb::cast(array);
}

template <class T>
void fill(std::vector<T> &column, const Column<T> &given) {
  column.assign(given.data(), given.data() + given.size());
}

const double *checked_strategy(const GameTree &tree, const Numbers &strategy) {
  if (strategy.size() != tree.strategy_size())
    throw std::invalid_argument("a strategy for this tree has " + std::to_string(tree.strategy_size()) + " numbers");
  return strategy.data();
}

CfrSettings settings_of(const Game &game, const std::string &variant, double alpha, double beta, double gamma,
                        const std::string &outcome) {
  CfrSettings settings;
  settings.variant = variant == "plus"         ? CfrSettings::Variant::PLUS
                     : variant == "discounted" ? CfrSettings::Variant::DISCOUNTED
                                               : CfrSettings::Variant::VANILLA;
  for (const double x : {alpha, beta, gamma})
    if (!(x >= -100 && x <= 100)) throw std::invalid_argument("alpha, beta and gamma must be from -100 to 100");
  settings.alpha = alpha;
  settings.beta = beta;
  settings.gamma = gamma;
  settings.outcome = outcome_index(game, outcome);
  return settings;
}

// Ctrl-C stops training after an iteration.
std::int64_t train(PyCfr &self, std::int64_t iterations) {
  checked_count("iterations", iterations, 0, INT64_MAX);
  const Busy busy(self);
  SignalPoll poll;
  std::exception_ptr interrupt;
  std::int64_t made = 0;
  {
    const WithoutGil release;
    made = self.learner->train(iterations, [&] {
      try {
        poll();
      } catch (...) {
        interrupt = std::current_exception();
        return true;
      }
      return false;
    });
  }
  if (interrupt) std::rethrow_exception(interrupt);
  return made;
}

void bind_tree(nb::module_ &m) {
  nb::class_<GameTree>(m, "GameTree", "A whole game as a tree, or one round of it.")
      .def(
          "__init__",
          [](GameTree *self, const std::shared_ptr<Game> &game, std::int64_t most_nodes, const std::string &outcome) {
            const auto most = checked_count("most_nodes", most_nodes, 1, UINT32_MAX);
            const int which = outcome_index(*game, outcome);
            SignalPoll poll;
            const WithoutGil release;
            new (self) GameTree(game, nullptr, which, most, std::ref(poll));
          },
          nb::arg("game"), nb::arg("most_nodes"), nb::arg("outcome") = "score")
      .def_prop_ro("nodes", [](const GameTree &t) { return t.nodes.size(); })
      .def_prop_ro(
          "sets", [](const GameTree &t) { return t.sets.size(); }, "Number of information sets.")
      .def_prop_ro("strategy_size", &GameTree::strategy_size)
      .def(
          "set",
          [](const GameTree &t, std::int64_t i) {
            const GameTree::Set &set = t.sets[checked_count("set", i, 0, static_cast<std::int64_t>(t.sets.size()) - 1)];
            return std::tuple(set.player, set.first, set.count, t.path(set.node));
          },
          nb::arg("set"), "The player, the first number and the count of its row, and actions that lead there.")
      .def(
          "values",
          [](const GameTree &t, const Numbers &strategy) { return copied(t.values(checked_strategy(t, strategy))); },
          nb::arg("strategy"), "Expected scores, one a player.")
      .def(
          "best_response",
          [](const GameTree &t, std::int64_t player, const Numbers &strategy) {
            return t.best_response(static_cast<int>(checked_count("player", player, 0, t.players() - 1)),
                                   checked_strategy(t, strategy));
          },
          nb::arg("player"), nb::arg("strategy"), "The most that the player can expect against the others.")
      .def(
          "nash_conv",
          [](const GameTree &t, const Numbers &strategy) { return t.nash_conv(checked_strategy(t, strategy)); },
          nb::arg("strategy"), "What all players together gain by best responses.");
  m.def(
      "estimate_nodes",
      [](const std::shared_ptr<Game> &game, double enough, std::uint64_t seed) {
        SignalPoll poll;
        const WithoutGil release;
        return estimate_nodes(game, enough, seed, std::ref(poll));
      },
      nb::arg("game"), nb::arg("enough"), nb::arg("seed"), "About how many nodes a game's tree has, up to `enough`.");
}

void bind_table(nb::module_ &m) {
  nb::class_<RegretTable>(m, "RegretTable", "Regrets and average strategies of information sets.")
      .def(
          "__init__",
          [](RegretTable *self, std::int64_t most_bytes) {
            new (self) RegretTable(checked_count("most_bytes", most_bytes, 1, INT64_MAX));
          },
          nb::arg("most_bytes"))
      .def_prop_ro("sets", &RegretTable::sets)
      .def_prop_ro(
          "rows", [](const RegretTable &t) { return t.actions.size(); }, "Actions of all sets.")
      .def_prop_ro("bytes", &RegretTable::bytes)
      .def_static(
          "bytes_for",
          [](double sets, double actions) {  // estimates may be larger than any integer
            return static_cast<double>(RegretTable::bytes_for(1, 0)) * sets +
                   static_cast<double>(RegretTable::bytes_for(0, 1)) * sets * actions;
          },
          nb::arg("sets"), nb::arg("actions"))
      .def(
          "arrays",
          [](const RegretTable &t) {
            nb::dict arrays;
            arrays["keys"] = column(t.keys);
            arrays["counts"] = column(t.counts);
            arrays["actions"] = column(t.actions);
            arrays["sums"] = column(t.sums);
            arrays["regrets"] = column(t.regrets);
            return arrays;
          },
          "Copies of all columns, by name.")
      .def(
          "fill",
          [](RegretTable &t, const Column<std::uint64_t> &keys, const Column<std::int32_t> &counts,
             const Column<std::int32_t> &actions, const Column<double> &sums, const Column<double> &regrets) {
            fill(t.keys, keys);
            fill(t.counts, counts);
            fill(t.actions, actions);
            fill(t.sums, sums);
            fill(t.regrets, regrets);
            t.rebuild();
          },
          nb::arg("keys"), nb::arg("counts"), nb::arg("actions"), nb::arg("sums"), nb::arg("regrets"))
      .def(
          "strategy",
          [](const RegretTable &t, const GameTree &tree) {
            double *data;
            auto strategy = new_array<double>({tree.strategy_size()}, &data);
            for (const GameTree::Set &set : tree.sets) {
              const std::size_t found = t.find(set.key);
              if (found != RegretTable::NONE && t.count(found) == set.count)
                t.average(found, data + set.first);
              else
                std::fill_n(data + set.first, set.count, 1.0 / set.count);
            }
            return strategy;
          },
          nb::arg("tree"), "The average strategy of the tree's sets; uniform where a set was never met.")
      .def(
          "evaluator",
          [](const RegretTablePtr &t, const std::shared_ptr<Game> &game, const std::string &outcome,
             const std::vector<int> &shape, const Numbers &bounds) -> std::shared_ptr<Evaluator> {
            return std::make_shared<RegretEvaluator>(game, outcome_index(*game, outcome), t,
                                                     buckets_of(*game, shape, bounds));
          },
          nb::arg("game"), nb::arg("outcome"), nb::arg("shape"), nb::arg("bounds"));
  m.def(
      "sample_hands",
      [](const std::shared_ptr<Game> &game, std::int64_t wanted, std::uint64_t seed) {
        if (game->table().hand_features < 1) throw std::invalid_argument(game->name() + " has no features of hands");
        const std::size_t n = checked_count("wanted", wanted, 1, 1 << 24);
        std::vector<std::vector<double>> rows;
        {
          SignalPoll poll;
          const WithoutGil release;
          rows = sample_hands(game, n, seed, std::ref(poll));
        }
        std::vector<Array<double>> arrays;
        const auto width = static_cast<std::size_t>(game->table().hand_features);
        for (const std::vector<double> &stage : rows) {
          double *data;
          arrays.push_back(new_array<double>({stage.size() / width, width}, &data));
          std::copy(stage.begin(), stage.end(), data);
        }
        return arrays;
      },
      nb::arg("game"), nb::arg("wanted"), nb::arg("seed"), "Hand features of random deals, an array for each stage.");
  m.def(
      "estimate_sets",
      [](const std::shared_ptr<Game> &game, const std::vector<int> &shape, const Numbers &bounds, std::uint64_t seed) {
        const BucketsPtr buckets = buckets_of(*game, shape, bounds);
        SignalPoll poll;
        const WithoutGil release;
        const SetEstimate found = estimate_sets(game, buckets, seed, std::ref(poll));
        return std::pair(found.sets, found.actions);
      },
      nb::arg("game"), nb::arg("shape"), nb::arg("bounds"), nb::arg("seed"),
      "Least number of information sets, and the mean number of their actions.");
}

}  // namespace

BucketsPtr buckets_of(const Game &game, const std::vector<int> &shape, const Numbers &bounds) {
  auto buckets = std::make_shared<Buckets>();
  for (const int n : shape) {
    checked_count("a number of buckets", n, 1, 4096);
    buckets->shape.push_back(n);
  }
  if (!shape.empty() && static_cast<int>(shape.size()) != game.table().hand_features)
    throw std::invalid_argument(game.name() + " has " + std::to_string(game.table().hand_features) +
                                " hand features, and needs a number of buckets for each");
  if (buckets->count() > 1 << 20) throw std::invalid_argument("at most 1048576 buckets are possible");
  buckets->bounds.assign(bounds.data(), bounds.data() + bounds.size());
  return buckets;
}

void bind_regret(nb::module_ &m) {
  bind_tree(m);
  bind_table(m);
  nb::class_<PyCfr>(m, "CfrLearner", "Counterfactual regret minimisation.")
      .def("train", &train, nb::arg("iterations"), "Returns the number of iterations made.")
      .def(
          "restore",
          [](PyCfr &self) {
            const Busy busy(self);
            self.learner->restore();
          },
          "Call after filling the table.")
      .def_prop_rw(
          "iterations_done", [](const PyCfr &l) { return l.learner->iterations_done; },
          [](PyCfr &l, std::int64_t n) { l.learner->iterations_done = std::max<std::int64_t>(n, 0); })
      .def_prop_rw(
          "nodes_done", [](const PyCfr &l) { return l.learner->nodes_done; },
          [](PyCfr &l, std::int64_t n) { l.learner->nodes_done = std::max<std::int64_t>(n, 0); })
      .def_prop_rw(
          "random_state", [](const PyCfr &l) { return l.learner->rng.word; },
          [](PyCfr &l, std::uint64_t word) { l.learner->rng.word = word; });
  m.def(
      "tree_cfr",
      [](const std::shared_ptr<GameTree> &tree, const RegretTablePtr &table, const std::string &variant, double alpha,
         double beta, double gamma, std::uint64_t seed) {
        if (table->sets()) throw std::invalid_argument("a learner needs an empty table");
        const CfrSettings settings = settings_of(*tree->game_ptr(), variant, alpha, beta, gamma, "score");
        return std::make_shared<PyCfr>(std::make_unique<TreeCfr>(tree, table, settings, seed));
      },
      nb::arg("tree"), nb::arg("table"), nb::arg("variant"), nb::arg("alpha"), nb::arg("beta"), nb::arg("gamma"),
      nb::arg("seed"));
  m.def(
      "sampled_cfr",
      [](const std::shared_ptr<Game> &game, const std::vector<int> &shape, const Numbers &bounds,
         const RegretTablePtr &table, const std::string &variant, double alpha, double beta, double gamma,
         std::int64_t discount_every, std::int64_t threads, const std::string &outcome, std::uint64_t seed) {
        const CfrSettings settings = settings_of(*game, variant, alpha, beta, gamma, outcome);
        SampledCfr::Sampling sampling;
        sampling.discount_every =
            static_cast<std::int64_t>(checked_count("discount_every", discount_every, 1, INT64_MAX));
        sampling.threads = static_cast<int>(checked_count("threads", threads, 1, 1024));
        return std::make_shared<PyCfr>(
            std::make_unique<SampledCfr>(game, buckets_of(*game, shape, bounds), table, settings, sampling, seed));
      },
      nb::arg("game"), nb::arg("shape"), nb::arg("bounds"), nb::arg("table"), nb::arg("variant"), nb::arg("alpha"),
      nb::arg("beta"), nb::arg("gamma"), nb::arg("discount_every"), nb::arg("threads"), nb::arg("outcome"),
      nb::arg("seed"));
}

}  // namespace boardlab
