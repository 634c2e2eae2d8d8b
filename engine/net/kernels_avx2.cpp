#ifdef BOARDLAB_X86_LEVELS
#define BOARDLAB_LEVEL KERNELS_AVX2
#define BOARDLAB_LEVEL_NAME "avx2"
#define BOARDLAB_LANES 8
#include "net/kernels.inc"
#endif
