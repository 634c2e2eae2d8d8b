#define BOARDLAB_LEVEL KERNELS_BASELINE
#define BOARDLAB_LEVEL_NAME "baseline"
#include "ntuple/kernels.inc"
