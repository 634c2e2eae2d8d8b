// Levels of vector instructions: some files are compiled once per level, and the best is chosen at run time.
#pragma once

#include <cstddef>
#include <cstring>
#include <initializer_list>

namespace boardlab {

// "baseline" is what every processor of this architecture supports.
inline bool has_level(const char *level) {
  if (std::strcmp(level, "baseline") == 0) return true;
#ifdef BOARDLAB_X86_LEVELS
  const bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("fma");
  if (std::strcmp(level, "avx2") == 0) return avx2;
  if (std::strcmp(level, "avx512") == 0)
    return avx2 && __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq") &&
           __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512cd");
#endif
  return false;
}

// The tables of kernels that a namespace has, the slowest level first: KERNELS_BASELINE, and so on.
#ifdef BOARDLAB_X86_LEVELS
#define BOARDLAB_KERNELS {&KERNELS_BASELINE, &KERNELS_AVX2, &KERNELS_AVX512}
#else
#define BOARDLAB_KERNELS {&KERNELS_BASELINE}
#endif

// The table of a level; null where this processor has no such level.
template <class Table>
const Table *level_named(std::initializer_list<const Table *> tables, const char *level) {
  for (const Table *table : tables)
    if (std::strcmp(table->name, level) == 0 && has_level(level)) return table;
  return nullptr;
}

// The table of the best level that this processor has.
template <class Table>
const Table &best_level(std::initializer_list<const Table *> tables) {
  const Table *best = *tables.begin();
  for (const Table *table : tables)
    if (has_level(table->name)) best = table;
  return *best;
}

}  // namespace boardlab
