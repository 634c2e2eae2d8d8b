#define BOARDLAB_LEVEL KERNELS_BASELINE
#define BOARDLAB_LEVEL_NAME "baseline"
#define BOARDLAB_LANES 4
#include "net/kernels.inc"
