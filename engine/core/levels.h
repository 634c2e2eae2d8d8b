// Levels of vector instructions: some files are compiled once per level, and the best is chosen at run time.
#pragma once

#include <cstddef>
#include <cstring>

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

// Picks from tables with a name, worst first: the named one, or null if this processor lacks the level.
template <class Table, std::size_t N>
const Table *level_named(const Table *const (&tables)[N], const char *level) {
  for (const Table *table : tables)
    if (std::strcmp(table->name, level) == 0 && has_level(level)) return table;
  return nullptr;
}

template <class Table, std::size_t N>
const Table &best_level(const Table *const (&tables)[N]) {
  for (std::size_t i = N; i-- > 1;)
    if (has_level(tables[i]->name)) return *tables[i];
  return *tables[0];
}

}  // namespace boardlab
