#include "games/othello_solver.h"

#include "core/levels.h"
#include "games/othello_proof.h"

namespace boardlab::othello {

extern const Solve SOLVERS_BASELINE[4];
#ifdef BOARDLAB_X86_LEVELS
extern const Solve SOLVERS_AVX2[4];
#endif

namespace {

Solve plain_solver(int size) {
  const int which = size / 2 - 2;
#ifdef BOARDLAB_X86_LEVELS
  if (has_level("avx2")) return SOLVERS_AVX2[which];
#endif
  return SOLVERS_BASELINE[which];
}

// A proof takes seconds to learn its order of actions, which pays from afar: for whoever grants billions of positions.
bool solve_six(Endgame &question) {
  constexpr int far = 24;
  static const Solve plain = plain_solver(6);
  const int empties = 36 - popcount(question.own | question.other);
  return empties >= far && question.node_limit >= 1'000'000'000 ? prove(question) : plain(question);
}

}  // namespace

Solve solver(int size) { return size == 6 ? solve_six : plain_solver(size); }

}  // namespace boardlab::othello
