#include <nanobind/stl/array.h>

#include <array>
#include <map>

#include "bindings/module.h"
#include "net/learning.h"
#include "net/program.h"

namespace boardlab {

namespace {

using net::Program;
using Numbers = nb::ndarray<const float, nb::c_contig, nb::device::cpu>;
using Planes = nb::ndarray<const float, nb::ndim<4>, nb::c_contig, nb::device::cpu>;

std::span<const float> span(const Numbers &numbers) { return {numbers.data(), numbers.size()}; }

using net::LearningUnits;
using Filters = nb::ndarray<const float, nb::ndim<4>, nb::c_contig, nb::device::cpu>;
using NewFilters = nb::ndarray<float, nb::ndim<4>, nb::c_contig, nb::device::cpu>;
using Channels = nb::ndarray<const float, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using NewChannels = nb::ndarray<float, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Boards = Filters;
using NewBoards = NewFilters;

const net::Kernels &kernels_of(const std::string &level) {
  if (level.empty()) return net::kernels();
  if (const net::Kernels *kernels = net::kernels_named(level.c_str())) return *kernels;
  throw std::invalid_argument("this processor has no level \"" + level + "\"");
}

// Planes, rows and columns of a net's input.
std::array<std::size_t, 3> checked_input(std::int64_t planes, std::int64_t rows, std::int64_t cols) {
  const std::int64_t most = 1 << 24;
  const std::array<std::size_t, 3> shape{checked_count("planes", planes, 1, most), checked_count("rows", rows, 1, most),
                                         checked_count("cols", cols, 1, most)};
  if (shape[0] * shape[1] > static_cast<std::size_t>(most) ||
      shape[0] * shape[1] * shape[2] > static_cast<std::size_t>(most))
    throw std::invalid_argument("planes x rows x cols must be at most " + std::to_string(most) + " numbers");
  return shape;
}

void check_planes(const Planes &planes, std::size_t channels, std::size_t rows, std::size_t cols) {
  if (planes.shape(1) != channels || planes.shape(2) != rows || planes.shape(3) != cols)
    throw std::invalid_argument("planes must be n x " + std::to_string(channels) + " x " + std::to_string(rows) +
                                " x " + std::to_string(cols));
}

template <class Numbers>
void check_channels(std::size_t unit, const Numbers &numbers, std::size_t channels) {
  if (numbers.size() != channels)
    throw std::invalid_argument("unit " + std::to_string(unit) + " has " + std::to_string(channels) +
                                " channels and needs as many gains, biases, means and variances");
}

// Checks the shapes of the arrays of each unit and returns pointers to them.
template <class Pointers, class FilterArray, class ChannelArray>
std::vector<Pointers> units_of(const LearningUnits &units, const std::vector<FilterArray> &weights,
                               const std::vector<ChannelArray> &gains, const std::vector<ChannelArray> &biases) {
  const std::size_t count = units.unit_count();
  if (weights.size() != count || gains.size() != count || biases.size() != count)
    throw std::invalid_argument("there are " + std::to_string(count) +
                                " units, which need as many weights, gains and biases");
  std::vector<Pointers> pointers;
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t inputs = units.in_shape(i).channels, outputs = units.out_shape(i).channels,
                      side = units.filter_size(i) == 1 ? 1 : 3;
    const FilterArray &w = weights[i];
    if (w.shape(0) != outputs || w.shape(1) != inputs || w.shape(2) != side || w.shape(3) != side)
      throw std::invalid_argument("the weights of unit " + std::to_string(i) + " must be " + std::to_string(outputs) +
                                  " x " + std::to_string(inputs) + " x " + std::to_string(side) + " x " +
                                  std::to_string(side));
    check_channels(i, gains[i], outputs);
    check_channels(i, biases[i], outputs);
    pointers.push_back({w.data(), gains[i].data(), biases[i].data()});
  }
  return pointers;
}

// Checks the shapes of the arrays of each output and returns pointers to them.
template <class Pointer, class BoardArray>
std::vector<Pointer> outputs_of(const LearningUnits &units, std::size_t n, const std::vector<BoardArray> &boards) {
  if (!units.is_finished()) throw std::invalid_argument("the units are not finished yet");
  if (boards.size() != units.output_count())
    throw std::invalid_argument("there are " + std::to_string(units.output_count()) + " outputs, not " +
                                std::to_string(boards.size()));
  std::vector<Pointer> pointers;
  for (std::size_t i = 0; i < boards.size(); ++i) {
    const LearningUnits::Shape &shape = units.output(i);
    if (boards[i].shape(0) != n || boards[i].shape(1) != shape.rows || boards[i].shape(2) != shape.cols ||
        boards[i].shape(3) != shape.channels)
      throw std::invalid_argument("output " + std::to_string(i) + " must be " + std::to_string(n) + " x " +
                                  std::to_string(shape.rows) + " x " + std::to_string(shape.cols) + " x " +
                                  std::to_string(shape.channels));
    pointers.push_back(boards[i].data());
  }
  return pointers;
}

}  // namespace

void bind_net(nb::module_ &m) {
  nb::class_<Program>(m, "NetProgram", "A neural net as a list of layers that a CPU runs.")
      .def(
          "__init__",
          [](Program *self, std::int64_t planes, std::int64_t rows, std::int64_t cols, const std::string &level) {
            const auto [p, r, c] = checked_input(planes, rows, cols);
            new (self) Program(p, r, c, kernels_of(level));
          },
          nb::arg("planes"), nb::arg("rows"), nb::arg("cols"), nb::arg("level") = "")
      .def(
          "convolution",
          [](Program &p, std::size_t from, const Numbers &weights, const Numbers &bias, bool padded,
             std::optional<std::size_t> added,
             bool relu) { return p.convolution(from, span(weights), span(bias), padded, added, relu); },
          nb::arg("value"), nb::arg("weights").noconvert(), nb::arg("bias").noconvert(), nb::arg("padded"),
          nb::arg("added") = nb::none(), nb::arg("relu") = false)
      .def(
          "pointwise",
          [](Program &p, std::size_t from, const Numbers &weights, const Numbers &bias,
             std::optional<std::size_t> added,
             bool relu) { return p.pointwise(from, span(weights), span(bias), added, relu); },
          nb::arg("value"), nb::arg("weights").noconvert(), nb::arg("bias").noconvert(), nb::arg("added") = nb::none(),
          nb::arg("relu") = false)
      .def(
          "linear",
          [](Program &p, std::size_t from, const Numbers &weights, const Numbers &bias,
             std::optional<std::size_t> added,
             bool relu) { return p.linear(from, span(weights), span(bias), added, relu); },
          nb::arg("value"), nb::arg("weights").noconvert(), nb::arg("bias").noconvert(), nb::arg("added") = nb::none(),
          nb::arg("relu") = false)
      .def(
          "embedding",
          [](Program &p, const std::vector<std::vector<std::size_t>> &cells,
             const std::vector<std::vector<std::size_t>> &values, const Numbers &weights, const Numbers &bias,
             bool relu) {
            if (cells.size() != values.size())
              throw std::invalid_argument("groups must have as many lists of values as of cells");
            std::vector<Program::Group> groups;
            for (std::size_t i = 0; i < cells.size(); ++i) groups.push_back({cells[i], values[i]});
            return p.embedding(groups, span(weights), span(bias), relu);
          },
          nb::arg("cells"), nb::arg("values"), nb::arg("weights").noconvert(), nb::arg("bias").noconvert(),
          nb::arg("relu") = false)
      .def("spread", &Program::spread, nb::arg("value"), nb::arg("added"), nb::arg("relu") = false)
      .def("relu", &Program::relu, nb::arg("value"))
      .def("pool", &Program::pool, nb::arg("value"))
      .def(
          "norm",
          [](Program &p, std::size_t from, const Numbers &gain, const Numbers &bias, float epsilon) {
            return p.norm(from, span(gain), span(bias), epsilon);
          },
          nb::arg("value"), nb::arg("gain").noconvert(), nb::arg("bias").noconvert(), nb::arg("epsilon"))
      .def("finish", &Program::finish, nb::arg("outputs"))
      .def(
          "run",
          [](const Program &p, const Planes &planes) {
            if (!p.is_finished()) throw std::invalid_argument("the net is not finished yet");
            check_planes(planes, p.planes(), p.rows(), p.cols());
            std::vector<float *> data(p.output_count());
            nb::list answers;
            for (std::size_t i = 0; i < data.size(); ++i)
              answers.append(new_array<float>({planes.shape(0), p.output_size(i)}, &data[i]));
            {
              const WithoutGil release;
              p.run(planes.data(), planes.shape(0), data);
            }
            return answers;
          },
          nb::arg("planes").noconvert(), "Answers to planes [n, planes, rows, cols]: one [n, size] for each output.");

  nb::class_<LearningUnits>(m, "LearningUnits",
                            "Units of a convolution, batch normalisation, a short cut and ReLU that learn on a CPU.")
      .def(
          "__init__",
          [](LearningUnits *self, std::int64_t planes, std::int64_t rows, std::int64_t cols, std::int64_t threads,
             const std::string &level) {
            const auto [p, r, c] = checked_input(planes, rows, cols);
            const auto workers = static_cast<int>(checked_count("threads", threads, 1, 1024));
            new (self) LearningUnits(p, r, c, workers, kernels_of(level));
          },
          nb::arg("planes"), nb::arg("rows"), nb::arg("cols"), nb::arg("threads") = 1, nb::arg("level") = "")
      .def(
          "add",
          [](LearningUnits &units, std::size_t from, std::int64_t outputs, const std::string &filter,
             std::optional<std::size_t> added) {
            using enum LearningUnits::Filter;
            const std::map<std::string, LearningUnits::Filter> filters{
                {"1x1", POINTWISE}, {"3x3", PADDED}, {"3x3 unpadded", UNPADDED}};
            if (!filters.contains(filter))
              throw std::invalid_argument("a filter must be 1x1, 3x3 or 3x3 unpadded, not " + filter);
            return units.add(from, checked_count("outputs", outputs, 1, 1 << 24), filters.at(filter), added);
          },
          nb::arg("value"), nb::arg("outputs"), nb::arg("filter"), nb::arg("added") = nb::none(),
          "Adds ReLU(norm(convolution(value)) + added); returns the number of its value.")
      .def("finish", &LearningUnits::finish, nb::arg("outputs"), "Finishes the units; these values are the outputs.")
      .def_prop_ro(
          "output_shapes",
          [](const LearningUnits &units) {
            std::vector<std::array<std::size_t, 3>> shapes;
            for (std::size_t i = 0; i < units.output_count(); ++i)
              shapes.push_back({units.output(i).rows, units.output(i).cols, units.output(i).channels});
            return shapes;
          },
          "Rows, columns and channels of each output.")
      .def_prop_ro(
          "unit_cells",
          [](const LearningUnits &units) {
            std::vector<std::size_t> cells;
            for (std::size_t i = 0; i < units.unit_count(); ++i) cells.push_back(units.out_shape(i).cells());
            return cells;
          },
          "The number of cells of each unit's value.")
      .def(
          "forward",
          [](LearningUnits &units, const Planes &planes, const std::vector<Filters> &weights,
             const std::vector<Channels> &gains, const std::vector<Channels> &biases, float epsilon,
             const std::vector<NewChannels> &means, const std::vector<NewChannels> &variances,
             const std::vector<NewBoards> &answers) {
            const std::size_t n = planes.shape(0);
            if (n == 0) throw std::invalid_argument("there must be at least one board");
            check_planes(planes, units.input().channels, units.input().rows, units.input().cols);
            const auto pointers = units_of<LearningUnits::Weights>(units, weights, gains, biases);
            if (means.size() != pointers.size() || variances.size() != pointers.size())
              throw std::invalid_argument("each unit needs a mean and a variance");
            std::vector<LearningUnits::Moments> moments;
            for (std::size_t i = 0; i < pointers.size(); ++i) {
              check_channels(i, means[i], units.out_shape(i).channels);
              check_channels(i, variances[i], units.out_shape(i).channels);
              moments.push_back({means[i].data(), variances[i].data()});
            }
            const auto to = outputs_of<float *>(units, n, answers);
            const WithoutGil release;
            return units.forward(planes.data(), n, pointers, epsilon, moments, to);
          },
          nb::arg("planes").noconvert(), nb::arg("weights").noconvert(), nb::arg("gains").noconvert(),
          nb::arg("biases").noconvert(), nb::arg("epsilon"), nb::arg("means").noconvert(),
          nb::arg("variances").noconvert(), nb::arg("answers").noconvert(),
          "Fills the answers [n, rows, cols, channels] to planes [n, planes, rows, cols], and each unit's moments. "
          "Returns the answer's number.")
      .def(
          "backward",
          [](LearningUnits &units, std::uint64_t number, const std::vector<Boards> &answers,
             const std::vector<NewFilters> &weights, const std::vector<NewChannels> &gains,
             const std::vector<NewChannels> &biases) {
            const std::size_t n = answers.empty() ? 0 : answers[0].shape(0);
            const auto from = outputs_of<const float *>(units, n, answers);
            const auto pointers = units_of<LearningUnits::Gradients>(units, weights, gains, biases);
            const WithoutGil release;
            units.backward(number, from, n, pointers);
          },
          nb::arg("number"), nb::arg("answers").noconvert(), nb::arg("weights").noconvert(),
          nb::arg("gains").noconvert(), nb::arg("biases").noconvert(),
          "Fills the gradients of all units from those of the last answers, which forward gave this number.");
}

}  // namespace boardlab
