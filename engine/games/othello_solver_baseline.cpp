#define BOARDLAB_LEVEL SOLVERS_BASELINE
#include "games/othello_solver.inc"
