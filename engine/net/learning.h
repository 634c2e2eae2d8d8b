// The convolutions of a net that learns: units of a convolution, batch normalisation, an optional short cut, and ReLU.
// forward() answers a batch, and backward() computes the gradients of the weights from that of the answer.
//
// Values are numbered in the order of the units; value 0 is the input. They have the layout of `program.h` and are kept
// until backward(). The results do not depend on the number of threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <vector>

#include "core/workers.h"
#include "net/winograd.h"

namespace boardlab::net {

class LearningUnits {
 public:
  LearningUnits(std::size_t planes, std::size_t rows, std::size_t cols, int threads, const Kernels &kernels);

  // The filter of a unit: single cells, or 3x3 cells with or without padding around the board.
  enum class Filter { POINTWISE, PADDED, UNPADDED };
  // Adds ReLU(norm(convolution(from)) + added) and returns the number of its value. Once a value was added,
  // nothing else may read it. Throws std::invalid_argument if something does not fit.
  std::size_t add(std::size_t from, std::size_t outputs, Filter filter, std::optional<std::size_t> added);
  // Finishes the units; these values are the outputs.
  void finish(std::vector<std::size_t> outputs);

  struct Shape {
    std::size_t rows, cols, channels;
    std::size_t cells() const { return rows * cols; }
    std::size_t width() const { return panels(channels) * PANEL; }  // of a cell in memory
    std::size_t size() const { return cells() * width(); }
  };
  bool is_finished() const { return !outputs_.empty(); }
  std::size_t unit_count() const { return units_.size(); }
  std::size_t output_count() const { return outputs_.size(); }
  const Shape &input() const { return shapes_.front(); }
  const Shape &output(std::size_t i) const { return shapes_[outputs_[i]]; }
  const Shape &in_shape(std::size_t unit) const { return shapes_[units_[unit].from]; }
  const Shape &out_shape(std::size_t unit) const { return shapes_[unit + 1]; }
  std::size_t filter_size(std::size_t unit) const { return units_[unit].is_pointwise() ? 1 : 9; }

  // The arrays of one unit: weights [outputs, inputs, filter_size]; gain and bias of the normalisation, and the mean
  // and variance of the batch, [outputs] each.
  struct Weights {
    const float *weights, *gain, *bias;
  };
  struct Moments {
    float *mean, *variance;
  };
  struct Gradients {
    float *weights, *gain, *bias;
  };
  // Planes [n, planes, rows, cols]; one answer [n, rows, cols, channels] for each output. Returns its number.
  std::uint64_t forward(const float *planes, std::size_t n, const std::vector<Weights> &weights, float epsilon,
                        const std::vector<Moments> &moments, const std::vector<float *> &answers);
  // Takes the gradients of the last answer, which has this number; only once for each answer.
  void backward(std::uint64_t number, const std::vector<const float *> &answers, std::size_t n,
                const std::vector<Gradients> &gradients);

 private:
  struct Unit {
    std::size_t from;
    std::optional<std::size_t> added;
    Tiling forward, backward;            // no tiles for 1x1 filters
    Floats weights, turned_weights;      // in panels; rotated for the gradient of the input
    Floats convolved;                    // [n, cells, width]
    std::vector<float> gain, bias;       // [width]
    std::vector<float> mean, deviation;  // of the convolution

    bool is_pointwise() const { return forward.count == 0; }
  };
  struct Workspace {
    Floats tiles, products, sums;
  };

  void check_reads(std::size_t value) const;
  void make_room(std::size_t boards);
  void take_weights(std::size_t unit, const Weights &weights);
  Convolution forward_of(std::size_t unit) const;
  Convolution backward_of(std::size_t unit) const;
  std::size_t chunk_of(std::size_t unit) const;
  void convolve(std::size_t unit);
  void normalise(std::size_t unit, float epsilon, const Moments &moments);
  std::vector<float> slopes_of(std::size_t unit, const Gradients &gradients);
  void convolve_gradient(std::size_t unit, const float *slopes, float *to_weights);
  void add_weight_gradient(std::size_t unit, std::size_t board, std::size_t n, Workspace &workspace) const;
  void from_gradient(std::size_t unit, std::size_t board, std::size_t n, bool is_known, Workspace &workspace) const;
  Floats &gradient_of(std::size_t value);
  void release(Floats &gradient);
  // Calls task(thread, begin, end) on each thread, for one part of 0 .. n-1 each.
  template <class Task>
  void in_threads(std::size_t n, const Task &task) {
    const std::size_t threads = workers_.count();
    workers_.run(threads, [&](std::size_t t, std::size_t) { task(t, n * t / threads, n * (t + 1) / threads); });
  }

  std::mutex mutex_;  // one call at a time
  const Kernels *kernels_;
  Workers workers_;
  std::vector<Workspace> workspaces_;  // one a thread
  std::vector<Shape> shapes_;          // of the values
  std::vector<Unit> units_;
  std::vector<bool> is_added_;  // whether a value was added
  std::vector<std::size_t> outputs_;
  std::size_t boards_ = 0, capacity_ = 0;  // of the last batch; that the memory has room for
  std::uint64_t number_ = 0;               // of the last answer
  bool is_answered_ = false;               // whether backward() may follow
  std::vector<Floats> values_;
  std::vector<Floats> gradients_;  // of the values; empty until the first part is added
  std::vector<Floats> idle_;       // memory for the largest of them
  Floats parts_;                   // of sums
};

}  // namespace boardlab::net
