// Shared by the binding files, which convert and check arguments and release the GIL. They have no logic of their own.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/function.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "arena/match.h"
#include "bindings/gil.h"
#include "core/game.h"

namespace nb = nanobind;

namespace boardlab {

template <class T>
using Array = nb::ndarray<nb::numpy, T>;

// A fresh numpy array that owns its memory.
template <class T>
Array<T> new_array(std::initializer_list<std::size_t> shape, T **data) {
  std::size_t size = 1;
  for (const std::size_t n : shape) size *= n;
  *data = new T[size]();
  nb::capsule owner(*data, [](void *p) noexcept { delete[] static_cast<T *>(p); });
  return Array<T>(*data, shape, owner);
}

// Lets Ctrl-C interrupt long work without the GIL; checks at most ten times a second.
class SignalPoll {
 public:
  void operator()() {
    if (is_cut_off()) block_for_ever();  // at once, because the data of the work may be freed soon
    const auto now = std::chrono::steady_clock::now();
    if (now - last_ < std::chrono::milliseconds(100)) return;
    last_ = now;
    const Gil gil;
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
  }

 private:
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

// "agent.py, line 3: ValueError: what it says".
std::string describe(const nb::python_error &error);

// Calls into Python from an agent. An agent that fails loses its game: its Python error is nested in a
// std::invalid_argument. Exceptions that stop the program, such as KeyboardInterrupt, pass through.
template <class Call>
void guarded(const Call &call) {
  try {
    in_python(call);
  } catch (nb::python_error &error) {
    if (!error.matches(PyExc_Exception)) throw;
    if (nb::hasattr(error.value(), "is_resignation")) std::throw_with_nested(Resigned(describe(error)));
    std::throw_with_nested(std::invalid_argument(describe(error)));
  }
}

// Calls the engine from Python. An agent or evaluator written in Python that is called directly raises its own error.
template <class Call>
void unwrapped(const Call &call) {
  try {
    call();
  } catch (const std::invalid_argument &fault) {
    std::rethrow_if_nested(fault);
    throw;
  }
}

// A state as Python holds it: the game, the bytes, and the states before it for undo.
class PyState {
 public:
  explicit PyState(GamePtr g) : game(std::move(g)), buffer(*game) {}

  GamePtr game;
  StateBuffer buffer;
  std::vector<StateBuffer> history;
  int seen_by = -1;  // the player for whom hidden parts were erased, or -1

  void *data() { return buffer.data(); }
  const void *data() const { return buffer.data(); }
  // Advances to the position that `change(bytes)` makes. If it throws, as rules in Python may, nothing changes.
  template <class Change>
  auto advance(const Change &change) {
    StateBuffer next = buffer;
    const auto result = change(next.data());
    history.push_back(std::move(buffer));
    buffer = std::move(next);
    return result;
  }
  int player() const { return game->player(data()); }
  std::vector<Action> legal_actions() const;
  // Throws a ValueError of one sentence if the action cannot be played here.
  void check_action(std::int64_t action) const;
  void check_player(std::int64_t player) const;
  // The same for what a player sees, which cannot be derived from another player's view.
  void check_view(std::int64_t player) const;
};

std::size_t checked_count(const char *what, std::int64_t value, std::int64_t low, std::int64_t high);

// SCORE or the number of a named reward; throws ValueError if the game has none of that name.
int outcome_index(const Game &game, const std::string &name);

void bind_games(nb::module_ &m);
void bind_python_game(nb::module_ &m);
void bind_flat_game(nb::module_ &m);
void bind_evaluators(nb::module_ &m);
void bind_searches(nb::module_ &m);
void bind_planners(nb::module_ &m);
void bind_tree_options(nb::module_ &m);
void bind_mcts(nb::module_ &m);
void bind_hidden(nb::module_ &m);
void bind_forest(nb::module_ &m);
void bind_encode(nb::module_ &m);
void bind_batch_env(nb::module_ &m);
void bind_match(nb::module_ &m);
void bind_net(nb::module_ &m);
void bind_references(nb::module_ &m);
void bind_ntuple(nb::module_ &m);
void bind_tabular(nb::module_ &m);
void bind_regret(nb::module_ &m);
void bind_walks(nb::module_ &m);
void bind_othello_proof(nb::module_ &m);

}  // namespace boardlab
