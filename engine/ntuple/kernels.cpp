#include "ntuple/kernels.h"

#include "core/levels.h"

namespace boardlab::ntuple {

namespace {

constexpr const Kernels *LEVELS[] = {&KERNELS_BASELINE,
#ifdef BOARDLAB_X86_LEVELS
                                     &KERNELS_AVX2, &KERNELS_AVX512
#endif
};

}  // namespace

const Kernels *kernels_named(const char *level) { return level_named(LEVELS, level); }

const Kernels &kernels() {
  static const Kernels &best = best_level(LEVELS);
  return best;
}

}  // namespace boardlab::ntuple
