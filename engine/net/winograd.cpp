#include "net/winograd.h"

#include <algorithm>
#include <array>
#include <new>
#include <span>

namespace boardlab::net {

namespace {

constexpr std::align_val_t ALIGNMENT{64};

// Winograd's transform of a filter for tiles of 2, 3 and 4 outputs; `kernels.inc` has those of inputs and outputs.
using Row = std::array<double, 3>;
constexpr Row FILTER_2[] = {{1, 0, 0}, {.5, .5, .5}, {.5, -.5, .5}, {0, 0, 1}};
constexpr Row FILTER_3[] = {
    {.5, 0, 0}, {-.5, -.5, -.5}, {-1. / 6, 1. / 6, -1. / 6}, {1. / 6, 1. / 3, 2. / 3}, {0, 0, 1}};
constexpr Row FILTER_4[] = {{.25, 0, 0},
                            {-1. / 6, -1. / 6, -1. / 6},
                            {-1. / 6, 1. / 6, -1. / 6},
                            {1. / 24, 1. / 12, 1. / 6},
                            {1. / 24, -1. / 12, 1. / 6},
                            {0, 0, 1}};

std::span<const Row> filter_transform(std::size_t outputs) {
  if (outputs == 2) return FILTER_2;
  if (outputs == 3) return FILTER_3;
  return FILTER_4;
}

// The size of tiles that covers a side with the fewest products.
std::size_t tile_side(std::size_t outputs) {
  std::size_t best = 4;
  const auto products = [&](std::size_t m) { return (outputs + m - 1) / m * (m + 2); };
  for (const std::size_t m : {std::size_t{3}, std::size_t{2}})
    if (products(m) < products(best)) best = m;
  return best;
}

}  // namespace

Floats::Floats(std::size_t size)
    : data_(static_cast<float *>(::operator new(size * sizeof(float), ALIGNMENT))), size_(size) {}

void Floats::Free::operator()(float *p) const { ::operator delete(p, ALIGNMENT); }

Tiling tiling_of(std::size_t rows, std::size_t cols, std::size_t padding) {
  const std::size_t out_rows = rows + 2 * padding - 2, out_cols = cols + 2 * padding - 2;
  Tiling tiling{tile_side(out_rows), tile_side(out_cols), 0, rows * cols, out_rows * out_cols, {}, {}};
  const auto cell = [](std::size_t y, std::size_t x, std::size_t height, std::size_t width) {
    return y < height && x < width ? static_cast<std::int32_t>(y * width + x) : -1;  // below 0 wraps around
  };
  for (std::size_t top = 0; top < out_rows; top += tiling.high)
    for (std::size_t left = 0; left < out_cols; left += tiling.wide) {
      ++tiling.count;
      for (std::size_t y = top; y < top + tiling.high + 2; ++y)
        for (std::size_t x = left; x < left + tiling.wide + 2; ++x)
          tiling.inputs.push_back(cell(y - padding, x - padding, rows, cols));
      for (std::size_t y = top; y < top + tiling.high; ++y)
        for (std::size_t x = left; x < left + tiling.wide; ++x)
          tiling.outputs.push_back(cell(y, x, out_rows, out_cols));
    }
  return tiling;
}

using Panel = std::array<double, PANEL>;

void transform_filters(const Filters &filters, std::size_t outputs, std::size_t inputs, const Tiling &tiling,
                       float *to) {
  const auto vertical = filter_transform(tiling.high), horizontal = filter_transform(tiling.wide);
  const std::size_t matrix = panels(outputs) * PANEL * inputs;
  for (std::size_t p = 0; p < panels(outputs); ++p)
    for (std::size_t i = 0; i < inputs; ++i, to += PANEL) {
      std::array<Panel, 9> filter{};
      const std::size_t count = std::min(PANEL, outputs - p * PANEL);
      for (std::size_t j = 0; j < count; ++j) {
        const float *from = filters.first + static_cast<std::ptrdiff_t>(p * PANEL + j) * filters.output +
                            static_cast<std::ptrdiff_t>(i) * filters.input;
        for (std::size_t k = 0; k < 9; ++k) filter[k][j] = from[static_cast<std::ptrdiff_t>(k) * filters.place];
      }
      float *place = to;
      for (const Row &v : vertical) {
        std::array<Panel, 3> row;
        for (std::size_t x = 0; x < 3; ++x)
          for (std::size_t j = 0; j < PANEL; ++j)
            row[x][j] = v[0] * filter[x][j] + v[1] * filter[3 + x][j] + v[2] * filter[6 + x][j];
        for (const Row &h : horizontal) {
          for (std::size_t j = 0; j < PANEL; ++j)
            place[j] = static_cast<float>(h[0] * row[0][j] + h[1] * row[1][j] + h[2] * row[2][j]);
          place += matrix;
        }
      }
    }
}

void gradient_of_filters(const float *from, std::size_t step, std::size_t outputs, std::size_t inputs,
                         const Tiling &tiling, float *to) {
  const auto vertical = filter_transform(tiling.high), horizontal = filter_transform(tiling.wide);
  const std::size_t width = panels(outputs) * PANEL;
  for (std::size_t i = 0; i < inputs; ++i)
    for (std::size_t o = 0; o < outputs; o += PANEL) {
      std::array<Panel, 9> filter{};
      const float *place = from + i * width + o;
      for (const Row &v : vertical) {
        std::array<Panel, 3> row{};
        for (const Row &h : horizontal) {
          for (std::size_t x = 0; x < 3; ++x)
            for (std::size_t j = 0; j < PANEL; ++j) row[x][j] += h[x] * static_cast<double>(place[j]);
          place += step;
        }
        for (std::size_t y = 0; y < 3; ++y)
          for (std::size_t x = 0; x < 3; ++x)
            for (std::size_t j = 0; j < PANEL; ++j) filter[y * 3 + x][j] += v[y] * row[x][j];
      }
      for (std::size_t j = 0; j < std::min(PANEL, outputs - o); ++j)
        for (std::size_t k = 0; k < 9; ++k) to[((o + j) * inputs + i) * 9 + k] = static_cast<float>(filter[k][j]);
    }
}

void Convolution::run(const float *from, std::size_t n, const Finish &finish, float *to, float *tiles,
                      float *products) const {
  const std::size_t rows = n * tiling.count, in_step = step(n, in_width), out_step = step(n, out_width);
  const std::size_t in_size = tiling.in_cells * in_width, out_size = tiling.out_cells * out_width;
  for (std::size_t board = 0; board < n; ++board)
    kernels.to_tiles(tiling, from + board * in_size, in_width, tiles + board * tiling.count * in_width, in_step);
  for (std::size_t place = 0; place < tiling.places(); ++place)
    kernels.multiply(tiles + place * in_step, in_width, rows, weights + place * inputs * out_width, inputs, out_width,
                     products + place * out_step);
  for (std::size_t board = 0; board < n; ++board)
    kernels.from_tiles(tiling, products + board * tiling.count * out_width, out_step, out_width,
                       {finish.bias, finish.added ? finish.added + board * out_size : nullptr, finish.relu},
                       to + board * out_size);
}

std::size_t boards_at_once(std::size_t numbers_of_board, std::size_t numbers_of_weights) {
  constexpr std::size_t CACHE = std::size_t{1} << 18, FEWEST = 4, MOST = 64;  // of numbers
  return std::clamp(std::max(CACHE, numbers_of_weights) / numbers_of_board, FEWEST, MOST);
}

}  // namespace boardlab::net
