#ifdef BOARDLAB_X86_LEVELS
#define BOARDLAB_LEVEL KERNELS_AVX2
#define BOARDLAB_LEVEL_NAME "avx2"
#include "ntuple/kernels.inc"
#endif
