#ifdef BOARDLAB_X86_LEVELS
#define BOARDLAB_MAKE_PROOF make_proof_avx2
#include "games/othello_proof.inc"
#endif
