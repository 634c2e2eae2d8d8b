#include "bindings/searches.h"

#include "bindings/python_evaluator.h"
#include "evaluators/agent.h"
#include "search/alphabeta.h"
#include "search/maxn.h"
#include "search/vote.h"

namespace boardlab {

namespace {

// An agent written in Python: a callable that takes a State and returns an action or a tuple. The tuple has the action,
// the policy and the values (one number for each legal action), the scores (one for each player, or none), the line of
// play, and pairs of information. The agent may have reset(seed). With history, its states can be undone to the
// beginning of the game, which costs a copy of all positions for every decision.
class PythonSearch final : public Search {
 public:
  PythonSearch(GamePtr game, nb::callable choose, nb::object reset, bool with_history)
      : Search(std::move(game), 0), choose_(std::move(choose)), reset_(std::move(reset)), with_history_(with_history) {}
  ~PythonSearch() override {
    const Gil gil;
    choose_.reset();
    reset_.reset();
  }
  void act(const void *state, Decision &out) override {
    out.prepare(game(), state);
    const Gil gil;
    auto view = std::make_shared<PyState>(game_ptr());
    game().copy(view->data(), state);
    if (game().is_hidden()) view->seen_by = game().player(state);
    if (!positions_.empty()) view->history.assign(positions_.begin(), positions_.end() - 1);
    nb::object chosen;
    if (!choose_.is_valid()) throw std::invalid_argument("the garbage collector has already cleared this agent");
    guarded([&] { chosen = choose_(view); });
    nb::tuple answer;
    std::vector<double> policy, values, scores;
    if (nb::try_cast(chosen, answer) && answer.size() == 6) {
      if (!nb::try_cast(answer[1], policy) || !nb::try_cast(answer[2], values) || policy.size() != out.actions.size() ||
          values.size() != out.actions.size())
        throw std::invalid_argument("its policy and values must have one number for each legal action");
      const auto players = static_cast<std::size_t>(game().players());
      if (!nb::try_cast(answer[3], scores) || (!scores.empty() && scores.size() != players))
        throw std::invalid_argument("its scores must have one number for each player");
      if (!nb::try_cast(answer[4], out.line)) throw std::invalid_argument("its line of play must be a list of actions");
      if (!nb::try_cast(answer[5], out.info)) throw std::invalid_argument("its info must map names to numbers");
      out.policy = policy;
      out.values = values;
      std::copy(scores.begin(), scores.end(), out.scores);
      chosen = answer[0];
    }
    if (!nb::try_cast<Action>(chosen, out.action) || PyBool_Check(chosen.ptr()))
      throw std::invalid_argument("it must return an action, which is a whole number");
  }
  void follow(const void *state) override {
    if (!with_history_) return;
    positions_.emplace_back(game());
    game().copy(positions_.back().data(), state);
  }
  bool needs_history() const override { return with_history_; }
  // The same for a state with its history.
  void follow(const PyState &state) {
    positions_.clear();
    for (const StateBuffer &earlier : state.history) follow(earlier.data());
    follow(state.data());
  }
  void reset(std::uint64_t seed) override {
    positions_.clear();
    const Gil gil;
    if (!reset_.is_none()) guarded([&] { reset_(seed); });
  }
  std::unique_ptr<Search> clone() const override { return nullptr; }

  // For Python's garbage collector: an agent that is a method of an object which holds the agent is a reference cycle.
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
  nb::callable choose_;
  nb::object reset_;
  bool with_history_;
  std::vector<StateBuffer> positions_;  // of the game so far, the current one last
};

// Visits the parts of a search that are written in Python: itself, or its evaluators. Stops at the first nonzero
// result.
template <class Visit>
int visit_python_parts(PyObject *self, const Visit &visit) {
  if (!nb::inst_ready(self)) return 0;
  Search *search = nb::inst_ptr<PySearch>(self)->search.get();
  if (auto *python = dynamic_cast<PythonSearch *>(search)) return visit(*python);
  int result = 0;
  search->visit_evaluators([&](Evaluator &asked) {
    if (auto *python = dynamic_cast<PythonEvaluator *>(&asked); python && !result) result = visit(*python);
  });
  return result;
}

int traverse_search(PyObject *self, visitproc visit, void *arg) {
  Py_VISIT(Py_TYPE(self));
  return visit_python_parts(self, [&](auto &part) { return part.traverse(visit, arg); });
}

int clear_search(PyObject *self) {
  return visit_python_parts(self, [](auto &part) { return part.forget(), 0; });
}

PyType_Slot SEARCH_SLOTS[] = {{Py_tp_traverse, reinterpret_cast<void *>(traverse_search)},
                              {Py_tp_clear, reinterpret_cast<void *>(clear_search)},
                              {0, nullptr}};

nb::tuple act(PySearch &s, const PyState &state) {
  check_asked(s.search->game(), state);
  if (s.search->game().is_hidden() && state.seen_by != state.player())
    throw std::invalid_argument("an agent may only be shown state.seen_by(player)");
  const Busy busy(s);
  const StateBuffer copy = state.buffer;
  if (auto *python = dynamic_cast<PythonSearch *>(s.search.get())) python->follow(state);
  Decision decision;
  unwrapped([&] {
    Interruptible interruptible(s);
    const WithoutGil release;
    interruptible.check();
    s.search->act(copy.data(), decision);
  });
  nb::dict info;
  for (const auto &[name, value] : decision.info) info[name.c_str()] = value;
  if (decision.line.empty()) decision.line.push_back(decision.action);
  return nb::make_tuple(decision.action, decision.actions, to_array(decision.policy), to_array(decision.values),
                        to_array({decision.scores, decision.scores + s.search->game().players()}), info, decision.line);
}

}  // namespace

void check_asked(const Game &game, const PyState &state) {
  if (state.game.get() != &game) throw std::invalid_argument("the state belongs to another game than the agent");
  if (state.player() == TERMINAL) throw std::invalid_argument("the game is over: there is nothing to decide");
  if (state.player() == CHANCE)
    throw std::invalid_argument("nature moves here, not a player; apply a chance outcome first");
}

Array<double> to_array(const std::vector<double> &values) {
  double *data;
  auto array = new_array<double>({values.size()}, &data);
  std::copy(values.begin(), values.end(), data);
  return array;
}

void bind_searches(nb::module_ &m) {
  nb::exception<StoppedSearch>(m, "StoppedError", PyExc_RuntimeError);
  nb::class_<PySearch>(m, "Search", nb::type_slots(SEARCH_SLOTS), "Picks actions.")
      .def("act", &act, nb::arg("state"), "(action, legal actions, policy, values, scores, info, line)")
      .def(
          "reset",
          [](PySearch &s, std::uint64_t seed) {
            const Busy busy(s);
            unwrapped([&] { s.search->reset(seed); });
          },
          nb::arg("seed"), "Forget the game played so far.")
      .def(
          "stop", [](PySearch &s) { s.is_stopped = true; },
          "From another thread: make the running call of act, or the next one, raise StoppedError.");

  m.def(
      "random_search",
      [](const std::shared_ptr<Game> &game, std::uint64_t seed) {
        return wrap(std::make_unique<RandomSearch>(game, seed));
      },
      nb::arg("game"), nb::arg("seed"));
  m.def(
      "greedy_search",
      [](const EvaluatorPtr &e, std::uint64_t seed, std::int64_t memory) {
        checked_count("memory", memory, 0, 1000000);
        return wrap(std::make_unique<GreedySearch>(e->clone(), memory, seed));
      },
      nb::arg("evaluator"), nb::arg("seed"), nb::arg("memory") = 1000);
  m.def(
      "policy_search",
      [](const EvaluatorPtr &e, std::uint64_t seed, bool samples) {
        return wrap(std::make_unique<PolicySearch>(e->clone(), samples, seed));
      },
      nb::arg("evaluator"), nb::arg("seed"), nb::arg("samples") = false);
  m.def(
      "mc_search",
      [](const EvaluatorPtr &e, std::int64_t iterations, double seconds, std::uint64_t seed, std::int64_t threads) {
        checked_count("iterations", iterations, 0, 1'000'000'000'000);
        checked_count("threads", threads, 1, 1024);
        if (!(seconds >= 0 && seconds <= 1e6)) throw std::invalid_argument("seconds must be from 0 to 1000000");
        if (iterations == 0 && seconds == 0)
          throw std::invalid_argument("mc needs a number of iterations or of seconds");
        return wrap(
            std::make_unique<MonteCarloSearch>(e->clone(), iterations, seconds, seed, static_cast<int>(threads)));
      },
      nb::arg("evaluator"), nb::arg("iterations"), nb::arg("seconds"), nb::arg("seed"), nb::arg("threads") = 1);
  m.def(
      "vote_search",
      [](const SearchPtr &agent, std::int64_t agents, std::int64_t threads, std::uint64_t seed) {
        const Busy busy(*agent);
        checked_count("agents", agents, 1, 1024);
        checked_count("threads", threads, 1, 1024);
        return wrap(
            std::make_unique<VoteSearch>(*agent->search, static_cast<int>(agents), static_cast<int>(threads), seed));
      },
      nb::arg("agent"), nb::arg("agents"), nb::arg("threads"), nb::arg("seed"));
  m.def(
      "maxn_search",
      [](const EvaluatorPtr &e, std::int64_t depth, std::int64_t table_mb, std::uint64_t seed) {
        MaxNOptions options;
        options.depth = static_cast<int>(checked_count("depth", depth, 1, 200));
        options.table_bytes = checked_count("table_mb", table_mb, 1, 65536) << 20;
        if (e->game().is_hidden())
          throw std::invalid_argument("a full-width search cannot see the hidden cards of " + e->game().name() +
                                      "; use ismcts, expectimax or mc");
        return wrap(std::make_unique<MaxNSearch>(e->clone(), options, seed));
      },
      nb::arg("evaluator"), nb::arg("depth"), nb::arg("table_mb"), nb::arg("seed"));
  m.def(
      "alphabeta_search",
      [](const EvaluatorPtr &e, std::int64_t depth, double seconds, bool exact, std::int64_t solve_below,
         std::int64_t wld_below, std::int64_t solve_nodes, double mpc, std::int64_t table_mb, std::int64_t threads,
         std::uint64_t seed) {
        AlphaBetaOptions options;
        options.depth = static_cast<int>(checked_count("depth", depth, 1, 200));
        options.seconds = seconds;
        options.exact = exact;
        options.solve_below = static_cast<int>(checked_count("solve_below", solve_below, 0, 1000));
        options.wld_below = static_cast<int>(checked_count("wld_below", wld_below, 0, 1000));
        options.solve_nodes = static_cast<std::int64_t>(checked_count("solve_nodes", solve_nodes, 1, INT64_MAX));
        options.table_bytes = checked_count("table_mb", table_mb, 1, 65536) << 20;
        options.threads = static_cast<int>(checked_count("threads", threads, 1, 1024));
        if (!(seconds >= 0 && seconds <= 1e6)) throw std::invalid_argument("seconds must be from 0 to 1000000");
        if (!(mpc >= 0)) throw std::invalid_argument("mpc must be at least 0");
        auto search = std::make_unique<AlphaBetaSearch>(e->clone(), options, seed);  // throws for games it cannot play
        if (mpc > 0) {
          SignalPoll signals;
          const WithoutGil release;
          options.prob_cut = ProbCut::learn(*e, mpc, options.depth, seed, [&signals] { signals(); });
          search = std::make_unique<AlphaBetaSearch>(e->clone(), options, seed);
        }
        return wrap(std::move(search));
      },
      nb::arg("evaluator"), nb::arg("depth"), nb::arg("seconds"), nb::arg("exact"), nb::arg("solve_below"),
      nb::arg("wld_below"), nb::arg("solve_nodes"), nb::arg("mpc"), nb::arg("table_mb"), nb::arg("threads"),
      nb::arg("seed"));
  m.def(
      "agent_evaluator",
      [](const SearchPtr &agent) -> EvaluatorPtr {
        const Busy busy(*agent);
        std::shared_ptr<Search> search = agent->search->clone();
        if (!search) search = {agent, agent->search.get()};  // written in Python
        return std::make_shared<AgentEvaluator>(std::make_shared<AgentEvaluator::Asked>(std::move(search)));
      },
      nb::arg("agent"), "The evaluator whose answers are the agent's decisions.");
  m.def(
      "python_search",
      [](const std::shared_ptr<Game> &game, nb::callable choose, nb::object reset, bool with_history) {
        return wrap(std::make_unique<PythonSearch>(game, std::move(choose), std::move(reset), with_history));
      },
      nb::arg("game"), nb::arg("choose"), nb::arg("reset").none(), nb::arg("with_history") = false);
}

}  // namespace boardlab
