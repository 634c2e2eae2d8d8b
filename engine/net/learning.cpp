#include "net/learning.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

namespace boardlab::net {

namespace {

// Gradients of weights are summed in strips of boards, each on one thread. There are enough strips for the threads, and
// enough rows in each to be worth the transform from tiles back to filters.
constexpr std::size_t MOST_STRIPS = 16, ROWS_OF_STRIP = 128;
// Number of rows after which sums of gradients continue in double precision.
constexpr std::size_t ROWS_OF_SUM = 256;
// The fewest chunks of a batch, and the fewest boards of a chunk, which takes precedence.
constexpr std::size_t CHUNKS = 32, FEWEST_BOARDS = 4;
constexpr std::size_t MOST_NUMBERS = std::size_t{1} << 30;  // in a value of one board; keeps sizes from overflowing

void grow(Floats &floats, std::size_t size) {
  if (floats.size() < size) floats = Floats(size);
}

}  // namespace

LearningUnits::LearningUnits(std::size_t planes, std::size_t rows, std::size_t cols, int threads,
                             const Kernels &kernels)
    : kernels_(&kernels),
      workers_(threads),
      workspaces_(workers_.count()),
      shapes_{{rows, cols, planes}},
      is_added_{false},
      values_(1),
      gradients_(1) {}

void LearningUnits::check_reads(std::size_t value) const {
  if (is_finished()) throw std::invalid_argument("the units are finished; no more can be added");
  if (value >= shapes_.size())
    throw std::invalid_argument("there is no value " + std::to_string(value) + "; the number of values is " +
                                std::to_string(shapes_.size()));
  if (is_added_[value])
    throw std::invalid_argument("value " + std::to_string(value) + " has already been added to a unit");
}

std::size_t LearningUnits::add(std::size_t from, std::size_t outputs, Filter filter, std::optional<std::size_t> added) {
  check_reads(from);
  if (added) check_reads(*added);
  const Shape in = shapes_[from];
  const std::size_t lost = filter == Filter::UNPADDED ? 2 : 0;
  if (in.rows <= lost || in.cols <= lost)
    throw std::invalid_argument("a convolution without padding needs at least three rows and columns");
  const Shape out{in.rows - lost, in.cols - lost, outputs};
  if (outputs == 0 || outputs > MOST_NUMBERS / in.cells() || outputs > MOST_NUMBERS / (36 * in.width()))
    throw std::invalid_argument("a unit of " + std::to_string(outputs) + " channels is too large or too small");
  if (added && (*added == 0 || shapes_[*added].cells() != out.cells() || shapes_[*added].channels != outputs))
    throw std::invalid_argument("the added value must be that of a unit of the same shape");
  Unit unit{};
  unit.from = from;
  unit.added = added;
  std::size_t places = 1, turned_places = 1;
  if (filter != Filter::POINTWISE) {
    unit.forward = tiling_of(in.rows, in.cols, lost == 0 ? 1 : 0);
    unit.backward = tiling_of(out.rows, out.cols, lost == 0 ? 1 : 2);
    places = unit.forward.places();
    turned_places = unit.backward.places();
  }
  unit.weights = Floats(places * in.channels * out.width());
  unit.turned_weights = Floats(turned_places * out.channels * in.width());
  for (std::vector<float> *numbers : {&unit.gain, &unit.bias, &unit.mean, &unit.deviation})
    numbers->assign(out.width(), 0);
  units_.push_back(std::move(unit));
  shapes_.push_back(out);
  is_added_.push_back(false);
  if (added) is_added_[*added] = true;
  values_.emplace_back();
  gradients_.emplace_back();
  return shapes_.size() - 1;
}

void LearningUnits::finish(std::vector<std::size_t> outputs) {
  if (outputs.empty()) throw std::invalid_argument("there must be at least one output");
  std::vector<bool> is_read(shapes_.size());
  for (const Unit &unit : units_) is_read[unit.from] = true;
  for (const std::size_t output : outputs) {
    check_reads(output);
    if (output == 0 || is_read[output]) throw std::invalid_argument("an output must be a value that no unit reads");
    is_read[output] = true;
  }
  for (std::size_t value = 1; value < shapes_.size(); ++value)
    if (!is_read[value] && !is_added_[value])
      throw std::invalid_argument("nothing reads value " + std::to_string(value));
  outputs_ = std::move(outputs);
}

void LearningUnits::make_room(std::size_t boards) {
  if (boards > capacity_) {
    capacity_ = 0;
    idle_.clear();
    for (Floats &gradient : gradients_) gradient = Floats();
    for (std::size_t value = 0; value < shapes_.size(); ++value)
      values_[value] = Floats(boards * shapes_[value].size());
    for (std::size_t i = 0; i < units_.size(); ++i) units_[i].convolved = Floats(boards * out_shape(i).size());
    capacity_ = boards;
  }
  boards_ = boards;
  for (std::size_t i = 0; i < units_.size(); ++i) {
    const std::size_t chunk = chunk_of(i), in = in_shape(i).width(), out = out_shape(i).width();
    const bool is_pointwise = units_[i].is_pointwise();
    for (Workspace &workspace : workspaces_) {
      grow(workspace.sums, (is_pointwise ? 1 : units_[i].forward.places()) * in * out);
      if (is_pointwise) {
        grow(workspace.products, chunk * in_shape(i).size());
        continue;
      }
      for (const Convolution &convolution : {forward_of(i), backward_of(i)}) {
        grow(workspace.tiles, convolution.tiles_size(chunk));
        grow(workspace.products, convolution.products_size(chunk));
      }
    }
  }
}

Convolution LearningUnits::forward_of(std::size_t i) const {
  const Shape &in = in_shape(i), &out = out_shape(i);
  return {*kernels_, units_[i].forward, units_[i].weights.data(), in.channels, in.width(), out.width()};
}

Convolution LearningUnits::backward_of(std::size_t i) const {
  const Shape &in = in_shape(i), &out = out_shape(i);
  return {*kernels_, units_[i].backward, units_[i].turned_weights.data(), out.channels, out.width(), in.width()};
}

std::size_t LearningUnits::chunk_of(std::size_t i) const {
  std::size_t of_board = in_shape(i).size() + out_shape(i).size(), of_weights = units_[i].weights.size();
  if (!units_[i].is_pointwise()) of_board = forward_of(i).tiles_size(1) + forward_of(i).products_size(1);
  return std::min(boards_at_once(of_board, of_weights), std::max(boards_ / CHUNKS, FEWEST_BOARDS));
}

void LearningUnits::take_weights(std::size_t i, const Weights &weights) {
  Unit &unit = units_[i];
  const std::size_t inputs = in_shape(i).channels, outputs = out_shape(i).channels;
  const float *const numbers = weights.weights;
  if (unit.is_pointwise()) {
    const auto weight = [&](std::size_t o, std::size_t k) { return numbers[o * inputs + k]; };
    write_panels(unit.weights.data(), outputs, inputs, weight);
    write_panels(unit.turned_weights.data(), inputs, outputs,
                 [&](std::size_t k, std::size_t o) { return weight(o, k); });
  } else {
    const auto step = static_cast<std::ptrdiff_t>(inputs * 9);
    transform_filters({numbers, step, 9, 1}, outputs, inputs, unit.forward, unit.weights.data());
    if (unit.from != 0)
      transform_filters({numbers + 8, 9, step, -1}, inputs, outputs, unit.backward, unit.turned_weights.data());
  }
  std::copy_n(weights.gain, outputs, unit.gain.begin());
  std::copy_n(weights.bias, outputs, unit.bias.begin());
}

std::uint64_t LearningUnits::forward(const float *planes, std::size_t n, const std::vector<Weights> &weights,
                                     float epsilon, const std::vector<Moments> &moments,
                                     const std::vector<float *> &answers) {
  const std::lock_guard lock(mutex_);
  is_answered_ = false;
  make_room(n);
  const Shape &in = input();
  workers_.run(n, [&](std::size_t begin, std::size_t end) {
    float *to = values_[0].data() + begin * in.size();
    const float *plane = planes + begin * in.cells() * in.channels;
    std::fill_n(to, (end - begin) * in.size(), 0.0F);
    for (std::size_t board = begin; board < end; ++board, to += in.size())
      for (std::size_t channel = 0; channel < in.channels; ++channel)
        for (std::size_t cell = 0; cell < in.cells(); ++cell) to[cell * in.width() + channel] = *plane++;
  });
  workers_.run(units_.size(), [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) take_weights(i, weights[i]);
  });
  for (std::size_t i = 0; i < units_.size(); ++i) {
    convolve(i);
    normalise(i, epsilon, moments[i]);
  }
  for (std::size_t i = 0; i < outputs_.size(); ++i) {
    const Shape &out = output(i);
    const float *const value = values_[outputs_[i]].data();
    workers_.run(n * out.cells(), [&](std::size_t begin, std::size_t end) {
      for (std::size_t row = begin; row < end; ++row)
        std::copy_n(value + row * out.width(), out.channels, answers[i] + row * out.channels);
    });
  }
  is_answered_ = true;
  return ++number_;
}

// Fills `convolved` and, while a chunk is in the cache, computes its sums and its squared deviations from its mean.
void LearningUnits::convolve(std::size_t i) {
  Unit &unit = units_[i];
  const Shape &in = in_shape(i), &out = out_shape(i);
  const std::size_t chunk = chunk_of(i), chunks = (boards_ + chunk - 1) / chunk, width = out.width();
  grow(parts_, chunks * 2 * width);
  in_threads(chunks, [&](std::size_t t, std::size_t begin, std::size_t end) {
    std::vector<float> mean(width);
    for (std::size_t k = begin; k < end; ++k) {
      const std::size_t board = k * chunk, n = std::min(chunk, boards_ - board), rows = n * out.cells();
      const float *const from = values_[unit.from].data() + board * in.size();
      float *const to = unit.convolved.data() + board * out.size();
      if (unit.is_pointwise())
        kernels_->multiply(from, in.width(), rows, unit.weights.data(), in.channels, width, to);
      else
        forward_of(i).run(from, n, {}, to, workspaces_[t].tiles.data(), workspaces_[t].products.data());
      float *const sums = parts_.data() + k * 2 * width, *const squares = sums + width;
      std::fill_n(sums, 2 * width, 0.0F);
      kernels_->add_rows(to, nullptr, rows, width, sums);
      for (std::size_t c = 0; c < width; ++c) mean[c] = sums[c] / static_cast<float>(rows);
      kernels_->add_rows(to, mean.data(), rows, width, squares);
    }
  });
}

void LearningUnits::normalise(std::size_t i, float epsilon, const Moments &moments) {
  Unit &unit = units_[i];
  const Shape &out = out_shape(i);
  const std::size_t width = out.width(), chunk = chunk_of(i), chunks = (boards_ + chunk - 1) / chunk;
  const auto count = static_cast<double>(boards_ * out.cells());
  std::vector<float> scale(width);
  for (std::size_t c = 0; c < width; ++c) {
    double sum = 0, squares = 0;
    const auto part = [&](std::size_t k) { return static_cast<double>(parts_.data()[k * width + c]); };
    for (std::size_t k = 0; k < chunks; ++k) sum += part(2 * k);
    const double mean = sum / count;
    for (std::size_t k = 0; k < chunks; ++k) {
      const auto rows = static_cast<double>(std::min(chunk, boards_ - k * chunk) * out.cells());
      const double away = part(2 * k) / rows - mean;
      squares += part(2 * k + 1) + rows * away * away;
    }
    const double variance = squares / count;
    unit.mean[c] = static_cast<float>(mean);
    unit.deviation[c] = static_cast<float>(std::sqrt(variance + static_cast<double>(epsilon)));
    scale[c] = unit.gain[c] / unit.deviation[c];
    if (c >= out.channels) continue;
    moments.mean[c] = unit.mean[c];
    moments.variance[c] = static_cast<float>(variance);
  }
  const float *const added = unit.added ? values_[*unit.added].data() : nullptr;
  workers_.run(boards_ * out.cells(), [&](std::size_t begin, std::size_t end) {
    const std::size_t place = begin * width;
    kernels_->normalise(unit.convolved.data() + place, unit.mean.data(), scale.data(), end - begin, width,
                        {unit.bias.data(), added ? added + place : nullptr, true}, values_[i + 1].data() + place);
  });
}

// Memory for the gradient of a value, taken from the idle ones.
Floats &LearningUnits::gradient_of(std::size_t value) {
  Floats &gradient = gradients_[value];
  if (!idle_.empty()) {
    gradient = std::move(idle_.back());
    idle_.pop_back();
    return gradient;
  }
  std::size_t largest = 0;
  for (const Shape &shape : shapes_) largest = std::max(largest, shape.size());
  return gradient = Floats(capacity_ * largest);
}

void LearningUnits::release(Floats &gradient) {
  if (gradient.size() > 0) idle_.push_back(std::move(gradient));
  gradient = Floats();
}

void LearningUnits::backward(std::uint64_t number, const std::vector<const float *> &answers, std::size_t n,
                             const std::vector<Gradients> &gradients) {
  const std::lock_guard lock(mutex_);
  if (!is_answered_ || number != number_ || n != boards_)
    throw std::invalid_argument("gradients must be those of the last answer, with as many boards, and only once");
  is_answered_ = false;
  for (Floats &gradient : gradients_) release(gradient);  // left over if the last backward() threw
  for (std::size_t i = 0; i < outputs_.size(); ++i) {
    const Shape &out = output(i);
    float *const to = gradient_of(outputs_[i]).data();
    workers_.run(boards_ * out.cells(), [&](std::size_t begin, std::size_t end) {
      std::fill(to + begin * out.width(), to + end * out.width(), 0.0F);
      for (std::size_t row = begin; row < end; ++row)
        std::copy_n(answers[i] + row * out.channels, out.channels, to + row * out.width());
    });
  }
  for (std::size_t i = units_.size(); i-- > 0;) {
    const std::vector<float> slopes = slopes_of(i, gradients[i]);
    convolve_gradient(i, slopes.data(), gradients[i].weights);
    release(gradients_[i + 1]);
  }
}

// Fills the gradients of gain and bias. Returns how the gradient of a unit's value becomes that of the convolution, in
// the form that the kernel `normalise_gradients` takes.
std::vector<float> LearningUnits::slopes_of(std::size_t i, const Gradients &gradients) {
  const Unit &unit = units_[i];
  const std::size_t width = out_shape(i).width(), rows = boards_ * out_shape(i).cells();
  const std::size_t strips = (rows + ROWS_OF_SUM - 1) / ROWS_OF_SUM;
  grow(parts_, strips * 2 * width);
  workers_.run(strips, [&](std::size_t begin, std::size_t end) {
    for (std::size_t strip = begin; strip < end; ++strip) {
      float *const sums = parts_.data() + strip * 2 * width;
      std::fill_n(sums, 2 * width, 0.0F);
      const std::size_t first = strip * ROWS_OF_SUM, place = first * width;
      kernels_->add_gradients(gradients_[i + 1].data() + place, values_[i + 1].data() + place,
                              unit.convolved.data() + place, unit.mean.data(), std::min(ROWS_OF_SUM, rows - first),
                              width, sums);
    }
  });
  std::vector<float> slopes(3 * width);
  for (std::size_t c = 0; c < out_shape(i).channels; ++c) {
    double sum = 0, products = 0;
    for (std::size_t strip = 0; strip < strips; ++strip) {
      sum += static_cast<double>(parts_.data()[strip * 2 * width + c]);
      products += static_cast<double>(parts_.data()[(strip * 2 + 1) * width + c]);
    }
    const double deviation = static_cast<double>(unit.deviation[c]), count = static_cast<double>(rows);
    const double slope = static_cast<double>(unit.gain[c]) / deviation;
    gradients.gain[c] = static_cast<float>(products / deviation);
    gradients.bias[c] = static_cast<float>(sum);
    slopes[c] = static_cast<float>(slope);
    slopes[width + c] = static_cast<float>(-slope * products / (deviation * deviation) / count);
    slopes[2 * width + c] = static_cast<float>(-slope * sum / count);
  }
  return slopes;
}

// Turns the gradient of a unit's value, in place, into that of the convolution, and into that of the added value. From
// it, chunk by chunk, follow the gradients of the weights and of the value that the unit reads.
void LearningUnits::convolve_gradient(std::size_t i, const float *slopes, float *to_weights) {
  const Unit &unit = units_[i];
  const Shape &in = in_shape(i), &out = out_shape(i);
  const std::size_t chunk = chunk_of(i), matrix = in.width() * out.width();
  const std::size_t places = unit.is_pointwise() ? 1 : unit.forward.places();
  const std::size_t rows_of_board = unit.is_pointwise() ? out.cells() : unit.forward.count;
  const std::size_t strips = std::clamp(boards_ * rows_of_board / ROWS_OF_STRIP, std::size_t{1}, MOST_STRIPS);
  const std::size_t numbers = in.channels * out.channels * filter_size(i);
  grow(parts_, strips * numbers);
  float *const gradient = gradients_[i + 1].data();
  float *const to_added = unit.added ? gradient_of(*unit.added).data() : nullptr;
  const bool is_known = gradients_[unit.from].size() > 0;
  if (unit.from != 0 && !is_known) gradient_of(unit.from);

  in_threads(strips, [&](std::size_t t, std::size_t begin, std::size_t last) {
    Workspace &workspace = workspaces_[t];
    for (std::size_t strip = begin; strip < last; ++strip) {
      std::fill_n(workspace.sums.data(), places * matrix, 0.0F);
      const std::size_t end = boards_ * (strip + 1) / strips;
      for (std::size_t board = boards_ * strip / strips, n; board < end; board += n) {
        n = std::min(chunk, end - board);
        const std::size_t place = board * out.size();
        kernels_->normalise_gradients(gradient + place, values_[i + 1].data() + place, unit.convolved.data() + place,
                                      unit.mean.data(), slopes, n * out.cells(), out.width(), gradient + place,
                                      to_added ? to_added + place : nullptr);
        add_weight_gradient(i, board, n, workspace);
        if (unit.from != 0) from_gradient(i, board, n, is_known, workspace);
      }
      float *const part = parts_.data() + strip * numbers;
      const float *const sums = workspace.sums.data();
      if (!unit.is_pointwise()) {
        gradient_of_filters(sums, matrix, out.channels, in.channels, unit.forward, part);
        continue;
      }
      for (std::size_t o = 0; o < out.channels; ++o)
        for (std::size_t k = 0; k < in.channels; ++k) part[o * in.channels + k] = sums[k * out.width() + o];
    }
  });
  workers_.run(numbers, [&](std::size_t begin, std::size_t end) {
    std::copy(parts_.data() + begin, parts_.data() + end, to_weights + begin);
    for (std::size_t strip = 1; strip < strips; ++strip)
      for (std::size_t k = begin; k < end; ++k) to_weights[k] += parts_.data()[strip * numbers + k];
  });
}

void LearningUnits::add_weight_gradient(std::size_t i, std::size_t board, std::size_t n, Workspace &workspace) const {
  const Unit &unit = units_[i];
  const Tiling &tiling = unit.forward;
  const Shape &in = in_shape(i), &out = out_shape(i);
  const float *const from = values_[unit.from].data() + board * in.size();
  const float *const gradient = gradients_[i + 1].data() + board * out.size();
  float *const sums = workspace.sums.data(), *const tiles = workspace.tiles.data(),
               *const products = workspace.products.data();
  if (unit.is_pointwise())
    return kernels_->add_outer_products(from, in.width(), gradient, out.width(), n * out.cells(), sums);
  const Convolution convolution = forward_of(i);
  const std::size_t in_step = convolution.step(n, in.width()), out_step = convolution.step(n, out.width());
  for (std::size_t k = 0; k < n; ++k) {
    kernels_->to_tiles(tiling, from + k * in.size(), in.width(), tiles + k * tiling.count * in.width(), in_step);
    kernels_->gradients_to_tiles(tiling, gradient + k * out.size(), out.width(),
                                 products + k * tiling.count * out.width(), out_step);
  }
  for (std::size_t p = 0; p < tiling.places(); ++p)
    kernels_->add_outer_products(tiles + p * in_step, in.width(), products + p * out_step, out.width(),
                                 n * tiling.count, sums + p * in.width() * out.width());
}

// Adds to the gradient of the value that the unit reads.
void LearningUnits::from_gradient(std::size_t i, std::size_t board, std::size_t n, bool is_known,
                                  Workspace &workspace) const {
  const Unit &unit = units_[i];
  const Shape &in = in_shape(i), &out = out_shape(i);
  const float *const gradient = gradients_[i + 1].data() + board * out.size();
  float *const to = gradients_[unit.from].data() + board * in.size(), *const products = workspace.products.data();
  if (!unit.is_pointwise())
    return backward_of(i).run(gradient, n, {nullptr, is_known ? to : nullptr, false}, to, workspace.tiles.data(),
                              products);
  kernels_->multiply(gradient, out.width(), n * out.cells(), unit.turned_weights.data(), out.channels, in.width(),
                     is_known ? products : to);
  if (is_known) kernels_->add(products, n * in.size(), to);
}

}  // namespace boardlab::net
