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

// Lets Ctrl-C into a search while it thinks, and leaves nothing of this call behind in it.
class Interruptible {
 public:
  explicit Interruptible(Search &search) : search_(search) {
    search_.set_poll([this] { signals_(); });
  }
  ~Interruptible() {
    search_.set_poll([] {});
  }
  Interruptible(const Interruptible &) = delete;
  Interruptible &operator=(const Interruptible &) = delete;

 private:
  Search &search_;
  SignalPoll signals_;
};

class Busy {
 public:
  explicit Busy(PySearch &s) : search_(s) {
    if (search_.busy.exchange(true)) throw std::invalid_argument("this agent is already thinking in another thread");
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
    nb::object chosen;
    if (!choose_.is_valid()) throw std::invalid_argument("this agent has been taken apart by the garbage collector");
    guarded([&] { chosen = choose_(view); });
    if (!nb::try_cast<Action>(chosen, out.action) || PyBool_Check(chosen.ptr()))
      throw std::invalid_argument("it did not return an action, which is a whole number");
  }
  void reset(std::uint64_t seed) override {
    const nb::gil_scoped_acquire gil;
    if (!reset_.is_none()) guarded([&] { reset_(seed); });
  }
  std::unique_ptr<Search> clone() const override { return nullptr; }

  // For Python's garbage collector: an agent that is a method of an object which holds the agent is a circle.
  int traverse(visitproc visit, void *arg) const {
    Py_VISIT(choose_.ptr());
    Py_VISIT(reset_.ptr());
    return 0;
  }
  void forget() {
    choose_.reset();
    reset_ = nb::none();
  }

 private:
  // An agent that fails loses its game: std::invalid_argument with the Python error nested in it. What asks to stop
  // the program goes through.
  template <class Call>
  static void guarded(const Call &call) {
    try {
      call();
    } catch (nb::python_error &error) {
      if (error.matches(PyExc_Exception)) std::throw_with_nested(std::invalid_argument(describe(error)));
      throw;
    }
  }
  static std::string describe(const nb::python_error &error) {
    std::string text = "an exception that cannot be printed";
    try {
      nb::try_cast<std::string>(error.type().attr("__name__"), text);
      std::string message;
      if (nb::try_cast<std::string>(nb::str(error.value()), message) && !message.empty()) text += ": " + message;
    } catch (const nb::python_error &) {  // __str__ failed in its turn; the name of the exception remains
    }
    return text;
  }

  nb::callable choose_;
  nb::object reset_;
};

PythonSearch *python_part(PyObject *self) {
  return nb::inst_ready(self) ? dynamic_cast<PythonSearch *>(nb::inst_ptr<PySearch>(self)->search.get()) : nullptr;
}

int traverse_search(PyObject *self, visitproc visit, void *arg) {
  Py_VISIT(Py_TYPE(self));
  const PythonSearch *search = python_part(self);
  return search ? search->traverse(visit, arg) : 0;
}

int clear_search(PyObject *self) {
  if (PythonSearch *search = python_part(self)) search->forget();
  return 0;
}

PyType_Slot SEARCH_SLOTS[] = {{Py_tp_traverse, reinterpret_cast<void *>(traverse_search)},
                              {Py_tp_clear, reinterpret_cast<void *>(clear_search)},
                              {0, nullptr}};

void check_asked(const Game &game, const PyState &state) {
  if (state.game.get() != &game) throw std::invalid_argument("the state belongs to another game than the agent");
  if (state.player() == TERMINAL) throw std::invalid_argument("the game is over: there is nothing to decide");
  if (state.player() == CHANCE)
    throw std::invalid_argument("nature moves here, not a player; apply a chance outcome first");
}

void check_seen(const PyState &state) {
  if (state.seen_by >= 0) throw std::invalid_argument("an evaluator needs a full state; use determinize() first");
}

Array<double> to_array(const std::vector<double> &values) {
  double *data;
  auto array = new_array<double>({values.size()}, &data);
  std::copy(values.begin(), values.end(), data);
  return array;
}

// Asks a copy of the evaluator: an evaluator has scratch memory, and other threads may run while this one works.
template <class Ask>
Array<double> asked(const Evaluator &evaluator, const PyState &state, std::uint64_t seed, std::uint64_t stream,
                    std::size_t size, const Ask &ask) {
  const auto mine = evaluator.clone();
  SignalPoll signals;
  mine->poll = [&signals] { signals(); };
  const StateBuffer copy = state.buffer;
  std::vector<double> out(size);
  Rng rng(derive_seed(seed, stream));
  {
    const nb::gil_scoped_release release;
    ask(*mine, copy.data(), rng, out.data());
  }
  return to_array(out);
}

nb::tuple act(PySearch &s, const PyState &state) {
  check_asked(s.search->game(), state);
  if (s.search->game().is_hidden() && state.seen_by != state.player())
    throw std::invalid_argument("an agent may only be shown state.seen_by(player)");
  const Busy busy(s);
  const StateBuffer copy = state.buffer;
  Decision decision;
  try {
    const Interruptible interruptible(*s.search);
    const nb::gil_scoped_release release;
    s.search->act(copy.data(), decision);
  } catch (const std::invalid_argument &fault) {
    std::rethrow_if_nested(fault);  // asked directly, an agent written in Python raises its own error
    throw;
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
  // Lists that grow with the games that were played: a match that is stopped early must not pay for all of it.
  std::vector<std::vector<std::pair<std::int64_t, GameRecord>>> played(
      static_cast<std::size_t>(std::min<std::int64_t>(threads, plan.games)));
  std::vector<std::vector<std::unique_ptr<Search>>> clones(played.size());
  std::vector<std::vector<Search *>> teams(clones.size());
  for (std::size_t t = 0; t < clones.size(); ++t)
    for (const SearchPtr &agent : agents) {
      clones[t].push_back(agent->search->clone());
      if (!clones[t].back() && threads > 1)
        throw std::invalid_argument("an agent written in Python plays on one thread only");
      teams[t].push_back(clones[t].back() ? clones[t].back().get() : agent->search.get());
    }
  std::atomic<std::int64_t> next{0}, done{0};
  std::atomic<bool> stop{false};
  struct Stopped {};
  std::exception_ptr failure;
  std::mutex failure_mutex;
  const auto work = [&](std::size_t t, const std::function<void()> &poll) {
    for (Search *search : teams[t]) search->set_poll(poll);
    for (std::int64_t i; !stop && (i = next++) < plan.games; ++done) {
      played[t].emplace_back(i, play_game(*game, teams[t], plan, i));
      poll();
    }
  };
  // Nothing may leave a thread but through `failure`; the first one stops the others.
  const auto guarded = [&](const auto &task) {
    try {
      task();
    } catch (const Stopped &) {
    } catch (...) {
      const std::lock_guard lock(failure_mutex);
      if (!failure) failure = std::current_exception();
      stop = true;
    }
  };
  const auto help = [&](std::size_t t) {
    guarded([&] {
      work(t, [&stop] {
        if (stop) throw Stopped{};
      });
    });
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
    guarded([&] {
      for (std::size_t t = 1; t < teams.size(); ++t) helpers.emplace_back(help, t);
      work(0, poll);
      while (done < plan.games) {  // the others still play: Ctrl-C must reach them
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
        poll();
      }
    });
    for (auto &helper : helpers) helper.join();
    for (Search *search : teams[0]) search->set_poll([] {});  // an agent that was not cloned outlives this call
  }
  if (failure) std::rethrow_exception(failure);
  progress(plan.games);
  std::vector<GameRecord> records(static_cast<std::size_t>(plan.games));
  for (auto &list : played)
    for (auto &[index, record] : list) records[static_cast<std::size_t>(index)] = std::move(record);
  return records;
}

}  // namespace

void bind_searches(nb::module_ &m) {
  nb::class_<Evaluator>(m, "Evaluator", "Judges positions.")
      .def_prop_ro("has_priors", &Evaluator::has_priors)
      .def(
          "value",
          [](const Evaluator &e, const PyState &s, std::uint64_t seed) {
            check_seen(s);
            if (s.game != e.game_ptr())
              throw std::invalid_argument("the state belongs to another game than the evaluator");
            return asked(
                e, s, seed, 5, static_cast<std::size_t>(e.game().players()),
                [](Evaluator &mine, const void *state, Rng &rng, double *out) { mine.judge(state, rng, out); });
          },
          nb::arg("state"), nb::arg("seed") = 0, "One number a player.")
      .def(
          "action_values",
          [](const Evaluator &e, const PyState &s, std::uint64_t seed) {
            check_asked(e.game(), s);
            check_seen(s);
            const auto actions = s.legal_actions();
            return asked(e, s, seed, 6, actions.size(),
                         [&actions](Evaluator &mine, const void *state, Rng &rng, double *out) {
                           mine.action_values(state, actions, rng, out);
                         });
          },
          nb::arg("state"), nb::arg("seed") = 0, "One number a legal action, for the player to move.")
      .def(
          "priors",
          [](const Evaluator &e, const PyState &s, std::uint64_t seed) {
            check_asked(e.game(), s);
            check_seen(s);
            const auto actions = s.legal_actions();
            return asked(e, s, seed, 7, actions.size(),
                         [&actions](Evaluator &mine, const void *state, Rng &rng, double *out) {
                           mine.priors(state, actions, rng, out);
                         });
          },
          nb::arg("state"), nb::arg("seed") = 0, "A probability a legal action.");

  m.def(
      "rollout_evaluator",
      [](const std::shared_ptr<Game> &game, const std::string &outcome, std::int64_t rollouts, std::int64_t depth,
         bool whole_game) -> EvaluatorPtr {
        return std::make_shared<RolloutEvaluator>(
            game, outcome_index(*game, outcome), static_cast<int>(checked_count("rollouts", rollouts, 1, 1000000)),
            static_cast<int>(checked_count("depth", depth, 0, 1000000)), whole_game);
      },
      nb::arg("game"), nb::arg("outcome"), nb::arg("rollouts"), nb::arg("depth"), nb::arg("whole_game") = false);
  m.def(
      "paid_evaluator",
      [](const std::shared_ptr<Game> &game, const std::string &outcome) -> EvaluatorPtr {
        return std::make_shared<PaidEvaluator>(game, outcome_index(*game, outcome));
      },
      nb::arg("game"), nb::arg("outcome"));
  m.def(
      "solver_evaluator",
      [](const std::shared_ptr<Game> &game) -> EvaluatorPtr {
        if (!game->table().solve) throw std::invalid_argument(game->name() + " has no exact solver of its own");
        return std::make_shared<SolverEvaluator>(game, SCORE);
      },
      nb::arg("game"));

  nb::class_<PySearch>(m, "Search", nb::type_slots(SEARCH_SLOTS), "Picks actions.")
      .def("act", &act, nb::arg("state"), "(action, legal actions, policy, values, scores, info)")
      .def(
          "reset",
          [](PySearch &s, std::uint64_t seed) {
            const Busy busy(s);
            try {
              s.search->reset(seed);
            } catch (const std::invalid_argument &fault) {
              std::rethrow_if_nested(fault);
              throw;
            }
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
          throw std::invalid_argument("a full-width search cannot look into the hidden cards of " + e->game().name() +
                                      "; use mcts or mc");
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
        if (!(seconds >= 0 && seconds <= 1e6)) throw std::invalid_argument("seconds must be from 0 to 1000000");
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
        options.iterations = static_cast<std::int64_t>(checked_count("iterations", iterations, 0, 4'000'000'000));
        options.seconds = seconds;
        options.reuse = reuse;
        options.batch = static_cast<int>(checked_count("batch", batch, 1, 65536));
        options.choose_by_value = choose_by_value;
        options.tree.puct = puct;
        options.tree.c = c;
        options.tree.epsilon = epsilon;
        options.tree.depth = static_cast<int>(checked_count("depth", depth, 0, 1000000));
        options.tree.max_nodes = static_cast<std::uint32_t>(checked_count("max_nodes", max_nodes, 1024, 1ll << 31));
        if (!(seconds >= 0 && seconds <= 1e6)) throw std::invalid_argument("seconds must be from 0 to 1000000");
        if (!(c >= 0 && c <= 1e6)) throw std::invalid_argument("c must be from 0 to 1000000");
        if (!(epsilon >= 0 && epsilon <= 1)) throw std::invalid_argument("epsilon must be from 0 to 1");
        if (iterations == 0 && seconds == 0)
          throw std::invalid_argument("mcts needs a number of iterations or of seconds");
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
      .def_ro("start", &GameRecord::start)
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
         const std::vector<std::shared_ptr<PyState>> &starts, std::int64_t threads,
         const std::function<void(std::int64_t)> &progress) {
        MatchPlan plan;
        plan.games = static_cast<std::int64_t>(checked_count("games", games, 1, 100000000));
        plan.seed = seed;
        plan.random_actions = static_cast<int>(checked_count("random_actions", random_actions, 0, 1000000));
        plan.seatings = seatings;
        for (const auto &start : starts) {
          if (!start) throw std::invalid_argument("a match starts from states, not from None");
          if (start->game != game) throw std::invalid_argument("a start belongs to another game");
          if (start->seen_by >= 0) throw std::invalid_argument("a match needs full states to start from");
          plan.starts.push_back(start->buffer);
        }
        checked_count("threads", threads, 1, 1024);
        if (seatings.empty()) throw std::invalid_argument("a match needs at least one seating");
        for (const auto &seating : seatings) {
          if (seating.size() != static_cast<std::size_t>(game->players()))
            throw std::invalid_argument("a seating names one agent a player");
          for (const int agent : seating)
            checked_count("agent", agent, 0, static_cast<std::int64_t>(agents.size()) - 1);
        }
        std::vector<std::unique_ptr<Busy>> busy;
        for (const SearchPtr &agent : agents) {
          if (!agent) throw std::invalid_argument("a match is played by agents, not by None");
          if (agent->search->game_ptr() != game) throw std::invalid_argument("an agent was made for another game");
          busy.push_back(std::make_unique<Busy>(*agent));
        }
        return play_match(game, agents, plan, static_cast<int>(threads), progress);
      },
      nb::arg("game"), nb::arg("agents"), nb::arg("games"), nb::arg("seed"), nb::arg("seatings"),
      nb::arg("random_actions"), nb::arg("starts"), nb::arg("threads"), nb::arg("progress"));
}

}  // namespace boardlab
