#include <mutex>
#include <thread>

#include "arena/match.h"
#include "bindings/module.h"
#include "search/alphabeta.h"
#include "search/maxn.h"
#include "search/mcts.h"

namespace boardlab {

namespace {

using EvaluatorPtr = std::shared_ptr<Evaluator>;

// A search as Python holds it. One thread at a time: a second call while it thinks is refused, not undefined.
struct PySearch {
  explicit PySearch(std::unique_ptr<Search> s) : search(std::move(s)) {}
  std::unique_ptr<Search> search;
  std::atomic<bool> busy{false};
};
using SearchPtr = std::shared_ptr<PySearch>;

class Busy {
 public:
  explicit Busy(PySearch &s) : search_(s) {
    if (search_.busy.exchange(true)) throw nb::value_error("this agent is already thinking in another thread");
  }
  ~Busy() { search_.busy = false; }
  Busy(const Busy &) = delete;
  Busy &operator=(const Busy &) = delete;

 private:
  PySearch &search_;
};

// An agent written in Python: a callable that gets a State and returns an action. It may also offer reset(seed).
class PythonSearch final : public Search {
 public:
  PythonSearch(GamePtr game, nb::callable choose, nb::object reset)
      : Search(std::move(game), 0), choose_(std::move(choose)), reset_(std::move(reset)) {}
  ~PythonSearch() override {
    const nb::gil_scoped_acquire gil;
    choose_.reset();
    reset_.reset();
  }
  void act(const void *state, Decision &out) override {
    out.prepare(game(), state);
    const nb::gil_scoped_acquire gil;
    auto view = std::make_shared<PyState>(game_ptr());
    game().copy(view->data(), state);
    if (game().is_hidden()) view->seen_by = game().player(state);
    try {
      out.action = nb::cast<Action>(choose_(view));
    } catch (nb::python_error &error) {
      // An agent that fails loses its game; what asks to stop the program goes through.
      if (error.matches(PyExc_Exception)) throw std::invalid_argument(describe(error));
      throw;
    } catch (const nb::cast_error &) {
      throw std::invalid_argument("it did not return an action, which is a whole number");
    }
  }
  void reset(std::uint64_t seed) override {
    const nb::gil_scoped_acquire gil;
    if (!reset_.is_none()) reset_(seed);
  }
  std::unique_ptr<Search> clone() const override { return nullptr; }

 private:
  static std::string describe(nb::python_error &error) {
    const nb::handle type = error.type(), value = error.value();
    return nb::cast<std::string>(type.attr("__name__")) + ": " + nb::cast<std::string>(nb::str(value));
  }

  nb::callable choose_;
  nb::object reset_;
};

void check_asked(const Game &game, const PyState &state) {
  if (state.game.get() != &game) throw nb::value_error("the state belongs to another game than the agent");
  if (state.player() == TERMINAL) throw nb::value_error("the game is over: there is nothing to decide");
  if (state.player() == CHANCE) throw nb::value_error("nature moves here, not a player; apply a chance outcome first");
}

void check_seen(const PyState &state) {
  if (state.seen_by >= 0) throw nb::value_error("an evaluator needs a full state; use determinize() first");
}

Array<double> to_array(const std::vector<double> &values) {
  double *data;
  auto array = new_array<double>({values.size()}, &data);
  std::copy(values.begin(), values.end(), data);
  return array;
}

nb::tuple act(PySearch &s, const PyState &state) {
  check_asked(s.search->game(), state);
  if (s.search->game().is_hidden() && state.seen_by != state.player())
    throw nb::value_error("an agent may only be shown state.seen_by(player)");
  const Busy busy(s);
  const StateBuffer copy = state.buffer;
  Decision decision;
  {
    SignalPoll poll;
    s.search->poll = [&poll] { poll(); };
    const nb::gil_scoped_release release;
    s.search->act(copy.data(), decision);
  }
  nb::dict info;
  for (const auto &[name, value] : decision.info) info[name] = value;
  return nb::make_tuple(decision.action, decision.actions, to_array(decision.policy), to_array(decision.values),
                        to_array({decision.scores, decision.scores + s.search->game().players()}), info);
}

SearchPtr wrap(std::unique_ptr<Search> search) { return std::make_shared<PySearch>(std::move(search)); }

// Plays all games, on several threads where every agent can be cloned. Records come back in the order of the
// games and do not depend on the number of threads.
std::vector<GameRecord> play_match(const GamePtr &game, const std::vector<SearchPtr> &agents, const MatchPlan &plan,
                                   int threads, const std::function<void(std::int64_t)> &progress) {
  std::vector<GameRecord> records(static_cast<std::size_t>(plan.games));
  std::vector<std::vector<std::unique_ptr<Search>>> clones(static_cast<std::size_t>(threads));
  std::vector<std::vector<Search *>> teams(clones.size());
  for (std::size_t t = 0; t < clones.size(); ++t)
    for (const SearchPtr &agent : agents) {
      clones[t].push_back(agent->search->clone());
      if (!clones[t].back() && threads > 1)
        throw nb::value_error("an agent written in Python plays on one thread only");
      teams[t].push_back(clones[t].back() ? clones[t].back().get() : agent->search.get());
    }
  std::atomic<std::int64_t> next{0}, done{0};
  std::atomic<bool> stop{false};
  struct Stopped {};
  std::exception_ptr failure;
  std::mutex failure_mutex;
  const auto work = [&](std::size_t t, const std::function<void()> &poll) {
    for (Search *search : teams[t]) search->poll = poll;
    for (std::int64_t i; !stop && (i = next++) < plan.games; ++done) {
      records[static_cast<std::size_t>(i)] = play_game(*game, teams[t], plan, i);
      poll();
    }
  };
  const auto guarded = [&](std::size_t t) {
    try {
      work(t, [&stop] {
        if (stop) throw Stopped{};
      });
    } catch (const Stopped &) {
    } catch (...) {
      const std::lock_guard lock(failure_mutex);
      if (!failure) failure = std::current_exception();
      stop = true;
    }
  };
  {
    const nb::gil_scoped_release release;
    SignalPoll signals;
    std::vector<std::thread> helpers;
    auto last = std::chrono::steady_clock::now();
    const auto poll = [&] {
      if (stop) throw Stopped{};
      signals();
      const auto now = std::chrono::steady_clock::now();
      if (now - last < std::chrono::milliseconds(100)) return;
      last = now;
      const nb::gil_scoped_acquire gil;
      progress(done);
    };
    for (std::size_t t = 1; t < teams.size(); ++t) helpers.emplace_back(guarded, t);
    try {
      work(0, poll);
    } catch (const Stopped &) {
    } catch (...) {
      const std::lock_guard lock(failure_mutex);
      if (!failure) failure = std::current_exception();
      stop = true;
    }
    for (auto &helper : helpers) helper.join();
  }
  if (failure) std::rethrow_exception(failure);
  progress(plan.games);
  return records;
}

}  // namespace

void bind_searches(nb::module_ &m) {
  nb::class_<Evaluator>(m, "Evaluator", "Judges positions.")
      .def_prop_ro("has_priors", &Evaluator::has_priors)
      .def(
          "value",
          [](Evaluator &e, const PyState &s, std::uint64_t seed) {
            check_seen(s);
            if (s.game != e.game_ptr()) throw nb::value_error("the state belongs to another game than the evaluator");
            Rng rng(derive_seed(seed, 5));
            std::vector<double> out(static_cast<std::size_t>(e.game().players()));
            e.judge(s.data(), rng, out.data());
            return to_array(out);
          },
          nb::arg("state"), nb::arg("seed") = 0, "One number a player.")
      .def(
          "action_values",
          [](Evaluator &e, const PyState &s, std::uint64_t seed) {
            check_asked(e.game(), s);
            check_seen(s);
            Rng rng(derive_seed(seed, 6));
            const auto actions = s.legal_actions();
            std::vector<double> out(actions.size());
            e.action_values(s.data(), actions, rng, out.data());
            return to_array(out);
          },
          nb::arg("state"), nb::arg("seed") = 0, "One number a legal action, for the player to move.")
      .def(
          "priors",
          [](Evaluator &e, const PyState &s, std::uint64_t seed) {
            check_asked(e.game(), s);
            check_seen(s);
            Rng rng(derive_seed(seed, 7));
            const auto actions = s.legal_actions();
            std::vector<double> out(actions.size());
            e.priors(s.data(), actions, rng, out.data());
            return to_array(out);
          },
          nb::arg("state"), nb::arg("seed") = 0, "A probability a legal action.");

  m.def(
      "rollout_evaluator",
      [](const std::shared_ptr<Game> &game, const std::string &outcome, std::int64_t rollouts,
         std::int64_t depth) -> EvaluatorPtr {
        return std::make_shared<RolloutEvaluator>(game, outcome_index(*game, outcome),
                                                  static_cast<int>(checked_count("rollouts", rollouts, 1, 1000000)),
                                                  static_cast<int>(checked_count("depth", depth, 0, 1000000)));
      },
      nb::arg("game"), nb::arg("outcome"), nb::arg("rollouts"), nb::arg("depth"));
  m.def(
      "paid_evaluator",
      [](const std::shared_ptr<Game> &game, const std::string &outcome) -> EvaluatorPtr {
        return std::make_shared<PaidEvaluator>(game, outcome_index(*game, outcome));
      },
      nb::arg("game"), nb::arg("outcome"));
  m.def(
      "solver_evaluator",
      [](const std::shared_ptr<Game> &game) -> EvaluatorPtr {
        if (!game->table().solve) throw nb::value_error((game->name() + " has no exact solver of its own").c_str());
        return std::make_shared<SolverEvaluator>(game, SCORE);
      },
      nb::arg("game"));

  nb::class_<PySearch>(m, "Search", "Picks actions.")
      .def("act", &act, nb::arg("state"), "(action, legal actions, policy, values, scores, info)")
      .def(
          "reset",
          [](PySearch &s, std::uint64_t seed) {
            const Busy busy(s);
            s.search->reset(seed);
          },
          nb::arg("seed"), "Forgets the game played so far.");

  m.def(
      "random_search",
      [](const std::shared_ptr<Game> &game, std::uint64_t seed) {
        return wrap(std::make_unique<RandomSearch>(game, seed));
      },
      nb::arg("game"), nb::arg("seed"));
  m.def(
      "greedy_search",
      [](const EvaluatorPtr &e, std::uint64_t seed) { return wrap(std::make_unique<GreedySearch>(e->clone(), seed)); },
      nb::arg("evaluator"), nb::arg("seed"));
  m.def(
      "policy_search",
      [](const EvaluatorPtr &e, std::uint64_t seed) { return wrap(std::make_unique<PolicySearch>(e->clone(), seed)); },
      nb::arg("evaluator"), nb::arg("seed"));
  m.def(
      "mc_search",
      [](const EvaluatorPtr &e, std::int64_t iterations, std::uint64_t seed) {
        checked_count("iterations", iterations, 1, INT64_MAX);
        return wrap(std::make_unique<MonteCarloSearch>(e->clone(), iterations, seed));
      },
      nb::arg("evaluator"), nb::arg("iterations"), nb::arg("seed"));
  m.def(
      "maxn_search",
      [](const EvaluatorPtr &e, std::int64_t depth, std::int64_t table_mb, std::uint64_t seed) {
        MaxNOptions options;
        options.depth = static_cast<int>(checked_count("depth", depth, 1, 200));
        options.table_bytes = checked_count("table_mb", table_mb, 1, 65536) << 20;
        if (e->game().is_hidden())
          throw nb::value_error(
              ("a full-width search cannot look into the hidden cards of " + e->game().name()).c_str());
        return wrap(std::make_unique<MaxNSearch>(e->clone(), options, seed));
      },
      nb::arg("evaluator"), nb::arg("depth"), nb::arg("table_mb"), nb::arg("seed"));
  m.def(
      "alphabeta_search",
      [](const EvaluatorPtr &e, std::int64_t depth, double seconds, bool exact, std::int64_t table_mb,
         std::uint64_t seed) {
        AlphaBetaOptions options;
        options.depth = static_cast<int>(checked_count("depth", depth, 1, 200));
        options.seconds = seconds;
        options.exact = exact;
        options.table_bytes = checked_count("table_mb", table_mb, 1, 65536) << 20;
        if (!(seconds >= 0 && seconds <= 1e6)) throw nb::value_error("seconds must be from 0 to 1000000");
        return wrap(std::make_unique<AlphaBetaSearch>(e->clone(), options, seed));
      },
      nb::arg("evaluator"), nb::arg("depth"), nb::arg("seconds"), nb::arg("exact"), nb::arg("table_mb"),
      nb::arg("seed"));
  m.def(
      "mcts_search",
      [](const EvaluatorPtr &e, std::int64_t iterations, double seconds, bool puct, double c, double epsilon,
         std::int64_t depth, bool reuse, std::int64_t batch, bool choose_by_value, std::int64_t max_nodes,
         std::uint64_t seed) {
        MctsOptions options;
        options.iterations = static_cast<std::int64_t>(checked_count("iterations", iterations, 0, INT64_MAX));
        options.seconds = seconds;
        options.reuse = reuse;
        options.batch = static_cast<int>(checked_count("batch", batch, 1, 65536));
        options.choose_by_value = choose_by_value;
        options.tree.puct = puct;
        options.tree.c = c;
        options.tree.epsilon = epsilon;
        options.tree.depth = static_cast<int>(checked_count("depth", depth, 0, 1000000));
        options.tree.max_nodes = static_cast<std::uint32_t>(checked_count("max_nodes", max_nodes, 1024, 1ll << 31));
        if (!(seconds >= 0 && seconds <= 1e6)) throw nb::value_error("seconds must be from 0 to 1000000");
        if (!(c >= 0 && c <= 1e6)) throw nb::value_error("c must be from 0 to 1000000");
        if (!(epsilon >= 0 && epsilon <= 1)) throw nb::value_error("epsilon must be from 0 to 1");
        if (iterations == 0 && seconds == 0) throw nb::value_error("mcts needs a number of iterations or of seconds");
        return wrap(std::make_unique<MctsSearch>(e->clone(), options, seed));
      },
      nb::arg("evaluator"), nb::arg("iterations"), nb::arg("seconds"), nb::arg("puct"), nb::arg("c"),
      nb::arg("epsilon"), nb::arg("depth"), nb::arg("reuse"), nb::arg("batch"), nb::arg("choose_by_value"),
      nb::arg("max_nodes"), nb::arg("seed"));
  m.def(
      "python_search",
      [](const std::shared_ptr<Game> &game, nb::callable choose, nb::object reset) {
        return wrap(std::make_unique<PythonSearch>(game, std::move(choose), std::move(reset)));
      },
      nb::arg("game"), nb::arg("choose"), nb::arg("reset").none());

  nb::class_<GameRecord>(m, "GameRecord", "One game of a match.")
      .def_ro("seats", &GameRecord::seats)
      .def_ro("actions", &GameRecord::actions)
      .def_ro("scores", &GameRecord::scores)
      .def_ro("seed", &GameRecord::seed)
      .def_ro("faulty_seat", &GameRecord::faulty_seat)
      .def_ro("error", &GameRecord::error);

  m.def(
      "match_start",
      [](const std::shared_ptr<Game> &game, std::uint64_t seed) {
        auto state = std::make_shared<PyState>(game);
        Rng rng = start_rng(seed);
        game->initial_state(state->data(), rng);
        return state;
      },
      nb::arg("game"), nb::arg("seed"), "The initial state of a recorded game.");
  m.def(
      "play_match",
      [](const std::shared_ptr<Game> &game, const std::vector<SearchPtr> &agents, std::int64_t games,
         std::uint64_t seed, const std::vector<std::vector<int>> &seatings, std::int64_t random_actions,
         std::int64_t threads, const std::function<void(std::int64_t)> &progress) {
        MatchPlan plan;
        plan.games = static_cast<std::int64_t>(checked_count("games", games, 1, 100000000));
        plan.seed = seed;
        plan.random_actions = static_cast<int>(checked_count("random_actions", random_actions, 0, 1000000));
        plan.seatings = seatings;
        checked_count("threads", threads, 1, 1024);
        if (seatings.empty()) throw nb::value_error("a match needs at least one seating");
        for (const auto &seating : seatings) {
          if (seating.size() != static_cast<std::size_t>(game->players()))
            throw nb::value_error("a seating names one agent a player");
          for (const int agent : seating)
            checked_count("agent", agent, 0, static_cast<std::int64_t>(agents.size()) - 1);
        }
        std::vector<std::unique_ptr<Busy>> busy;
        for (const SearchPtr &agent : agents) {
          if (agent->search->game_ptr() != game) throw nb::value_error("an agent was made for another game");
          busy.push_back(std::make_unique<Busy>(*agent));
        }
        return play_match(game, agents, plan, static_cast<int>(threads), progress);
      },
      nb::arg("game"), nb::arg("agents"), nb::arg("games"), nb::arg("seed"), nb::arg("seatings"),
      nb::arg("random_actions"), nb::arg("threads"), nb::arg("progress"));
}

}  // namespace boardlab
