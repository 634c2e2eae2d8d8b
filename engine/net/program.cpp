#include "net/program.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <new>
#include <stdexcept>
#include <string>

namespace boardlab::net {

namespace {

constexpr std::align_val_t ALIGNMENT{64};
constexpr std::size_t MOST_NUMBERS = std::size_t{1} << 30;  // of a value, for one board: sizes cannot overflow

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

Tiling tiling_of(std::size_t rows, std::size_t cols, bool is_padded) {
  const std::size_t pad = is_padded ? 1 : 0, out_rows = rows + 2 * pad - 2, out_cols = cols + 2 * pad - 2;
  Tiling tiling{tile_side(out_rows), tile_side(out_cols), 0, {}, {}};
  const auto cell = [](std::size_t y, std::size_t x, std::size_t height, std::size_t width) {
    return y < height && x < width ? static_cast<std::int32_t>(y * width + x) : -1;  // below 0 wraps around
  };
  for (std::size_t top = 0; top < out_rows; top += tiling.high)
    for (std::size_t left = 0; left < out_cols; left += tiling.wide) {
      ++tiling.count;
      for (std::size_t y = top; y < top + tiling.high + 2; ++y)
        for (std::size_t x = left; x < left + tiling.wide + 2; ++x)
          tiling.inputs.push_back(cell(y - pad, x - pad, rows, cols));
      for (std::size_t y = top; y < top + tiling.high; ++y)
        for (std::size_t x = left; x < left + tiling.wide; ++x)
          tiling.outputs.push_back(cell(y, x, out_rows, out_cols));
    }
  return tiling;
}

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

Floats packed(std::span<const float> weights, std::size_t outputs, std::size_t inputs) {
  Floats matrix(panels(outputs) * PANEL * inputs);
  write_panels(matrix.data(), outputs, inputs, [&](std::size_t o, std::size_t i) { return weights[o * inputs + i]; });
  return matrix;
}

Floats winograd_weights(std::span<const float> weights, std::size_t outputs, std::size_t inputs, const Tiling &tiling) {
  const std::size_t matrix = panels(outputs) * PANEL * inputs;
  Floats transformed(tiling.places() * matrix);
  std::size_t place = 0;
  for (const Row &vertical : filter_transform(tiling.high))
    for (const Row &horizontal : filter_transform(tiling.wide))
      write_panels(transformed.data() + place++ * matrix, outputs, inputs, [&](std::size_t o, std::size_t i) {
        const float *filter = weights.data() + (o * inputs + i) * 9;
        double sum = 0;
        for (std::size_t y = 0; y < 3; ++y)
          for (std::size_t x = 0; x < 3; ++x) sum += vertical[y] * horizontal[x] * filter[y * 3 + x];
        return static_cast<float>(sum);
      });
  return transformed;
}

}  // namespace

Floats::Floats(std::size_t size)
    : data_(static_cast<float *>(::operator new(size * sizeof(float), ALIGNMENT))), size_(size) {}

void Floats::Free::operator()(float *p) const { ::operator delete(p, ALIGNMENT); }

Program::Program(std::size_t planes, std::size_t rows, std::size_t cols, const Kernels &kernels)
    : planes_(planes), rows_(rows), cols_(cols), kernels_(&kernels), shapes_{{rows, cols, planes}} {}

const Program::Shape &Program::shape(std::size_t value) const {
  if (value >= shapes_.size())
    throw std::invalid_argument("there is no value " + std::to_string(value) + " in a net of " +
                                std::to_string(shapes_.size()));
  return shapes_[value];
}

void Program::check_open() const {
  if (finished_) throw std::invalid_argument("the net is finished and takes no further layers");
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
                                ", and the bias a number an output");
}

std::size_t Program::add(Layer layer, const Shape &to) {
  check_open();
  if (layer.added) {
    const Shape &added = shape(*layer.added);
    const bool is_vector = layer.kind == Kind::SPREAD;
    if (added.channels != to.channels || added.cells() != (is_vector ? 1 : to.cells()))
      throw std::invalid_argument("what is added has another shape than the layer's value");
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
    throw std::invalid_argument("a convolution without padding needs three rows and columns");
  Tiling tiling = tiling_of(in.rows, in.cols, is_padded);
  Floats transformed = winograd_weights(weights, outputs, in.channels, tiling);
  return add({Kind::CONVOLUTION, from, 0, added, relu, std::move(transformed), padded(bias, outputs, "bias"), 0,
              std::move(tiling)},
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
              {}},
             {in.rows, in.cols, outputs});
}

std::size_t Program::linear(std::size_t from, Weights weights, Weights bias, Added added, bool relu) {
  const Shape in = shape(from);
  const std::size_t outputs = bias.size(), inputs = in.channels * in.cells();
  check_weights(weights, outputs, inputs);
  return add(
      {Kind::LINEAR, from, 0, added, relu, packed(weights, outputs, inputs), padded(bias, outputs, "bias"), 0, {}},
      {1, 1, outputs});
}

std::size_t Program::spread(std::size_t from, std::size_t added, bool relu) {
  return add({Kind::SPREAD, from, 0, added, relu, {}, {}, 0, {}}, Shape(shape(from)));
}

std::size_t Program::relu(std::size_t from) {
  return add({Kind::RELU, from, 0, std::nullopt, true, {}, {}, 0, {}}, Shape(shape(from)));
}

std::size_t Program::pool(std::size_t from) {
  return add({Kind::POOL, from, 0, std::nullopt, false, {}, {}, 0, {}}, {1, 2, shape(from).channels});
}

std::size_t Program::norm(std::size_t from, Weights gain, Weights bias, float epsilon) {
  const Shape in = shape(from);
  if (in.cells() != 1) throw std::invalid_argument("layer normalisation is of a vector, not of a board");
  return add({Kind::NORM,
              from,
              0,
              std::nullopt,
              false,
              padded(gain, in.channels, "gain"),
              padded(bias, in.channels, "bias"),
              epsilon,
              {}},
             in);
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

// A value's memory is used again after its last reader. A convolution has read everything before it writes, and reads
// a short cut where it writes next, so that its output may lie where either did.
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
    if (last[layer.to] == i) free.push_back(slots_[layer.to]);  // nobody reads it
  }
}

// Few boards at a time keep their tiles in the cache, many read a layer's weights less often.
void Program::choose_chunk() {
  constexpr std::size_t CACHE = std::size_t{1} << 18, FEWEST = 4, MOST = 64;  // of numbers
  std::size_t of_weights = 0;
  for (const Layer &layer : layers_) {
    const Shape &in = shapes_[layer.from], &out = shapes_[layer.to];
    of_weights = std::max(of_weights, layer.weights.size());
    if (layer.kind == Kind::LINEAR && in.cells() > 1) flat_size_ = std::max(flat_size_, in.cells() * in.channels);
    if (layer.kind != Kind::CONVOLUTION) continue;
    const std::size_t places = layer.tiling.places(), tiles = layer.tiling.count;
    tiles_size_ = std::max(tiles_size_, places * (tiles * in.width() + PANEL));
    products_size_ = std::max(products_size_, places * (tiles * out.width() + PANEL));
  }
  const std::size_t of_board = std::max(tiles_size_ + products_size_, std::size_t{1});
  chunk_ = std::clamp(std::max(CACHE, of_weights) / of_board, FEWEST, MOST);
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
    case Kind::CONVOLUTION: return convolve(layer, n, workspace);
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
    case Kind::NORM:
      for (std::size_t board = 0; board < n; ++board, from += width, to += width) {
        const auto count = static_cast<float>(in.channels);
        float mean = 0, variance = 0;
        for (std::size_t c = 0; c < in.channels; ++c) mean += from[c] / count;
        for (std::size_t c = 0; c < in.channels; ++c) variance += (from[c] - mean) * (from[c] - mean) / count;
        const float scale = 1 / std::sqrt(variance + layer.epsilon);
        for (std::size_t c = 0; c < width; ++c)  // the gain and bias of what fills the panel are 0
          to[c] = (from[c] - mean) * scale * layer.weights.data()[c] + layer.bias.data()[c];
      }
      return;
  }
}

// Boards as rows of all their numbers, channel by channel: the order of the weights, and no zeros between them.
const float *Program::flattened(const Shape &shape, const float *boards, std::size_t n, Workspace &workspace) const {
  float *to = workspace.flat.data();
  for (std::size_t board = 0; board < n; ++board, boards += shape.size())
    for (std::size_t channel = 0; channel < shape.channels; ++channel)
      for (std::size_t cell = 0; cell < shape.cells(); ++cell) *to++ = boards[cell * shape.width() + channel];
  return workspace.flat.data();
}

void Program::convolve(const Layer &layer, std::size_t n, Workspace &workspace) const {
  const Shape &in = shapes_[layer.from], &out = shapes_[layer.to];
  const Tiling &tiling = layer.tiling;
  const std::size_t rows = n * tiling.count;
  // A little more than the rows, or what lies a step apart would fight for the same few places of the cache.
  const std::size_t in_step = rows * in.width() + PANEL, out_step = rows * out.width() + PANEL;
  const float *from = workspace.slots[slots_[layer.from]].data();
  const float *added = layer.added ? workspace.slots[slots_[*layer.added]].data() : nullptr;
  float *to = workspace.slots[slots_[layer.to]].data();
  float *const tiles = workspace.tiles.data(), *const products = workspace.products.data();
  for (std::size_t board = 0; board < n; ++board)
    kernels_->to_tiles(tiling, from + board * in.size(), in.width(), tiles + board * tiling.count * in.width(),
                       in_step);
  for (std::size_t place = 0; place < tiling.places(); ++place)
    kernels_->multiply(tiles + place * in_step, in.width(), rows,
                       layer.weights.data() + place * in.channels * out.width(), in.channels, out.width(),
                       products + place * out_step);
  for (std::size_t board = 0; board < n; ++board)
    kernels_->from_tiles(tiling, products + board * tiling.count * out.width(), out_step, out.width(),
                         {layer.bias.data(), added ? added + board * out.size() : nullptr, layer.relu},
                         to + board * out.size());
}

}  // namespace boardlab::net
