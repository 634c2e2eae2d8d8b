#include "bindings/python_evaluator.h"
#include "bindings/searches.h"
#include "evaluators/endgame.h"
#include "evaluators/mix.h"
#include "evaluators/net.h"
#include "evaluators/rollout.h"
#include "evaluators/score.h"
#include "evaluators/solver.h"

namespace boardlab {

namespace {

void check_seen(const PyState &state) {
  if (state.seen_by >= 0) throw std::invalid_argument("an evaluator needs a full state; use determinize() first");
}

// Calls a clone, because an evaluator has scratch memory and other threads may run at the same time.
template <class Ask>
Array<double> asked(const Evaluator &evaluator, const PyState &state, std::uint64_t seed, std::uint64_t stream,
                    std::size_t size, const Ask &ask) {
  const auto mine = evaluator.clone();
  SignalPoll signals;
  mine->poll = [&signals] { signals(); };
  const StateBuffer copy = state.buffer;
  std::vector<double> out(size);
  Rng rng(derive_seed(seed, stream));
  unwrapped([&] {
    const WithoutGil release;
    ask(*mine, copy.data(), rng, out.data());
  });
  return to_array(out);
}

// The value of each state; an evaluator of batches is called once.
Array<double> values_of(const Evaluator &evaluator, const std::vector<std::shared_ptr<PyState>> &states,
                        std::uint64_t seed) {
  const Game &game = evaluator.game();
  const auto players = static_cast<std::size_t>(game.players());
  for (const auto &state : states) {
    if (!state) throw std::invalid_argument("an evaluator judges states, not None");
    check_seen(*state);
    if (state->game.get() != &game) throw std::invalid_argument("the state belongs to another game than the evaluator");
  }
  double *out;
  auto array = new_array<double>({states.size(), players}, &out);
  std::vector<StateBuffer> copies;
  copies.reserve(states.size());
  std::vector<Question> questions;
  for (std::size_t i = 0; i < states.size(); ++i) {
    const void *copy = copies.emplace_back(states[i]->buffer).data();
    if (game.player(copy) == TERMINAL)
      game.outcome(evaluator.outcome(), copy, out + i * players);
    else
      questions.push_back({copy, {}, out + i * players, nullptr});
  }
  const auto mine = evaluator.clone();
  SignalPoll signals;
  mine->poll = [&signals] { signals(); };
  Rng rng(derive_seed(seed, 5));
  unwrapped([&] {
    const WithoutGil release;
    if (!questions.empty()) mine->answer(questions, rng);
  });
  return array;
}

// The evaluator and those that it calls, as far as they are written in Python.
template <class Visit>
void visit_python_parts(PyObject *self, const Visit &visit) {
  if (!nb::inst_ready(self)) return;
  nb::inst_ptr<Evaluator>(self)->visit([&](Evaluator &asked) {
    if (auto *python = dynamic_cast<PythonEvaluator *>(&asked)) visit(*python);
  });
}

int traverse_evaluator(PyObject *self, visitproc visit, void *arg) {
  Py_VISIT(Py_TYPE(self));
  int result = 0;
  visit_python_parts(self, [&](const PythonEvaluator &python) {
    if (!result) result = python.traverse(visit, arg);
  });
  return result;
}

int clear_evaluator(PyObject *self) {
  visit_python_parts(self, [](PythonEvaluator &python) { python.forget(); });
  return 0;
}

PyType_Slot EVALUATOR_SLOTS[] = {{Py_tp_traverse, reinterpret_cast<void *>(traverse_evaluator)},
                                 {Py_tp_clear, reinterpret_cast<void *>(clear_evaluator)},
                                 {0, nullptr}};

}  // namespace

void bind_evaluators(nb::module_ &m) {
  nb::class_<Evaluator>(m, "Evaluator", nb::type_slots(EVALUATOR_SLOTS), "Judges positions.")
      .def_prop_ro("has_priors", &Evaluator::has_priors)
      .def_prop_ro(
          "outcome",
          [](const Evaluator &e) {
            return e.outcome() == SCORE ? std::string("score") : e.game().reward_name(e.outcome());
          },
          "The outcome that it estimates: the score or a named reward.")
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
          nb::arg("state"), nb::arg("seed") = 0, "One number for each player.")
      .def("values", &values_of, nb::arg("states"), nb::arg("seed") = 0, "[states, players], evaluated as one batch.")
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
          nb::arg("state"), nb::arg("seed") = 0,
          "One number for each legal action, from the view of the player to move.")
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
          nb::arg("state"), nb::arg("seed") = 0, "One probability for each legal action.");

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
      "mix_evaluator",
      [](const EvaluatorPtr &first, const EvaluatorPtr &second, double weight) -> EvaluatorPtr {
        if (!(weight >= 0 && weight <= 1)) throw std::invalid_argument("weight must be from 0 to 1");
        return std::make_shared<MixEvaluator>(first->clone(), second->clone(), weight);
      },
      nb::arg("first"), nb::arg("second"), nb::arg("weight"));
  m.def(
      "solver_evaluator",
      [](const std::shared_ptr<Game> &game, const std::string &outcome) -> EvaluatorPtr {
        if (!game->has_solver()) throw std::invalid_argument(game->name() + " has no exact solver of its own");
        return std::make_shared<SolverEvaluator>(game, outcome_index(*game, outcome));
      },
      nb::arg("game"), nb::arg("outcome"));
  m.def(
      "endgame_evaluator",
      [](const EvaluatorPtr &inner, std::int64_t below, std::int64_t nodes) -> EvaluatorPtr {
        return std::make_shared<EndgameEvaluator>(
            inner->clone(), static_cast<int>(checked_count("below", below, 0, 1000)),
            static_cast<std::int64_t>(checked_count("nodes", nodes, 1, INT64_MAX)));
      },
      nb::arg("evaluator"), nb::arg("below"), nb::arg("nodes"));
  m.def(
      "net_evaluator",
      [](const std::shared_ptr<Game> &game, const std::shared_ptr<net::Program> &program, const std::string &inputs,
         bool squashes, float factor, float offset, std::int64_t threads) -> EvaluatorPtr {
        return std::make_shared<NetEvaluator>(game, SCORE, program,
                                              NetOptions{inputs_named(inputs), squashes, factor, offset,
                                                         static_cast<int>(checked_count("threads", threads, 1, 1024))});
      },
      nb::arg("game"), nb::arg("program"), nb::arg("inputs"), nb::arg("squashes"), nb::arg("factor"), nb::arg("offset"),
      nb::arg("threads") = 1,
      "A net on the CPU: values are offset + factor * its first output, or the tanh of that if it squashes.");
  bind_python_evaluator(m);
}

}  // namespace boardlab
