#include "evaluators/net.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace boardlab {

namespace {

std::string shape_text(std::size_t planes, std::size_t rows, std::size_t cols) {
  return std::to_string(planes) + " x " + std::to_string(rows) + " x " + std::to_string(cols);
}

void check_inputs(const net::Program &program, const Encoding &encoding) {
  if (encoding.inputs() == Inputs::FEATURES) throw std::invalid_argument("a net looks at planes or cells");
  std::size_t shape[3] = {1, 1, 1};
  std::copy(encoding.shape().begin(), encoding.shape().end(), shape);
  if (shape[0] == program.planes() && shape[1] == program.rows() && shape[2] == program.cols()) return;
  throw std::invalid_argument("the net looks at " + shape_text(program.planes(), program.rows(), program.cols()) +
                              " numbers, but a position of the game has " + shape_text(shape[0], shape[1], shape[2]));
}

void check_outputs(const net::Program &program, const Game &game) {
  const auto players = static_cast<std::size_t>(game.players());
  const auto actions = static_cast<std::size_t>(game.action_count());
  const std::size_t outputs = program.output_count();
  if (outputs < 1 || outputs > 2)
    throw std::invalid_argument("a net answers values, or values and logits, not " + std::to_string(outputs) +
                                " vectors");
  const bool one_is_enough = players == 1 || (players == 2 && game.is_zero_sum());
  const std::size_t values = program.output_size(0);
  if (values != players && !(values == 1 && one_is_enough))
    throw std::invalid_argument("the net gives " + std::to_string(values) + " values; a game of " +
                                std::to_string(players) + " players needs as many");
  if (outputs == 2 && program.output_size(1) != actions)
    throw std::invalid_argument("the net gives " + std::to_string(program.output_size(1)) + " logits; the game has " +
                                std::to_string(actions) + " actions");
}

}  // namespace

NetEvaluator::NetEvaluator(GamePtr game, int outcome, std::shared_ptr<const net::Program> program, NetOptions options)
    : BatchEvaluator(std::move(game), outcome, program->output_count() == 2),
      program_(std::move(program)),
      options_(options),
      encoding_(game_ptr(), options.inputs) {
  if (!program_->is_finished()) throw std::invalid_argument("the net is not finished yet");
  check_inputs(*program_, encoding_);
  check_outputs(*program_, this->game());
}

void NetEvaluator::judge(LeafBatch &batch, Workers &workers) {
  const std::size_t rows = batch.size();
  reserve(rows);
  if (Workers &helpers = crew(rows, workers); helpers.count() == 1)
    run(batch, 0, rows);
  else
    helpers.run(rows, [&](std::size_t begin, std::size_t end) { run(batch, begin, end); });
  batch.read({values_.data(), program_->output_size(0), logits()});
}

Workers &NetEvaluator::crew(std::size_t rows, Workers &workers) {
  if (options_.threads <= 1 || rows < 2 * FEWEST_A_THREAD) return workers;
  if (!own_) own_ = std::make_unique<Workers>(options_.threads);
  return *own_;
}

void NetEvaluator::reserve(std::size_t rows) {
  const auto grow = [rows](std::vector<float> &numbers, std::size_t width) {
    if (numbers.size() < rows * width) numbers.resize(rows * width);
  };
  grow(inputs_, program_->input_size());
  grow(values_, program_->output_size(0));
  if (has_priors()) grow(logits_, program_->output_size(1));
}

void NetEvaluator::run(LeafBatch &batch, std::size_t begin, std::size_t end) {
  const std::size_t width = program_->input_size(), columns = program_->output_size(0);
  for (std::size_t i = begin; i < end; ++i) write(batch.row(i).asked(), &inputs_[i * width]);
  float *const values = values_.data() + begin * columns;
  float *const answers[] = {values, has_priors() ? logits() + begin * program_->output_size(1) : nullptr};
  program_->run(inputs_.data() + begin * width, end - begin, {answers, program_->output_count()});
  for (std::size_t i = 0; i < (end - begin) * columns; ++i) {
    // As a double: rounded once, tanh does not depend on the C library.
    const auto output = options_.squashes ? static_cast<float>(std::tanh(static_cast<double>(values[i]))) : values[i];
    values[i] = options_.offset + options_.factor * output;
  }
}

void NetEvaluator::write(const void *state, float *row) const {
  if (options_.inputs == Inputs::PLANES) return encoding_.write_inputs(state, reinterpret_cast<std::byte *>(row));
  // Cells are bytes: they are written at the row's end and spread from its beginning, which overtakes none.
  const std::size_t cells = program_->input_size();
  auto *bytes = reinterpret_cast<std::uint8_t *>(row + cells) - cells;
  encoding_.write_inputs(state, reinterpret_cast<std::byte *>(bytes));
  for (std::size_t i = 0; i < cells; ++i) {
    const float value = bytes[i];
    row[i] = value;
  }
}

}  // namespace boardlab
