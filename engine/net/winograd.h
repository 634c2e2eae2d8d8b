// 3x3 convolutions by Winograd's algorithm, which kernels.h explains.
#pragma once

#include <cstddef>
#include <memory>

#include "net/kernels.h"

namespace boardlab::net {

// Memory for numbers, aligned to a vector's size. Not initialised.
class Floats {
 public:
  Floats() = default;
  explicit Floats(std::size_t size);
  float *data() const { return data_.get(); }
  std::size_t size() const { return size_; }

 private:
  struct Free {
    void operator()(float *p) const;
  };
  std::unique_ptr<float, Free> data_;
  std::size_t size_ = 0;
};

// Writes a matrix [outputs, inputs] as panels; `at(o, i)` reads it.
template <class At>
void write_panels(float *to, std::size_t outputs, std::size_t inputs, const At &at) {
  for (std::size_t p = 0; p < panels(outputs); ++p)
    for (std::size_t i = 0; i < inputs; ++i)
      for (std::size_t j = 0; j < PANEL; ++j, ++to) {
        const std::size_t o = p * PANEL + j;
        *to = o < outputs ? at(o, i) : 0.0F;
      }
}

// The tiles of a convolution of boards of rows x cols with `padding` empty cells around them (0 to 2).
Tiling tiling_of(std::size_t rows, std::size_t cols, std::size_t padding);

// The layout of a convolution's filters: the steps from one output, one input and one of the nine places to the next.
// A step is negative if the filter is rotated.
struct Filters {
  const float *first;
  std::ptrdiff_t output, input, place;
};

// The filters for tiles of that size, [places][panels(outputs)][inputs][PANEL].
void transform_filters(const Filters &filters, std::size_t outputs, std::size_t inputs, const Tiling &tiling,
                       float *to);
// The reverse: the gradient of filters [outputs, inputs, 3, 3] from that of the transformed filters, which are matrices
// of inputs x whole panels of outputs, one for each place, `step` apart.
void gradient_of_filters(const float *from, std::size_t step, std::size_t outputs, std::size_t inputs,
                         const Tiling &tiling, float *to);

// One convolution. Widths are those of a cell in memory; the first `inputs` channels of a cell are read.
struct Convolution {
  const Kernels &kernels;
  const Tiling &tiling;
  const float *weights;
  std::size_t inputs, in_width, out_width;

  std::size_t tiles_size(std::size_t boards) const { return tiling.places() * step(boards, in_width); }
  std::size_t products_size(std::size_t boards) const { return tiling.places() * step(boards, out_width); }
  // Convolves boards [n, cells, in_width], with memory of those two sizes.
  void run(const float *from, std::size_t n, const Finish &finish, float *to, float *tiles, float *products) const;

  // The step from one matrix of tiles to the next: a little more than its rows, because numbers a step apart would
  // otherwise compete for the same few cache lines.
  std::size_t step(std::size_t boards, std::size_t width) const { return boards * tiling.count * width + PANEL; }
};

// The number of boards that go through a layer together: with few, their tiles stay in the cache; with many, its
// weights are read less often.
std::size_t boards_at_once(std::size_t numbers_of_board, std::size_t numbers_of_weights);

}  // namespace boardlab::net
