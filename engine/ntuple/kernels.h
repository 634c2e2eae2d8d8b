// The inner loops of n-tuple networks, compiled once per level of vector instructions and chosen at run time.
//
// A network has SLOTS: one for every tuple on every symmetric board. A slot's index into the tables is a sum of
// contributions, one for every group of cells that its tuple reads. So the indices of all slots together are a sum of
// rows, one row per group and value, added with vector instructions; and an action changes few rows.
//
// Every level gives the same bits: sums have a fixed order and products are not fused.
#pragma once

#include <cstdint>

namespace boardlab::ntuple {

// TCL's counters of a weight (Beal and Smith 1999: N and A). Weights are stored apart from them: choosing an action
// reads many weights and no counters. Aligned, so that both can be read and written at once.
struct alignas(8) Counter {
  float sum;       // N, the summed changes
  float absolute;  // A, the summed absolute changes
};

// The slots that read one board vector: all of them, or those of one symmetry if the game has no fast form.
struct View {
  std::int32_t first_slot;
  std::int32_t width;  // of a row: the slots, rounded up to a vector with zeros
  std::int32_t groups;
  const std::uint32_t *const *rows;        // [groups]: [values][width]
  const std::uint16_t *const *short_rows;  // used instead if every table has at most 65536 entries; else null
  const std::uint8_t *zero_is_idle;        // [groups]: value 0 adds nothing
};

struct Change {
  std::int32_t group;
  std::uint16_t before, after;
};

enum class Coherence { NONE, ID, EXP };

// The layout of the slots: board by board, each with all tuples; then those of the extra features.
struct Shape {
  std::int32_t tuples, boards, slots;
};

// One step of learning: w += rate * tc(N, A), then N += change, A += |change|.
struct Step {
  float rate;
  float change;
  float beta;
  Coherence coherence;
};

struct Kernels {
  const char *name;
  // indices[slots] = the start of each slot's table + the rows of all groups of the view.
  void (*encode)(const View &view, const std::uint32_t *start, const std::uint16_t *values, std::uint32_t *indices);
  // to = from + the rows of what changed, and a mark for every slot whose index changed.
  void (*shift)(const View &view, const std::uint32_t *start, const Change *changes, int count,
                const std::uint32_t *from, std::uint32_t *to, std::uint64_t *marks);
  // Sum of the weights; `gather` keeps them too.
  float (*sum)(const float *weights, const std::uint32_t *indices, int slots);
  float (*gather)(const float *weights, const std::uint32_t *indices, int slots, float *kept);
  // Sum over the marked slots of new weight - kept weight.
  float (*difference)(const float *weights, const std::uint32_t *indices, const std::uint64_t *marks, int words,
                      const float *kept);
  // Prefetches memory that will be read soon.
  void (*prefetch_weights)(const float *weights, const std::uint32_t *indices, int slots);
  void (*prefetch_counters)(const Counter *counters, const std::uint32_t *indices, int slots);
  // Learning reads all entries of a tuple's table before it writes any: an entry that two symmetric boards share is
  // then written twice with the same value, and so changes once. `copies` has room for the weights, N and A of all
  // slots, rounded up to 16.
  void (*add)(float *weights, const std::uint32_t *indices, const Shape &shape, float *copies, float change);
  void (*learn)(float *weights, Counter *counters, const std::uint32_t *indices, const Shape &shape, float *copies,
                const Step &step);
  // The same for tables that other threads read and write at the same time.
  const Kernels *shared;
};

// The best level of this processor; `level` names one ("baseline", "avx2", "avx512") for tests and benchmarks.
const Kernels &kernels();
const Kernels *kernels_named(const char *level);

extern const Kernels KERNELS_BASELINE;
#ifdef BOARDLAB_X86_LEVELS
extern const Kernels KERNELS_AVX2, KERNELS_AVX512;
#endif

}  // namespace boardlab::ntuple
