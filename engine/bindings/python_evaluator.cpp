#include "bindings/python_evaluator.h"

#include <algorithm>

namespace boardlab {

void SharedBuffer::reserve(std::size_t bytes) {
  if (bytes <= bytes_) return;
  data_ = new std::byte[bytes]();
  owner_ = nb::capsule(data_, [](void *p) noexcept { delete[] static_cast<std::byte *>(p); });
  bytes_ = bytes;
}

void ArrayBatch::reserve(std::size_t rows) {
  inputs_.reserve(rows * encoding_.row_bytes());
  legal_.reserve(rows * encoding_.actions());
}

nb::object ArrayBatch::inputs(std::size_t rows) const {
  std::vector<std::size_t> shape{rows};
  shape.insert(shape.end(), encoding_.shape().begin(), encoding_.shape().end());
  if (encoding_.inputs() == Inputs::PLANES) return inputs_.view<float>(shape);
  if (encoding_.inputs() == Inputs::CELLS) return inputs_.view<std::uint8_t>(shape);
  return inputs_.view<double>(shape);
}

nb::object ArrayBatch::legal(std::size_t rows) const {
  const std::size_t shape[2] = {rows, encoding_.actions()};
  return legal_.view<bool>(shape);
}

Inputs inputs_named(const std::string &name) {
  if (name == "planes") return Inputs::PLANES;
  if (name == "cells") return Inputs::CELLS;
  if (name == "features") return Inputs::FEATURES;
  throw std::invalid_argument("inputs must be \"planes\", \"cells\" or \"features\", not \"" + name + "\"");
}

Answers checked_answers(const Game &game, std::size_t rows, const FloatMatrix &values,
                        const std::optional<FloatMatrix> &logits) {
  const auto players = static_cast<std::size_t>(game.players());
  const bool one_column = players == 1 || (players == 2 && game.is_zero_sum());
  const auto shape_of = [](const FloatMatrix &array) {
    return "[" + std::to_string(array.shape(0)) + ", " + std::to_string(array.shape(1)) + "]";
  };
  if (values.shape(0) != rows || !(values.shape(1) == players || (one_column && values.shape(1) == 1)))
    throw std::invalid_argument("the evaluator's values must have the shape [" + std::to_string(rows) + ", " +
                                std::to_string(players) + "]" + (one_column ? " or one number for each position" : "") +
                                ", not " + shape_of(values));
  if (logits && (logits->shape(0) != rows || logits->shape(1) != static_cast<std::size_t>(game.action_count())))
    throw std::invalid_argument("the evaluator's logits must have the shape [" + std::to_string(rows) + ", " +
                                std::to_string(game.action_count()) + "], not " + shape_of(*logits));
  return {values.data(), values.shape(1), logits ? logits->data() : nullptr};
}

PythonEvaluator::PythonEvaluator(GamePtr game, int outcome, nb::callable judge, std::optional<Inputs> inputs,
                                 bool has_priors)
    : BatchEvaluator(std::move(game), outcome, has_priors), judge_(std::move(judge)), inputs_(inputs) {
  if (inputs) arrays_.emplace(Encoding(game_ptr(), *inputs));
}

PythonEvaluator::~PythonEvaluator() {
  const Gil gil;
  judge_.reset();
  arrays_.reset();
  legal_ = {};
}

std::unique_ptr<Evaluator> PythonEvaluator::clone() const {
  const Gil gil;
  return std::make_unique<PythonEvaluator>(game_ptr(), outcome(), judge_, inputs_, has_priors());
}

void PythonEvaluator::judge(LeafBatch &batch, Workers &workers) {
  const std::size_t rows = batch.size();
  reserve(rows);
  workers.run(rows, [&](std::size_t begin, std::size_t end) { write(batch, begin, end); });
  const Gil gil;
  if (arrays_) return consult(batch, arrays_->inputs(rows), arrays_->legal(rows));
  const std::size_t shape[2] = {rows, static_cast<std::size_t>(game().action_count())};
  consult(batch, states(batch), legal_.view<bool>(shape));
}

void PythonEvaluator::reserve(std::size_t rows) {
  const Gil gil;
  if (arrays_)
    arrays_->reserve(rows);
  else
    legal_.reserve(rows * static_cast<std::size_t>(game().action_count()));
}

void PythonEvaluator::write(LeafBatch &batch, std::size_t begin, std::size_t end) {
  const auto actions = static_cast<std::size_t>(game().action_count());
  auto *flags = reinterpret_cast<bool *>(legal_.data());
  for (std::size_t i = begin; i < end; ++i) {
    LeafRow &row = batch.row(i);
    row.find_legal(game());
    if (arrays_)
      arrays_->encoding().write(row.asked(), row.legal(), arrays_->input_row(i), arrays_->legal_row(i));
    else
      mark_legal(row.legal(), {flags + i * actions, actions});
  }
}

nb::object PythonEvaluator::states(LeafBatch &batch) const {
  nb::list list;
  for (std::size_t i = 0; i < batch.size(); ++i) {
    auto view = std::make_shared<PyState>(game_ptr());
    game().copy(view->data(), batch.row(i).asked());
    list.append(view);
  }
  return list;
}

void PythonEvaluator::consult(LeafBatch &batch, const nb::object &inputs, const nb::object &legal) {
  if (!judge_.is_valid()) throw std::invalid_argument("the garbage collector has already cleared this evaluator");
  nb::object answer;
  guarded([&] { answer = judge_(inputs, legal); });
  FloatMatrix values;
  std::optional<FloatMatrix> logits;
  nb::object parts[2];
  if (!nb::isinstance<nb::tuple>(answer) || nb::len(answer) != 2)
    throw std::invalid_argument("the evaluator did not return (values, logits)");
  for (std::size_t i = 0; i < 2; ++i) parts[i] = answer[i];
  if (!nb::try_cast(parts[0], values) || !nb::try_cast(parts[1], logits))
    throw std::invalid_argument("the evaluator's values and logits must be arrays of 32-bit floats, [rows, columns]");
  if (has_priors() && !logits) throw std::invalid_argument("the evaluator has priors but returned no logits");
  batch.read(checked_answers(game(), batch.size(), values, logits));
}

void bind_python_evaluator(nb::module_ &m) {
  m.def(
      "python_evaluator",
      [](const std::shared_ptr<Game> &game, nb::callable judge, const std::string &inputs, bool priors,
         const std::string &outcome) -> EvaluatorPtr {
        return std::make_shared<PythonEvaluator>(
            game, outcome_index(*game, outcome), std::move(judge),
            inputs == "states" ? std::nullopt : std::optional(inputs_named(inputs)), priors);
      },
      nb::arg("game"), nb::arg("judge"), nb::arg("inputs"), nb::arg("priors"), nb::arg("outcome"),
      "An evaluator over judge(inputs, legal), which returns 32-bit (values, logits or None).");
}

}  // namespace boardlab
