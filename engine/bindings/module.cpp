#include "bindings/module.h"

#include <stdexcept>

#include "tabular/q_table.h"

namespace boardlab {

std::string describe(const nb::python_error &error) {
  std::string text = "an exception that cannot be printed";
  try {
    nb::try_cast<std::string>(error.type().attr("__name__"), text);
    std::string message;
    if (nb::try_cast<std::string>(nb::str(error.value()), message) && !message.empty()) text += ": " + message;
  } catch (const nb::python_error &) {  // __str__ failed in its turn; the name of the exception remains
  }
  return text;
}

}  // namespace boardlab

namespace {

// What the engine refuses is a BoardLabError in Python. Its class is looked up when it is needed, because the package
// imports this module first.
void translate_refusal(const std::exception_ptr &error, void *) {
  try {
    std::rethrow_exception(error);
  } catch (const std::invalid_argument &refusal) {
    PyObject *kind = nullptr;
    if (PyObject *module = PyImport_ImportModule("boardlab.errors")) {
      const bool is_full = dynamic_cast<const boardlab::tabular::TableFull *>(&refusal);
      kind = PyObject_GetAttrString(module, is_full ? "TableFullError" : "BoardLabError");
      Py_DECREF(module);
    }
    if (!kind) PyErr_Clear();  // the engine on its own, without the package
    PyErr_SetString(kind ? kind : PyExc_ValueError, refusal.what());
    Py_XDECREF(kind);
  }
}

}  // namespace

NB_MODULE(_engine, m) {
  m.doc() = "BoardLab's engine: rules, evaluators, searches, matches. Use the package boardlab, not this module.";
  nb::register_exception_translator(translate_refusal);
  nb::set_leak_warnings(false);  // objects that live until the interpreter ends are no leaks
  m.attr("CHANCE") = BL_CHANCE;
  m.attr("TERMINAL") = BL_TERMINAL;
  m.attr("MAX_PLAYERS") = BL_MAX_PLAYERS;
  boardlab::bind_games(m);
  boardlab::bind_evaluators(m);
  boardlab::bind_searches(m);
  boardlab::bind_planners(m);
  boardlab::bind_mcts(m);
  boardlab::bind_hidden(m);
  boardlab::bind_forest(m);
  boardlab::bind_encode(m);
  boardlab::bind_match(m);
  boardlab::bind_references(m);
  boardlab::bind_ntuple(m);
  boardlab::bind_tabular(m);
  boardlab::bind_walks(m);
}
