#include "net/program.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

namespace boardlab::net {

namespace {

constexpr std::size_t MOST_NUMBERS = std::size_t{1} << 30;  // in a value of one board; keeps sizes from overflowing

Floats packed(std::span<const float> weights, std::size_t outputs, std::size_t inputs) {
  Floats matrix(panels(outputs) * PANEL * inputs);
  write_panels(matrix.data(), outputs, inputs, [&](std::size_t o, std::size_t i) { return weights[o * inputs + i]; });
  return matrix;
}

}  // namespace

Program::Program(std::size_t planes, std::size_t rows, std::size_t cols, const Kernels &kernels)
    : planes_(planes), rows_(rows), cols_(cols), kernels_(&kernels), shapes_{{rows, cols, planes}} {}

const Program::Shape &Program::shape(std::size_t value) const {
  if (value >= shapes_.size())
    throw std::invalid_argument("there is no value " + std::to_string(value) + " in a net of " +
                                std::to_string(shapes_.size()));
  return shapes_[value];
}

void Program::check_open() const {
  if (finished_) throw std::invalid_argument("the net is finished; no more layers can be added");
}

Floats Program::padded(Weights numbers, std::size_t wanted, const char *what) const {
  if (numbers.size() != wanted)
    throw std::invalid_argument(std::string(what) + " must be " + std::to_string(wanted) + " numbers, not " +
                                std::to_string(numbers.size()));
  Floats copy(panels(wanted) * PANEL);
  std::fill(std::copy(numbers.begin(), numbers.end(), copy.data()), copy.data() + copy.size(), 0.0F);
  return copy;
}

void Program::check_weights(Weights weights, std::size_t outputs, std::size_t inputs) const {
  if (outputs == 0 || weights.size() % outputs != 0 || weights.size() / outputs != inputs)
    throw std::invalid_argument("weights must be outputs x " + std::to_string(inputs) +
                                ", and the bias must have one number for each output");
}

std::size_t Program::add(Layer layer, const Shape &to) {
  check_open();
  if (layer.added) {
    const Shape &added = shape(*layer.added);
    const bool is_vector = layer.kind == Kind::SPREAD;
    if (added.channels != to.channels || added.cells() != (is_vector ? 1 : to.cells()))
      throw std::invalid_argument("the added value must have the shape of the layer's value");
  }
  if (to.width() > MOST_NUMBERS / to.cells())
    throw std::invalid_argument("a layer of " + std::to_string(to.channels) + " channels is too large for " +
                                std::to_string(to.cells()) + " cells");
  layer.to = shapes_.size();
  layers_.push_back(std::move(layer));
  shapes_.push_back(to);
  return layers_.back().to;
}

std::size_t Program::convolution(std::size_t from, Weights weights, Weights bias, bool is_padded, Added added,
                                 bool relu) {
  const Shape in = shape(from);
  const std::size_t outputs = bias.size(), lost = is_padded ? 0 : 2;
  check_weights(weights, outputs, in.channels * 9);
  if (in.rows <= lost || in.cols <= lost)
    throw std::invalid_argument("a convolution without padding needs at least three rows and columns");
  Tiling tiling = tiling_of(in.rows, in.cols, is_padded ? 1 : 0);
  Floats transformed(tiling.places() * panels(outputs) * PANEL * in.channels);
  const auto inputs = static_cast<std::ptrdiff_t>(in.channels);
  transform_filters({weights.data(), inputs * 9, 9, 1}, outputs, in.channels, tiling, transformed.data());
  return add({Kind::CONVOLUTION,
              from,
              0,
              added,
              relu,
              std::move(transformed),
              padded(bias, outputs, "bias"),
              0,
              std::move(tiling),
              {}},
             {in.rows - lost, in.cols - lost, outputs});
}

std::size_t Program::pointwise(std::size_t from, Weights weights, Weights bias, Added added, bool relu) {
  const Shape in = shape(from);
  const std::size_t outputs = bias.size();
  check_weights(weights, outputs, in.channels);
  return add({Kind::POINTWISE,
              from,
              0,
              added,
              relu,
              packed(weights, outputs, in.channels),
              padded(bias, outputs, "bias"),
              0,
              {},
              {}},
             {in.rows, in.cols, outputs});
}

std::size_t Program::linear(std::size_t from, Weights weights, Weights bias, Added added, bool relu) {
  const Shape in = shape(from);
  const std::size_t outputs = bias.size(), inputs = in.channels * in.cells();
  check_weights(weights, outputs, inputs);
  return add(
      {Kind::LINEAR, from, 0, added, relu, packed(weights, outputs, inputs), padded(bias, outputs, "bias"), 0, {}, {}},
      {1, 1, outputs});
}

std::size_t Program::spread(std::size_t from, std::size_t added, bool relu) {
  return add({Kind::SPREAD, from, 0, added, relu, {}, {}, 0, {}, {}}, Shape(shape(from)));
}

std::size_t Program::relu(std::size_t from) {
  return add({Kind::RELU, from, 0, std::nullopt, true, {}, {}, 0, {}, {}}, Shape(shape(from)));
}

std::size_t Program::pool(std::size_t from) {
  return add({Kind::POOL, from, 0, std::nullopt, false, {}, {}, 0, {}, {}}, {1, 2, shape(from).channels});
}

std::size_t Program::norm(std::size_t from, Weights gain, Weights bias, float epsilon) {
  const Shape in = shape(from);
  if (in.cells() != 1) throw std::invalid_argument("layer normalisation needs a vector, not a board");
  return add({Kind::NORM,
              from,
              0,
              std::nullopt,
              false,
              padded(gain, in.channels, "gain"),
              padded(bias, in.channels, "bias"),
              epsilon,
              {},
              {}},
             in);
}

std::size_t Program::embedding(std::span<const Group> groups, Weights weights, Weights bias, bool relu) {
  const Shape in = shape(0);
  const std::size_t outputs = bias.size();
  std::size_t inputs = 0;
  for (const Group &group : groups) {
    if (group.cells.empty() || group.cells.size() != group.values.size())
      throw std::invalid_argument("a group needs at least one cell, and a number of values for each cell");
    std::size_t values = 1;
    for (std::size_t k = 0; k < group.cells.size(); ++k) {
      if (group.cells[k] >= in.channels * in.cells())
        throw std::invalid_argument("there is no cell " + std::to_string(group.cells[k]) + " in an input of " +
                                    std::to_string(in.channels * in.cells()));
      if (group.values[k] == 0 || group.values[k] > MOST_NUMBERS / values)
        throw std::invalid_argument("a group has too many values, or a cell has none");
      values *= group.values[k];
    }
    if ((inputs += values) > MOST_NUMBERS) throw std::invalid_argument("the groups have too many values");
  }
  if (in.cells() != 1) throw std::invalid_argument("an embedding needs a vector of cells, not a board");
  check_weights(weights, outputs, inputs);
  const std::size_t width = panels(outputs) * PANEL;
  Floats rows(inputs * width);
  std::fill_n(rows.data(), rows.size(), 0.0F);
  for (std::size_t i = 0; i < inputs; ++i) std::copy_n(weights.data() + i * outputs, outputs, rows.data() + i * width);
  return add({Kind::EMBEDDING,
              0,
              0,
              std::nullopt,
              relu,
              std::move(rows),
              padded(bias, outputs, "bias"),
              0,
              {},
              {groups.begin(), groups.end()}},
             {1, 1, outputs});
}

void Program::finish(std::vector<std::size_t> outputs) {
  check_open();
  for (const std::size_t output : outputs)
    if (shape(output).cells() != 1) throw std::invalid_argument("an output must be a vector, not a board");
  outputs_ = std::move(outputs);
  choose_slots();
  choose_chunk();
  finished_ = true;
}

// The memory of a value is reused after its last reader. A convolution reads all its input before it writes, and each
// cell of a short cut just before it writes that cell, so that its output may take the place of either.
void Program::choose_slots() {
  constexpr std::size_t FOREVER = static_cast<std::size_t>(-1);
  std::vector<std::size_t> last(shapes_.size());
  for (std::size_t i = 0; i < layers_.size(); ++i) {
    last[layers_[i].to] = i;
    last[layers_[i].from] = i;
    if (layers_[i].added) last[*layers_[i].added] = i;
  }
  for (const std::size_t output : outputs_) last[output] = FOREVER;
  std::vector<std::size_t> free;
  slots_.assign(shapes_.size(), 0);
  slot_sizes_ = {shapes_[0].size()};
  for (std::size_t i = 0; i < layers_.size(); ++i) {
    const Layer &layer = layers_[i];
    const auto release = [&] {
      if (last[layer.from] == i) free.push_back(slots_[layer.from]);
      if (layer.added && *layer.added != layer.from && last[*layer.added] == i) free.push_back(slots_[*layer.added]);
    };
    if (layer.kind == Kind::CONVOLUTION) release();
    if (free.empty()) {
      free.push_back(slot_sizes_.size());
      slot_sizes_.push_back(0);
    }
    slots_[layer.to] = free.back();
    free.pop_back();
    slot_sizes_[slots_[layer.to]] = std::max(slot_sizes_[slots_[layer.to]], shapes_[layer.to].size());
    if (layer.kind != Kind::CONVOLUTION) release();
    if (last[layer.to] == i) free.push_back(slots_[layer.to]);  // nothing reads it
  }
}

void Program::choose_chunk() {
  std::size_t of_weights = 0;
  for (const Layer &layer : layers_) {
    const Shape &in = shapes_[layer.from];
    of_weights = std::max(of_weights, layer.weights.size());
    if (layer.kind == Kind::LINEAR && in.cells() > 1) flat_size_ = std::max(flat_size_, in.cells() * in.channels);
    if (layer.kind != Kind::CONVOLUTION) continue;
    tiles_size_ = std::max(tiles_size_, convolution_of(layer).tiles_size(1));
    products_size_ = std::max(products_size_, convolution_of(layer).products_size(1));
  }
  chunk_ = boards_at_once(std::max(tiles_size_ + products_size_, std::size_t{1}), of_weights);
  for (std::size_t *size : {&tiles_size_, &products_size_, &flat_size_}) *size *= chunk_;
}

void Program::run(const float *planes, std::size_t n, std::span<float *const> answers) const {
  std::unique_ptr<Workspace> workspace;
  {
    const std::lock_guard lock(mutex_);
    if (!idle_.empty()) {
      workspace = std::move(idle_.back());
      idle_.pop_back();
    }
  }
  if (!workspace) {
    workspace = std::make_unique<Workspace>();
    for (const std::size_t size : slot_sizes_) workspace->slots.emplace_back(size * chunk_);
    workspace->tiles = Floats(tiles_size_);
    workspace->products = Floats(products_size_);
    workspace->flat = Floats(flat_size_);
  }
  for (std::size_t begin = 0; begin < n; begin += chunk_) {
    const std::size_t count = std::min(chunk_, n - begin);
    run_chunk(planes + begin * input_size(), count, *workspace);
    for (std::size_t i = 0; i < outputs_.size(); ++i) {
      const Shape &shape = shapes_[outputs_[i]];
      const float *from = workspace->slots[slots_[outputs_[i]]].data();
      for (std::size_t board = 0; board < count; ++board)
        std::copy_n(from + board * shape.width(), shape.channels, answers[i] + (begin + board) * shape.channels);
    }
  }
  const std::lock_guard lock(mutex_);
  idle_.push_back(std::move(workspace));
}

void Program::run_chunk(const float *planes, std::size_t n, Workspace &workspace) const {
  const Shape &in = shapes_[0];
  float *to = workspace.slots[slots_[0]].data();
  std::fill_n(to, n * in.size(), 0.0F);
  for (std::size_t board = 0; board < n; ++board, to += in.size())
    for (std::size_t plane = 0; plane < planes_; ++plane)
      for (std::size_t cell = 0; cell < in.cells(); ++cell) to[cell * in.width() + plane] = *planes++;
  for (const Layer &layer : layers_) run_layer(layer, n, workspace);
}

void Program::run_layer(const Layer &layer, std::size_t n, Workspace &workspace) const {
  const Shape &in = shapes_[layer.from], &out = shapes_[layer.to];
  const float *from = workspace.slots[slots_[layer.from]].data();
  const float *added = layer.added ? workspace.slots[slots_[*layer.added]].data() : nullptr;
  float *to = workspace.slots[slots_[layer.to]].data();
  const std::size_t width = out.width();
  switch (layer.kind) {
    case Kind::CONVOLUTION:
      return convolution_of(layer).run(from, n, {layer.bias.data(), added, layer.relu}, to, workspace.tiles.data(),
                                       workspace.products.data());
    case Kind::POINTWISE:
      kernels_->multiply(from, in.width(), n * out.cells(), layer.weights.data(), in.channels, width, to);
      return kernels_->finish(to, n * out.cells(), width, {layer.bias.data(), added, layer.relu});
    case Kind::LINEAR: {
      const std::size_t inputs = in.cells() * in.channels;
      const bool is_vector = in.cells() == 1;
      kernels_->multiply(is_vector ? from : flattened(in, from, n, workspace), is_vector ? in.width() : inputs, n,
                         layer.weights.data(), inputs, width, to);
      return kernels_->finish(to, n, width, {layer.bias.data(), added, layer.relu});
    }
    case Kind::SPREAD:
      for (std::size_t board = 0; board < n; ++board, added += width)
        for (std::size_t cell = 0; cell < out.cells(); ++cell, from += width, to += width)
          for (std::size_t c = 0; c < width; ++c) {
            const float sum = from[c] + added[c];
            to[c] = layer.relu && sum < 0 ? 0 : sum;
          }
      return;
    case Kind::RELU:
      for (std::size_t i = 0; i < n * out.size(); ++i) to[i] = from[i] < 0 ? 0 : from[i];
      return;
    case Kind::POOL:
      for (std::size_t board = 0; board < n; ++board, to += out.size()) {
        float *const mean = to, *const most = to + width;
        std::copy_n(from, width, mean);
        std::copy_n(from, width, most);
        from += width;
        for (std::size_t cell = 1; cell < in.cells(); ++cell, from += width)
          for (std::size_t c = 0; c < width; ++c) {
            mean[c] += from[c];
            most[c] = from[c] > most[c] ? from[c] : most[c];
          }
        for (std::size_t c = 0; c < width; ++c) mean[c] /= static_cast<float>(in.cells());
      }
      return;
    case Kind::EMBEDDING:
      for (std::size_t board = 0; board < n; ++board) add_rows(layer, from + board * in.width(), to + board * width);
      return kernels_->finish(to, n, width, {layer.bias.data(), nullptr, layer.relu});
    case Kind::NORM:
      for (std::size_t board = 0; board < n; ++board, from += width, to += width) {
        const auto count = static_cast<float>(in.channels);
        float mean = 0, variance = 0;
        for (std::size_t c = 0; c < in.channels; ++c) mean += from[c] / count;
        for (std::size_t c = 0; c < in.channels; ++c) variance += (from[c] - mean) * (from[c] - mean) / count;
        const float scale = 1 / std::sqrt(variance + layer.epsilon);
        for (std::size_t c = 0; c < width; ++c)  // gain and bias are 0 in the padding of the panel
          to[c] = (from[c] - mean) * scale * layer.weights.data()[c] + layer.bias.data()[c];
      }
      return;
  }
}

// The rows of one position's groups. Throws if the value of a cell is out of range, because that would read beyond the
// weights.
void Program::add_rows(const Layer &layer, const float *cells, float *to) const {
  const std::size_t width = shapes_[layer.to].width();
  const float *rows = layer.weights.data();
  std::fill_n(to, width, 0.0F);
  for (const Group &group : layer.groups) {
    std::size_t row = 0, values = 1;
    for (std::size_t k = 0; k < group.cells.size(); ++k) {
      const float value = cells[group.cells[k]];
      if (!(value >= 0 && value < static_cast<float>(group.values[k])))
        throw std::invalid_argument("cell " + std::to_string(group.cells[k]) + " must have a value from 0 to " +
                                    std::to_string(group.values[k] - 1));
      row = row * group.values[k] + static_cast<std::size_t>(value);
      values *= group.values[k];
    }
    kernels_->add(rows + row * width, width, to);
    rows += values * width;
  }
}

// Writes boards as rows of all their numbers, channel by channel: in the order of the weights, without padding.
const float *Program::flattened(const Shape &shape, const float *boards, std::size_t n, Workspace &workspace) const {
  float *to = workspace.flat.data();
  for (std::size_t board = 0; board < n; ++board, boards += shape.size())
    for (std::size_t channel = 0; channel < shape.channels; ++channel)
      for (std::size_t cell = 0; cell < shape.cells(); ++cell) *to++ = boards[cell * shape.width() + channel];
  return workspace.flat.data();
}

Convolution Program::convolution_of(const Layer &layer) const {
  const Shape &in = shapes_[layer.from], &out = shapes_[layer.to];
  return {*kernels_, layer.tiling, layer.weights.data(), in.channels, in.width(), out.width()};
}

}  // namespace boardlab::net
