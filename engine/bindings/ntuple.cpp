#include "evaluators/ntuple.h"

#include "bindings/learners.h"
#include "core/levels.h"
#include "evaluators/features.h"
#include "evaluators/pair.h"
#include "ntuple/davi.h"
#include "ntuple/feature_td.h"
#include "ntuple/hogwild.h"
#include "ntuple/sarsa.h"
#include "ntuple/td.h"
#include "search/self_play_adviser.h"

namespace boardlab {

namespace {

using ntuple::Coherence;
using ntuple::FeatureLearner;
using ntuple::FeatureNetwork;
using ntuple::FeatureNetworkPtr;
using ntuple::Network;
using ntuple::NetworkPtr;
using ntuple::SarsaLearner;
using ntuple::SelfPlay;
using ntuple::TdLearner;
using ntuple::TdSettings;

// A field of every entry of the tables as a numpy view: 0 the weight, 1 N, 2 A. It keeps the network alive.
nb::ndarray<nb::numpy, float, nb::ndim<1>> field_of(nb::handle self, std::size_t field) {
  const Network &network = *nb::cast<NetworkPtr>(self);
  const std::size_t size = network.entries();
  if (field == 0) return {network.weights(0), {size}, self};
  if (!network.is_coherent()) throw std::invalid_argument("these tables have no TCL counters");
  return {&network.counters(0)->sum + (field - 1), {size}, self, {2}};
}

void check_state(const Network &network, const PyState &state) {
  if (state.game != network.game_ptr())
    throw std::invalid_argument("the state belongs to another game than the network");
  if (state.seen_by >= 0) throw std::invalid_argument("a network needs a full state; use determinize() first");
}

void check(bool good, const char *sentence) {
  if (!good) throw std::invalid_argument(sentence);
}

void check_settings(const Game &game, const TdSettings &s) {
  const auto within = [](double x, double low, double high) { return x >= low && x <= high; };
  check(s.outcome >= SCORE && s.outcome < game.reward_count(), "the game has no such outcome to train on");
  check(s.episodes >= 1, "episodes must be at least 1");
  check(s.epsilon_episodes >= 0, "epsilon_episodes cannot be negative");
  check(within(s.alpha, 1e-12, 1e6) && within(s.alpha_final, 1e-12, 1e6), "alpha must be above 0");
  check(within(s.epsilon, 0, 1) && within(s.epsilon_final, 0, 1), "epsilon must be from 0 to 1");
  check(within(s.lambda, 0, 1), "lambda must be from 0 to 1");
  check(within(s.horizon_cut, 0, 1), "horizon_cut must be from 0 to 1");
  check(within(s.gamma, 0, 1), "gamma must be from 0 to 1");
  check(within(s.start_rate, 0, 1), "start_rate must be from 0 to 1");
  check(s.start_actions >= 0 && s.start_actions <= 1000000, "start_actions must be from 0 to 1000000");
  check(s.start_actions_min >= 0 && s.start_actions_min <= std::max(1, s.start_actions),
        "start_actions_min must be from 0 to start_actions");
  check(s.episode_limit >= 0, "episode_limit cannot be negative");
  check(within(s.tc_init, 1e-30, 1e6), "tc_init must be above 0");
  check(within(s.tc_beta, 0, 80), "tc_beta must be from 0 to 80");
  check(s.tc_interval >= 0, "tc_interval cannot be negative");
  check(s.replay >= 0 && s.replay <= 100000000, "replay must be from 0 to 100000000");
  check(s.replay_batch >= 1 && s.replay_batch <= 10000, "replay_batch must be from 1 to 10000");
}

// An array of the replay buffer as a numpy view that keeps the buffer alive.
template <class Buffer, class T>
nb::ndarray<nb::numpy, T, nb::ndim<1>> shown(nb::handle self, std::vector<T> Buffer::*array) {
  std::vector<T> &values = (*nb::cast<std::shared_ptr<Buffer>>(self)).*array;
  return {values.data(), {values.size()}, self};
}

// Cells, and their joint values.
using Groups = std::vector<std::pair<std::vector<int>, std::vector<std::vector<int>>>>;

std::vector<ntuple::Group> as_groups(const Groups &groups) {
  std::vector<ntuple::Group> made;
  for (const auto &[cells, states] : groups) made.push_back({cells, states});
  return made;
}

using PyTdLearner = PyKindOfLearner<TdLearner>;
using PyDaviLearner = PyKindOfLearner<ntuple::DaviLearner>;
using PySarsaLearner = PyKindOfLearner<SarsaLearner>;
using PyFeatureLearner = PyKindOfLearner<FeatureLearner>;

// The factors of TCL that a learner holds as a numpy view that keeps them alive; empty if it renews them at every step.
template <class Kind>
nb::ndarray<nb::numpy, float, nb::ndim<1>> held_rates(nb::handle self) {
  const TdLearner &learner = nb::cast<Kind &>(self).kind();
  if (!learner.held_rates()) return {nullptr, {0}, self};
  return {learner.held_rates()->factors(), {static_cast<std::size_t>(learner.network()->entries())}, self};
}

// Checks what every learner by self-play needs of a network; returns the settings with the outcome of that name.
TdSettings checked_settings(const Network &network, TdSettings settings, const std::string &outcome, bool per_action) {
  settings = checked_self_play(network.game(), settings, outcome);
  check(network.is_coherent() == (settings.coherence != Coherence::NONE),
        "TCL needs a network with counters, and only TCL does");
  check(network.design().per_action == per_action,
        per_action ? "this learner needs a network with tables for every action"
                   : "this learner needs a network without tables for every action");
  return settings;
}

// Features computed by a Python function, which is released with the GIL held, whichever thread does it.
FeatureNetwork::Own own_features(const GamePtr &game, const nb::object &own, std::size_t count) {
  if (own.is_none()) return {0, nullptr};
  const std::shared_ptr<nb::object> held(new nb::object(own), [](nb::object *object) {
    const Gil gil;
    delete object;
  });
  return {count, [game, held, count](const void *state, int player, double *features) {
            const Gil gil;
            auto shown = std::make_shared<PyState>(game);
            game->copy(shown->data(), state);
            if (game->is_hidden()) shown->seen_by = player;
            nb::object answer;
            guarded([&] { answer = (*held)(shown, player); });
            const auto array = nb::cast<nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>>(answer);
            if (array.shape(0) != count) throw std::invalid_argument("the number of features must always be the same");
            std::copy_n(array.data(), count, features);
          }};
}

FeatureNetwork::Kind kind_of_inputs(const std::string &name, const nb::object &own) {
  using Kind = FeatureNetwork::Kind;
  check((name == "own") != own.is_none(), "a function of one's own is given with kind=own, and only then");
  if (name == "own") return Kind::OWN;
  if (name == "game") return Kind::GAME;
  if (name == "board") return Kind::BOARD;
  check(name == "both", "kind must be game, board, both or own");
  return Kind::BOTH;
}

class Busy {
 public:
  explicit Busy(PyLearner &l) : learner_(l) {
    if (learner_.busy.exchange(true)) throw std::invalid_argument("this learner is already training in another thread");
  }
  ~Busy() { learner_.busy = false; }
  Busy(const Busy &) = delete;
  Busy &operator=(const Busy &) = delete;

 private:
  PyLearner &learner_;
};

// Ctrl-C stops training after the current episode, so that the run can be saved and resumed.
std::int64_t train(PyLearner &self, std::int64_t episodes) {
  checked_count("episodes", episodes, 0, INT64_MAX);
  const Busy busy(self);
  SignalPoll poll;
  std::exception_ptr interrupt;
  std::int64_t played = 0;
  unwrapped([&] {
    const WithoutGil release;
    played = self.learner->train(episodes, [&] {
      try {
        poll();
      } catch (...) {
        interrupt = std::current_exception();
        return true;
      }
      return false;
    });
  });
  if (interrupt) std::rethrow_exception(interrupt);
  return played;
}

// An evaluator over what the learner learns; null for learners that do not take a search's advice.
std::unique_ptr<Evaluator> evaluator_of(const SelfPlay &learner) {
  const TdSettings &settings = learner.settings();
  if (dynamic_cast<const ntuple::DaviLearner *>(&learner)) return nullptr;
  if (const auto *pairs = dynamic_cast<const SarsaLearner *>(&learner))
    return std::make_unique<PairEvaluator>(pairs->network(), settings.outcome);
  if (const auto *td = dynamic_cast<const TdLearner *>(&learner))
    return std::make_unique<NTupleEvaluator>(td->network(), settings.outcome, settings.gamma);
  if (const auto *features = dynamic_cast<const FeatureLearner *>(&learner))
    return std::make_unique<FeatureEvaluator>(features->network(), settings.outcome, settings.gamma);
  return nullptr;
}

void search_with(PyLearner &self, std::int64_t iterations, std::int64_t depth, double cpuct, bool proportional,
                 bool paper, std::int64_t target_depth, std::int64_t solve_below) {
  AdviserOptions options;
  options.iterations = checked_count("iterations", iterations, 0, 1000000000);
  options.depth = static_cast<int>(checked_count("depth", depth, 0, 100));
  options.cpuct = cpuct;
  options.proportional = proportional;
  options.paper = paper;
  options.target_depth = static_cast<int>(checked_count("target_depth", target_depth, 0, 100));
  options.solve_below = static_cast<int>(checked_count("solve_below", solve_below, 0, 100));
  check(cpuct >= 0 && cpuct <= 1e6, "cpuct must be from 0 to 1000000");
  check(iterations == 0 || depth == 0, "search inside self-play is by MCTS or to a depth, not both");
  const Busy busy(self);
  SelfPlay &learner = *self.learner;
  check(evaluator_of(learner) != nullptr, "this learner does not search inside self-play");
  check(!learner.game_ptr()->is_hidden(), "search inside self-play would see the hidden cards");
  check(dynamic_cast<ntuple::HogwildLearner *>(&learner) == nullptr, "search inside self-play needs a single thread");
  const auto *td = dynamic_cast<TdLearner *>(&learner);
  const bool has_targets = target_depth > 0 || solve_below > 0;
  check(!has_targets || (td && !td->network()->design().per_action),
        "search values are targets of values of positions alone");
  check(!has_targets || !td->replay(), "a replay buffer keeps no search values; use only one of the two");
  learner.set_adviser(std::make_unique<SelfPlayAdviser>([&] { return evaluator_of(learner); }, options));
}

nb::tuple recorded_episode(PyLearner &self) {
  const Busy busy(self);
  ntuple::EpisodeRecord record;
  unwrapped([&] { self.learner->episode(&record); });
  auto start = std::make_shared<PyState>(self.learner->game_ptr());
  std::memcpy(start->data(), record.start.data(), record.start.size());
  std::vector<std::tuple<int, bool, bool>> steps;
  for (const auto &step : record.steps) steps.emplace_back(step.action, step.is_chance, step.is_random);
  return nb::make_tuple(start, steps);
}

}  // namespace

ntuple::TdSettings checked_self_play(const Game &game, ntuple::TdSettings settings, const std::string &outcome) {
  settings.outcome = outcome_index(game, outcome);
  check_settings(game, settings);
  return settings;
}

void bind_ntuple(nb::module_ &m) {
  m.def(
      "kernel_levels",
      [] {
        std::vector<std::string> names;
        for (const char *level : {"baseline", "avx2", "avx512"})
          if (has_level(level)) names.emplace_back(level);
        return names;
      },
      "The levels of vector instructions that this processor has, the best last.");

  nb::class_<Network>(m, "NTupleNetwork", "The tables of an n-tuple network.")
      .def(
          "__init__",
          [](Network *self, const std::shared_ptr<Game> &game, std::vector<std::vector<int>> tuples,
             std::vector<std::uint64_t> symmetries, const Groups &groups, bool per_player, bool staged,
             bool feature_tables, bool squash, bool coherent, std::uint64_t memory_limit, bool per_action) {
            ntuple::Design design{
                std::move(tuples), std::move(symmetries), as_groups(groups), per_player, staged, feature_tables, squash,
                per_action};
            new (self) Network(game, std::move(design), coherent, memory_limit);
          },
          nb::arg("game"), nb::arg("tuples"), nb::arg("symmetries"), nb::arg("groups"), nb::arg("per_player"),
          nb::arg("staged"), nb::arg("feature_tables"), nb::arg("squash"), nb::arg("coherent"), nb::arg("memory_limit"),
          nb::arg("per_action") = false)
      .def_static(
          "bytes_of",
          [](const std::shared_ptr<Game> &game, std::vector<std::vector<int>> tuples,
             std::vector<std::uint64_t> symmetries, const Groups &groups, bool per_player, bool staged,
             bool feature_tables, bool coherent, bool per_action) {
            const ntuple::Design design{
                std::move(tuples), std::move(symmetries), as_groups(groups), per_player, staged, feature_tables, true,
                per_action};
            return Network::bytes_of(*game, design, coherent);
          },
          nb::arg("game"), nb::arg("tuples"), nb::arg("symmetries"), nb::arg("groups"), nb::arg("per_player"),
          nb::arg("staged"), nb::arg("feature_tables"), nb::arg("coherent"), nb::arg("per_action"),
          "Bytes that the tables of such a network would take; allocates nothing.")
      .def_prop_ro("entries", [](const Network &n) { return n.entries(); })
      .def_prop_ro("bytes", &Network::bytes)
      .def_prop_ro("slots", &Network::slots)
      .def_prop_ro("set_size", &Network::set_size)
      .def_prop_ro("table_starts", &Network::table_starts,
                   "Where the table of every tuple, then of every extra feature, begins within a set of tables.")
      .def_prop_ro("is_coherent", &Network::is_coherent)
      .def_prop_ro("per_action", [](const Network &n) { return n.design().per_action; })
      .def_prop_ro("weights", [](nb::handle self) { return field_of(self, 0); })
      .def_prop_ro("sums", [](nb::handle self) { return field_of(self, 1); })
      .def_prop_ro("absolutes", [](nb::handle self) { return field_of(self, 2); })
      .def_prop_rw(
          "kernels", [](const Network &n) { return std::string(n.kernels().name); },
          [](Network &n, const std::string &level) {
            const ntuple::Kernels *found = ntuple::kernels_named(level.c_str());
            check(found != nullptr, "this processor has no such level of vector instructions");
            n.use_kernels(*found);
          })
      .def(
          "indices",
          [](const Network &n, const PyState &s, std::int64_t player) {
            check_state(n, s);
            s.check_player(player);
            ntuple::AfterStates reader(n, SCORE);
            auto view = reader.make_view();
            n.game().copy(view.state.data(), s.data());
            reader.read_final(static_cast<int>(player), view);
            std::vector<std::uint64_t> indices(view.indices.begin(), view.indices.begin() + n.slots());
            for (auto &index : indices) index += view.set * n.set_size();
            return indices;
          },
          nb::arg("state"), nb::arg("player"), "The entries that judge the state as an after-state of the player.")
      .def(
          "pair_indices",
          [](const Network &n, const PyState &s, std::int64_t action) {
            check_state(n, s);
            s.check_action(action);
            check(n.design().per_action && s.player() >= 0,
                  "only the actions of a player have tables, in a network with tables for every action");
            ntuple::Pairs pairs(n);
            pairs.set_state(s.data(), s.player());
            std::vector<std::uint32_t> indices(static_cast<std::size_t>(n.slots()));
            pairs.encode(static_cast<Action>(action), indices.data());
            return indices;
          },
          nb::arg("state"), nb::arg("action"), "The entries that judge the action of the player to move.")
      .def(
          "evaluator",
          [](const NetworkPtr &n, const std::string &outcome, double gamma, bool learns) -> std::shared_ptr<Evaluator> {
            if (n->design().per_action) return std::make_shared<PairEvaluator>(n, outcome_index(n->game(), outcome));
            const NetworkPtr folded = learns ? nullptr : n->folded();
            return std::make_shared<NTupleEvaluator>(folded ? folded : n, outcome_index(n->game(), outcome), gamma);
          },
          nb::arg("outcome"), nb::arg("gamma"), nb::arg("learns") = true,
          "For a network that no longer learns: symmetric tuples are read once for all their boards.");

  nb::enum_<Coherence>(m, "Coherence")
      .value("NONE", Coherence::NONE)
      .value("ID", Coherence::ID)
      .value("EXP", Coherence::EXP);
  nb::class_<TdSettings>(m, "TdSettings", "The settings of TD-FARL; see boardlab.learning.")
      .def(nb::init<>())
      .def_rw("episodes", &TdSettings::episodes)
      .def_rw("alpha", &TdSettings::alpha)
      .def_rw("alpha_final", &TdSettings::alpha_final)
      .def_rw("epsilon", &TdSettings::epsilon)
      .def_rw("epsilon_final", &TdSettings::epsilon_final)
      .def_rw("epsilon_episodes", &TdSettings::epsilon_episodes)
      .def_rw("epsilon_cosine", &TdSettings::epsilon_cosine)
      .def_rw("decay", &TdSettings::lambda)
      .def_rw("horizon_cut", &TdSettings::horizon_cut)
      .def_rw("reset_traces", &TdSettings::reset_traces)
      .def_rw("replace_traces", &TdSettings::replace_traces)
      .def_rw("gamma", &TdSettings::gamma)
      .def_rw("learn_from_random", &TdSettings::learn_from_random)
      .def_rw("adapt_others", &TdSettings::adapt_others)
      .def_rw("adapt_last", &TdSettings::adapt_last)
      .def_rw("start_rate", &TdSettings::start_rate)
      .def_rw("start_actions", &TdSettings::start_actions)
      .def_rw("start_actions_min", &TdSettings::start_actions_min)
      .def_rw("episode_limit", &TdSettings::episode_limit)
      .def_rw("skip_reversal", &TdSettings::skip_reversal)
      .def_rw("coherence", &TdSettings::coherence)
      .def_rw("tc_init", &TdSettings::tc_init)
      .def_rw("tc_beta", &TdSettings::tc_beta)
      .def_rw("accumulate_delta", &TdSettings::accumulate_delta)
      .def_rw("tc_interval", &TdSettings::tc_interval)
      .def_rw("replay", &TdSettings::replay)
      .def_rw("replay_batch", &TdSettings::replay_batch);

  nb::class_<ntuple::Replay>(m, "Replay", "The replay buffer of a learner.")
      .def_prop_ro("size", &ntuple::Replay::size)
      .def("check", &ntuple::Replay::check, "Raises an error if the contents do not fit the network.")
      .def_prop_ro("indices", [](nb::handle self) { return shown(self, &ntuple::Replay::indices); })
      .def_prop_ro("actions", [](nb::handle self) { return shown(self, &ntuple::Replay::actions); })
      .def_prop_ro("facts", [](nb::handle self) { return shown(self, &ntuple::Replay::facts); })
      .def_prop_ro("place", [](nb::handle self) { return shown(self, &ntuple::Replay::place); });

  nb::class_<PyLearner>(m, "Learner", "Learns by self-play.")
      .def("train", &train, nb::arg("episodes"), "Plays and learns; returns the number of episodes played.")
      .def(
          "follow",
          [](PyLearner &self, std::int64_t since, double share, double slope) {
            check(since >= 0, "since cannot be negative");
            check(share >= 0 && share <= 1, "share must be from 0 to 1");
            check(slope >= 0 && slope <= 1, "slope must be from 0 to 1");
            const Busy busy(self);
            self.learner->follow({since, share, slope});
          },
          nb::arg("since"), nb::arg("share"), nb::arg("slope"),
          "Lets alpha and epsilon follow the line share + slope * (episodes_done - since).")
      .def("search_with", &search_with, nb::arg("iterations"), nb::arg("depth"), nb::arg("cpuct"),
           nb::arg("proportional"), nb::arg("paper"), nb::arg("target_depth") = 0, nb::arg("solve_below") = 0,
           "Search inside self-play: actions by MCTS or by a full-width search, targets by alpha-beta.")
      .def("recorded_episode", &recorded_episode, "One episode: (start, [(action, is_chance, is_random), ...]).")
      .def_prop_ro("alpha", [](const PyLearner &l) { return l.learner->alpha(); })
      .def_prop_ro("epsilon", [](const PyLearner &l) { return l.learner->epsilon(); })
      .def_prop_rw(
          "episodes_done", [](const PyLearner &l) { return l.learner->episodes_done; },
          [](PyLearner &l, std::int64_t n) { l.learner->episodes_done = std::max<std::int64_t>(n, 0); })
      .def_prop_rw(
          "actions_done", [](const PyLearner &l) { return l.learner->actions_done; },
          [](PyLearner &l, std::int64_t n) { l.learner->actions_done = std::max<std::int64_t>(n, 0); })
      .def_prop_rw(
          "random_state", [](const PyLearner &l) { return l.learner->rng.word; },
          [](PyLearner &l, std::uint64_t word) { l.learner->rng.word = word; });

  nb::class_<PyTdLearner, PyLearner>(m, "TdLearner", "TD(lambda) with final adaptation on an n-tuple network.")
      .def(
          "__init__",
          [](PyTdLearner *self, const NetworkPtr &network, const TdSettings &settings, const std::string &outcome,
             std::uint64_t seed, std::int64_t threads) {
            const TdSettings checked = checked_settings(*network, settings, outcome, false);
            const auto workers = static_cast<int>(checked_count("threads", threads, 1, 1024));
            check(workers == 1 || checked.replay == 0, "a replay buffer needs a single thread");
            check(workers == 1 || checked.tc_interval == 0, "an interval of TCL needs a single thread");
            if (workers == 1)
              new (self) PyTdLearner(std::make_unique<TdLearner>(network, checked, seed));
            else
              new (self) PyTdLearner(std::make_unique<ntuple::HogwildLearner>(network, checked, workers, seed));
          },
          nb::arg("network"), nb::arg("settings"), nb::arg("outcome"), nb::arg("seed"), nb::arg("threads") = 1)
      .def_prop_ro("network", [](const PyTdLearner &l) { return l.kind().network(); })
      .def_prop_ro("replay", [](const PyTdLearner &l) { return l.kind().replay(); })
      .def_prop_ro("held_rates", &held_rates<PyTdLearner>)
      .def_prop_ro("drawn", [](PyTdLearner &l) {
        const Busy busy(l);  // training extends this list
        return l.kind().drawn();
      });

  nb::class_<PyDaviLearner, PyLearner>(m, "DaviLearner", "Approximate value iteration on an n-tuple network.")
      .def(
          "__init__",
          [](PyDaviLearner *self, const NetworkPtr &network, const TdSettings &settings, const std::string &outcome,
             std::uint64_t seed) {
            const TdSettings checked = checked_settings(*network, settings, outcome, false);
            new (self) PyDaviLearner(std::make_unique<ntuple::DaviLearner>(network, checked, seed));
          },
          nb::arg("network"), nb::arg("settings"), nb::arg("outcome"), nb::arg("seed"))
      .def_prop_ro("network", [](const PyDaviLearner &l) { return l.kind().network(); })
      .def_prop_ro("held_rates", &held_rates<PyDaviLearner>);

  nb::class_<PySarsaLearner, PyLearner>(m, "SarsaLearner", "SARSA or Q-learning on an n-tuple network.")
      .def(
          "__init__",
          [](PySarsaLearner *self, const NetworkPtr &network, const TdSettings &settings, const std::string &outcome,
             bool is_q_learning, std::uint64_t seed) {
            const TdSettings checked = checked_settings(*network, settings, outcome, true);
            new (self) PySarsaLearner(std::make_unique<SarsaLearner>(network, checked, is_q_learning, seed));
          },
          nb::arg("network"), nb::arg("settings"), nb::arg("outcome"), nb::arg("is_q_learning"), nb::arg("seed"))
      .def_prop_ro("network", [](const PySarsaLearner &l) { return l.kind().network(); })
      .def_prop_ro("replay", [](const PySarsaLearner &l) { return l.kind().replay(); })
      .def_prop_ro("held_rates", &held_rates<PySarsaLearner>)
      .def_prop_ro("drawn", [](PySarsaLearner &l) {
        const Busy busy(l);
        return l.kind().drawn();
      });

  nb::class_<FeatureNetwork>(m, "FeatureNetwork", "A value function on features, linear or with one hidden layer.")
      .def(
          "__init__",
          [](FeatureNetwork *self, const std::shared_ptr<Game> &game, std::int64_t hidden, bool squash,
             std::uint64_t seed, const std::string &kind, std::int64_t own_count, const nb::object &own) {
            checked_count("hidden", hidden, 0, 100000);
            checked_count("own_count", own_count, own.is_none() ? 0 : 1, own.is_none() ? 0 : 1000000);
            new (self) FeatureNetwork(game, static_cast<int>(hidden), squash, seed, kind_of_inputs(kind, own),
                                      own_features(game, own, static_cast<std::size_t>(own_count)));
          },
          nb::arg("game"), nb::arg("hidden"), nb::arg("squash"), nb::arg("seed"), nb::arg("kind"),
          nb::arg("own_count") = 0, nb::arg("own") = nb::none(),
          "kind: game, board, both, or own: with `own`, a function of a state and a player that returns an array of "
          "own_count numbers.")
      .def_prop_ro("inputs", &FeatureNetwork::inputs)
      .def_prop_ro("parameters", &FeatureNetwork::parameters)
      .def_prop_ro("weights",
                   [](nb::handle self) {
                     auto &weights = nb::cast<FeatureNetworkPtr>(self)->all_weights();
                     return nb::ndarray<nb::numpy, double, nb::ndim<1>>(weights.data(), {weights.size()}, self);
                   })
      .def(
          "evaluator",
          [](const FeatureNetworkPtr &n, const std::string &outcome, double gamma) -> std::shared_ptr<Evaluator> {
            return std::make_shared<FeatureEvaluator>(n, outcome_index(n->game(), outcome), gamma);
          },
          nb::arg("outcome"), nb::arg("gamma"));
  using ntuple::FeatureReplay;
  nb::class_<FeatureReplay>(m, "FeatureReplay", "The replay buffer of a learner on features.")
      .def_prop_ro("size", &FeatureReplay::size)
      .def("check", &FeatureReplay::check, "Raises an error if the contents do not fit the network.")
      .def_prop_ro("inputs", [](nb::handle self) { return shown(self, &FeatureReplay::inputs); })
      .def_prop_ro("facts", [](nb::handle self) { return shown(self, &FeatureReplay::facts); })
      .def_prop_ro("place", [](nb::handle self) { return shown(self, &FeatureReplay::place); });
  nb::class_<PyFeatureLearner, PyLearner>(m, "FeatureLearner", "TD(lambda) with final adaptation on features.")
      .def(
          "__init__",
          [](PyFeatureLearner *self, const FeatureNetworkPtr &network, TdSettings settings, const std::string &outcome,
             std::uint64_t seed) {
            settings = checked_self_play(network->game(), settings, outcome);
            new (self) PyFeatureLearner(std::make_unique<FeatureLearner>(network, settings, seed));
          },
          nb::arg("network"), nb::arg("settings"), nb::arg("outcome"), nb::arg("seed"))
      .def_prop_ro("network", [](const PyFeatureLearner &l) { return l.kind().network(); })
      .def_prop_ro("replay", [](const PyFeatureLearner &l) { return l.kind().replay(); })
      .def_prop_ro("drawn", [](const PyFeatureLearner &l) { return l.kind().drawn(); });
}

}  // namespace boardlab
