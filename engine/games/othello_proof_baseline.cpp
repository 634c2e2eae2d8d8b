#define BOARDLAB_MAKE_PROOF make_proof_baseline
#include "games/othello_proof.inc"
