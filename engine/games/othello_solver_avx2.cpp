#ifdef BOARDLAB_X86_LEVELS
#define BOARDLAB_LEVEL SOLVERS_AVX2
#include "games/othello_solver.inc"
#endif
