#include "bindings/module.h"

NB_MODULE(_engine, m) {
  m.doc() = "BoardLab's engine: rules, evaluators, searches, matches. Use the package boardlab, not this module.";
  m.attr("CHANCE") = BL_CHANCE;
  m.attr("TERMINAL") = BL_TERMINAL;
  m.attr("MAX_PLAYERS") = BL_MAX_PLAYERS;
  boardlab::bind_games(m);
  boardlab::bind_searches(m);
  boardlab::bind_ntuple(m);
}
