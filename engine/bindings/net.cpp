#include "bindings/module.h"
#include "net/program.h"

namespace boardlab {

namespace {

using net::Program;
using Numbers = nb::ndarray<const float, nb::c_contig, nb::device::cpu>;
using Planes = nb::ndarray<const float, nb::ndim<4>, nb::c_contig, nb::device::cpu>;

std::span<const float> span(const Numbers &numbers) { return {numbers.data(), numbers.size()}; }

}  // namespace

void bind_net(nb::module_ &m) {
  nb::class_<Program>(m, "NetProgram", "A neural net as a list of layers that a CPU runs.")
      .def(
          "__init__",
          [](Program *self, std::int64_t planes, std::int64_t rows, std::int64_t cols, const std::string &level) {
            const net::Kernels *kernels = level.empty() ? &net::kernels() : net::kernels_named(level.c_str());
            if (!kernels) throw std::invalid_argument("this processor has no level \"" + level + "\"");
            const std::int64_t most = 1 << 24;
            const std::size_t p = checked_count("planes", planes, 1, most), r = checked_count("rows", rows, 1, most),
                              c = checked_count("cols", cols, 1, most);
            if (p * r > static_cast<std::size_t>(most) || p * r * c > static_cast<std::size_t>(most))
              throw std::invalid_argument("planes x rows x cols must be at most " + std::to_string(most) + " numbers");
            new (self) Program(p, r, c, *kernels);
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
            if (planes.shape(1) != p.planes() || planes.shape(2) != p.rows() || planes.shape(3) != p.cols())
              throw std::invalid_argument("planes must be n x " + std::to_string(p.planes()) + " x " +
                                          std::to_string(p.rows()) + " x " + std::to_string(p.cols()));
            std::vector<float *> data(p.output_count());
            nb::list answers;
            for (std::size_t i = 0; i < data.size(); ++i)
              answers.append(new_array<float>({planes.shape(0), p.output_size(i)}, &data[i]));
            {
              const nb::gil_scoped_release release;
              p.run(planes.data(), planes.shape(0), data);
            }
            return answers;
          },
          nb::arg("planes").noconvert(), "Answers to planes [n, planes, rows, cols], one [n, size] an output.");
}

}  // namespace boardlab
