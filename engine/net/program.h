// A neural net as a list of layers that run on a CPU, without a framework.
//
// Values are numbered in the order of the layers; value 0 is the input. A value is [cells, channels]; a vector has one
// cell. A net is built layer by layer, finished, and then run by any number of threads at the same time.
#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "net/winograd.h"

namespace boardlab::net {

class Program {
 public:
  Program(std::size_t planes, std::size_t rows, std::size_t cols, const Kernels &kernels);

  // Each adds a layer and returns the number of its value; throws std::invalid_argument if something does not fit.
  // Layers with weights may end with `added`, the value of a short cut, and with ReLU.
  using Weights = std::span<const float>;
  using Added = std::optional<std::size_t>;
  // Weights [outputs, inputs, 3, 3]; with padding 1 or 0.
  std::size_t convolution(std::size_t from, Weights weights, Weights bias, bool padded, Added added, bool relu);
  // The same product for every cell; weights [outputs, channels].
  std::size_t pointwise(std::size_t from, Weights weights, Weights bias, Added added, bool relu);
  // A vector from all cells; weights [outputs, channels, cells].
  std::size_t linear(std::size_t from, Weights weights, Weights bias, Added added, bool relu);
  // from + the vector `added`, in every cell.
  std::size_t spread(std::size_t from, std::size_t added, bool relu);
  std::size_t relu(std::size_t from);
  // Two cells: the mean and the maximum over all cells.
  std::size_t pool(std::size_t from);
  // A vector: the sum of one row of weights per group of the input's cells, chosen by the group's joint value. Weights
  // [values of all groups, outputs]; a group's last cell varies fastest.
  struct Group {
    std::vector<std::size_t> cells, values;  // which cells, and how many values each has
  };
  std::size_t embedding(std::span<const Group> groups, Weights weights, Weights bias, bool relu);
  // Layer normalisation of a vector.
  std::size_t norm(std::size_t from, Weights gain, Weights bias, float epsilon);

  // Finishes the net; these vectors are its outputs.
  void finish(std::vector<std::size_t> outputs);
  bool is_finished() const { return finished_; }
  std::size_t output_count() const { return outputs_.size(); }
  std::size_t output_size(std::size_t i) const { return shapes_[outputs_[i]].channels; }
  std::size_t input_size() const { return planes_ * rows_ * cols_; }
  std::size_t planes() const { return planes_; }
  std::size_t rows() const { return rows_; }
  std::size_t cols() const { return cols_; }

  // Planes [n, planes, rows, cols]; answers[i] [n, output_size(i)].
  void run(const float *planes, std::size_t n, std::span<float *const> answers) const;

 private:
  enum class Kind { CONVOLUTION, POINTWISE, LINEAR, SPREAD, RELU, POOL, EMBEDDING, NORM };
  struct Shape {
    std::size_t rows, cols, channels;
    std::size_t cells() const { return rows * cols; }
    std::size_t width() const { return panels(channels) * PANEL; }  // of a cell in memory
    std::size_t size() const { return cells() * width(); }
  };
  struct Layer {
    Kind kind;
    std::size_t from, to;
    Added added;
    bool relu;
    Floats weights, bias;
    float epsilon;
    Tiling tiling;
    std::vector<Group> groups;
  };
  struct Workspace {
    std::vector<Floats> slots;
    Floats tiles, products;  // of a convolution
    Floats flat;             // all channels of all cells, as a linear layer reads them
  };

  const Shape &shape(std::size_t value) const;
  std::size_t add(Layer layer, const Shape &shape);
  void check_weights(Weights weights, std::size_t outputs, std::size_t inputs) const;
  void check_open() const;
  Floats padded(Weights numbers, std::size_t wanted, const char *what) const;
  void choose_slots();
  void choose_chunk();
  void run_chunk(const float *planes, std::size_t n, Workspace &workspace) const;
  void run_layer(const Layer &layer, std::size_t n, Workspace &workspace) const;
  void add_rows(const Layer &layer, const float *cells, float *to) const;
  Convolution convolution_of(const Layer &layer) const;
  const float *flattened(const Shape &shape, const float *boards, std::size_t n, Workspace &workspace) const;

  std::size_t planes_, rows_, cols_;
  const Kernels *kernels_;
  std::vector<Layer> layers_;
  std::vector<Shape> shapes_;  // of the values
  std::vector<std::size_t> outputs_;
  bool finished_ = false;

  std::vector<std::size_t> slots_;                                  // the memory slot of each value
  std::vector<std::size_t> slot_sizes_;                             // for one board
  std::size_t chunk_ = 1;                                           // boards that go through the net together
  std::size_t tiles_size_ = 0, products_size_ = 0, flat_size_ = 0;  // for a chunk

  mutable std::mutex mutex_;
  mutable std::vector<std::unique_ptr<Workspace>> idle_;
};

}  // namespace boardlab::net
