// The symmetries of square and rectangular boards.
#pragma once

#include <cstdint>

namespace boardlab {

// Maps cell (row, col) of a board under symmetry g: bit 2 transposes (square boards only), then bit 0 mirrors
// left-right and bit 1 mirrors top-bottom.
constexpr int rectangle_symmetry(std::uint64_t g, int rows, int cols, int cell) {
  int row = cell / cols, col = cell % cols;
  if (g & 4) {
    const int keep = row;
    row = col;
    col = keep;
  }
  if (g & 1) col = cols - 1 - col;
  if (g & 2) row = rows - 1 - row;
  return row * cols + col;
}
constexpr int square_symmetry(std::uint64_t g, int n, int cell) { return rectangle_symmetry(g, n, n, cell); }

// The fast form for board vectors whose values do not change: source[target] = origin.
inline int rectangle_symmetry_cells(std::uint64_t g, int rows, int cols, std::int32_t *source, std::uint8_t *values) {
  for (int cell = 0; cell < rows * cols; ++cell) {
    source[rectangle_symmetry(g, rows, cols, cell)] = cell;
    for (int v = 0; v < 256; ++v) values[cell * 256 + v] = static_cast<std::uint8_t>(v);
  }
  return 1;
}
inline int square_symmetry_cells(std::uint64_t g, int n, std::int32_t *source, std::uint8_t *values) {
  return rectangle_symmetry_cells(g, n, n, source, values);
}

// Lists the up to eight neighbours of a cell, or four if not diagonal; returns their number.
inline int grid_neighbours(int rows, int cols, int cell, bool diagonal, std::int32_t *out) {
  int count = 0;
  for (int dr = -1; dr <= 1; ++dr)
    for (int dc = -1; dc <= 1; ++dc) {
      if ((dr == 0 && dc == 0) || (!diagonal && dr != 0 && dc != 0)) continue;
      const int row = cell / cols + dr, col = cell % cols + dc;
      if (row >= 0 && row < rows && col >= 0 && col < cols) out[count++] = row * cols + col;
    }
  return count;
}

}  // namespace boardlab
