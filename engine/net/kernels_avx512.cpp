#ifdef BOARDLAB_X86_LEVELS
#define BOARDLAB_LEVEL KERNELS_AVX512
#define BOARDLAB_LEVEL_NAME "avx512"
#define BOARDLAB_LANES 16
#include "net/kernels.inc"
#endif
