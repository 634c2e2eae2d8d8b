#include "games/othello_solver.h"

#include "core/levels.h"

namespace boardlab::othello {

extern const Solve SOLVERS_BASELINE[4];
#ifdef BOARDLAB_X86_LEVELS
extern const Solve SOLVERS_AVX2[4];
#endif

Solve solver(int size) {
  const int which = size / 2 - 2;
#ifdef BOARDLAB_X86_LEVELS
  if (has_level("avx2")) return SOLVERS_AVX2[which];
#endif
  return SOLVERS_BASELINE[which];
}

}  // namespace boardlab::othello
