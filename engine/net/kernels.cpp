#include "net/kernels.h"

#include "core/levels.h"

namespace boardlab::net {

const Kernels *kernels_named(const char *level) { return level_named<Kernels>(BOARDLAB_KERNELS, level); }

const Kernels &kernels() {
  static const Kernels &best = best_level<Kernels>(BOARDLAB_KERNELS);
  return best;
}

}  // namespace boardlab::net
