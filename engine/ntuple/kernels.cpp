#include "ntuple/kernels.h"

#include <cstring>
#include <initializer_list>

namespace boardlab::ntuple {

const Kernels *kernels_named(const char *level) {
  if (std::strcmp(level, "baseline") == 0) return &KERNELS_BASELINE;
#ifdef BOARDLAB_X86_LEVELS
  if (std::strcmp(level, "avx2") == 0 && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2"))
    return &KERNELS_AVX2;
  if (std::strcmp(level, "avx512") == 0 && __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq") &&
      __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512cd"))
    return &KERNELS_AVX512;
#endif
  return nullptr;
}

const Kernels &kernels() {
  static const Kernels *const best = [] {
    for (const char *level : {"avx512", "avx2"})
      if (const Kernels *found = kernels_named(level)) return found;
    return &KERNELS_BASELINE;
  }();
  return *best;
}

}  // namespace boardlab::ntuple
