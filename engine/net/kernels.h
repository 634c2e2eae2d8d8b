// The arithmetic of a neural net's layers, compiled once for every level of vector instructions.
//
// A 3x3 convolution is Winograd's (Lavin and Gray 2016): an output of rows x cols is cut into tiles, the inputs of a
// tile are transformed, a matrix product for every place in the transformed tile mixes the channels, and the tile is
// transformed back. For 6x7 cells that takes 120 products for each pair of channels instead of 378.
//
// Numbers of channels are rounded up to whole panels, filled with zeros. The result of a row depends on that row alone,
// not on the rows multiplied together with it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace boardlab::net {

constexpr std::size_t PANEL = 16;
constexpr std::size_t panels(std::size_t channels) { return (channels + PANEL - 1) / PANEL; }

// Tiles of 2 to 4 outputs a side read two more inputs a side. Cells are numbered row by row; -1 is beyond the edge.
struct Tiling {
  std::size_t high, wide, count, in_cells, out_cells;
  std::vector<std::int32_t> inputs;   // [count][(high + 2) * (wide + 2)]
  std::vector<std::int32_t> outputs;  // [count][high * wide]

  std::size_t places() const { return (high + 2) * (wide + 2); }
};

// The operations that turn a sum into a layer's output.
struct Finish {
  const float *bias;   // [channels], or null after a convolution that learns
  const float *added;  // the short cut of the output's cells, or null
  bool relu;
};

struct Kernels {
  const char *name;
  // to [rows, outputs] = from [rows, inputs] * weights, which are stored in panels: [outputs / PANEL][inputs][PANEL].
  void (*multiply)(const float *from, std::size_t stride, std::size_t rows, const float *weights, std::size_t inputs,
                   std::size_t outputs, float *to);
  // Writes the tiles of one board [cells, channels] as rows of `to`: one matrix for each place, `step` numbers apart.
  void (*to_tiles)(const Tiling &tiling, const float *board, std::size_t channels, float *to, std::size_t step);
  void (*from_tiles)(const Tiling &tiling, const float *from, std::size_t step, std::size_t channels,
                     const Finish &finish, float *board);
  // Turns the gradient of one board's outputs into that of the products: the transpose of from_tiles.
  void (*gradients_to_tiles)(const Tiling &tiling, const float *board, std::size_t channels, float *to,
                             std::size_t step);
  // sums [inputs, outputs] += the transpose of from [rows, inputs] * by [rows, outputs], both whole panels wide.
  void (*add_outer_products)(const float *from, std::size_t inputs, const float *by, std::size_t outputs,
                             std::size_t rows, float *sums);
  // Sums over the rows of x [rows, channels] or, given each channel's mean, sums of the squared deviations from it.
  void (*add_rows)(const float *x, const float *mean, std::size_t rows, std::size_t channels, float *sums);
  // to = (x - mean) * scale, then the finish of a layer.
  void (*normalise)(const float *x, const float *mean, const float *scale, std::size_t rows, std::size_t channels,
                    const Finish &finish, float *to);
  // Sums [2, channels] of gradient and gradient * (x - mean). A gradient counts where `out` is positive or null.
  void (*add_gradients)(const float *gradient, const float *out, const float *x, const float *mean, std::size_t rows,
                        std::size_t channels, float *sums);
  // to = gradient * slope[0] + (x - mean) * slope[1] + slope[2], of slopes [3, channels]; the gradient that counts goes
  // to `counted`, which may be null.
  void (*normalise_gradients)(const float *gradient, const float *out, const float *x, const float *mean,
                              const float *slopes, std::size_t rows, std::size_t channels, float *to, float *counted);
  // to += from.
  void (*add)(const float *from, std::size_t size, float *to);
  // In place, on [rows, channels].
  void (*finish)(float *sums, std::size_t rows, std::size_t channels, const Finish &finish);
};

extern const Kernels KERNELS_BASELINE, KERNELS_AVX2, KERNELS_AVX512;

// The best level that this processor supports; `level` names one ("baseline", "avx2", "avx512") for tests and
// benchmarks.
const Kernels &kernels();
const Kernels *kernels_named(const char *level);

}  // namespace boardlab::net
