#include "bindings/module.h"

#include <new>
#include <stdexcept>
#include <system_error>

#include "core/forks.h"
#include "tabular/q_table.h"

namespace boardlab {

namespace {

// The thread that ends the interpreter: the one that imported the module or, in a forked process, the one that forked.
std::thread::id main_thread;
std::uint64_t main_thread_forks = 0;

}  // namespace

void remember_main_thread() {
  main_thread = std::this_thread::get_id();
  main_thread_forks = forks();
}

bool is_cut_off() {
#if PY_VERSION_HEX >= 0x030D0000
  const bool is_ending = Py_IsFinalizing() != 0;
#else
  const bool is_ending = _Py_IsFinalizing() != 0;
#endif
  return is_ending && main_thread_forks == forks() && main_thread != std::this_thread::get_id();
}

std::string describe(const nb::python_error &error) {
  std::string text = "an exception that cannot be printed";
  try {
    nb::try_cast<std::string>(nb::module_::import_("boardlab.errors").attr("described")(error.value()), text);
  } catch (const nb::python_error &) {  // Python is ending, or has no memory left
  }
  return text;
}

}  // namespace boardlab

namespace {

// Errors of the engine and of the system become a BoardLabError in Python. Its class is looked up when it is needed,
// because the package imports this module first.
void refuse(const char *name, const char *what) {
  PyObject *kind = nullptr;
  if (PyObject *module = PyImport_ImportModule("boardlab.errors")) {
    kind = PyObject_GetAttrString(module, name);
    Py_DECREF(module);
  }
  if (!kind) PyErr_Clear();  // the engine on its own, without the package
  PyErr_SetString(kind ? kind : PyExc_ValueError, what);
  Py_XDECREF(kind);
}

void translate_refusal(const std::exception_ptr &error, void *) {
  try {
    std::rethrow_exception(error);
  } catch (const boardlab::tabular::TableFull &refusal) {
    refuse("TableFullError", refusal.what());
  } catch (const std::invalid_argument &refusal) {
    refuse("BoardLabError", refusal.what());
  } catch (const boardlab::BrokenRules &refusal) {
    refuse("BoardLabError", refusal.what());
  } catch (const std::bad_alloc &) {
    refuse("OutOfMemoryError", "there is not enough memory for this");
  } catch (const std::system_error &) {  // only starting a thread can throw this
    refuse("BoardLabError", "the system cannot start more threads; use fewer");
  }
}

}  // namespace

NB_MODULE(_engine, m) {
  m.doc() = "BoardLab's engine: rules, evaluators, searches, matches. Use the package boardlab, not this module.";
  boardlab::remember_main_thread();
  nb::register_exception_translator(translate_refusal);
  nb::set_leak_warnings(false);  // objects that live until the interpreter ends are no leaks
  m.attr("CHANCE") = BL_CHANCE;
  m.attr("TERMINAL") = BL_TERMINAL;
  m.attr("ZERO_SUM") = static_cast<std::uint32_t>(BL_ZERO_SUM);
  m.attr("HIDDEN") = static_cast<std::uint32_t>(BL_HIDDEN);
  boardlab::bind_games(m);
  boardlab::bind_python_game(m);
  boardlab::bind_flat_game(m);
  boardlab::bind_evaluators(m);
  boardlab::bind_searches(m);
  boardlab::bind_planners(m);
  boardlab::bind_tree_options(m);
  boardlab::bind_mcts(m);
  boardlab::bind_hidden(m);
  boardlab::bind_forest(m);
  boardlab::bind_encode(m);
  boardlab::bind_batch_env(m);
  boardlab::bind_match(m);
  boardlab::bind_net(m);
  boardlab::bind_references(m);
  boardlab::bind_ntuple(m);
  boardlab::bind_tabular(m);
  boardlab::bind_regret(m);
  boardlab::bind_walks(m);
  boardlab::bind_othello_proof(m);
}
