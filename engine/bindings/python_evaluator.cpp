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
                                std::to_string(players) + "]" + (one_column ? " or one number a position" : "") +
                                ", not " + shape_of(values));
  if (logits && (logits->shape(0) != rows || logits->shape(1) != static_cast<std::size_t>(game.action_count())))
    throw std::invalid_argument("the evaluator's logits must have the shape [" + std::to_string(rows) + ", " +
                                std::to_string(game.action_count()) + "], not " + shape_of(*logits));
  return {values.data(), values.shape(1), logits ? logits->data() : nullptr};
}

PythonEvaluator::PythonEvaluator(GamePtr game, int outcome, nb::callable judge, std::optional<Inputs> inputs,
                                 bool has_priors)
    : Evaluator(std::move(game), outcome), judge_(std::move(judge)), inputs_(inputs), has_priors_(has_priors) {
  if (inputs) batch_.emplace(Encoding(game_ptr(), *inputs));
}

PythonEvaluator::~PythonEvaluator() {
  const Gil gil;
  judge_.reset();
  batch_.reset();
  legal_ = {};
}

std::unique_ptr<Evaluator> PythonEvaluator::clone() const {
  const Gil gil;
  return std::make_unique<PythonEvaluator>(game_ptr(), outcome(), judge_, inputs_, has_priors_);
}

std::size_t PythonEvaluator::take_rows(std::span<const Question> questions, Rng &rng) {
  std::size_t n = 0;
  for (const Question &q : questions) {
    if (n == rows_.size()) {
      rows_.emplace_back();
      rows_.back().state = StateBuffer(game());
    }
    Row &row = rows_[n];
    void *state = row.state.data();
    game().copy(state, q.state);
    while ((row.mover = game().player(state)) == CHANCE && !game().round_over(state))
      game().apply(state, game().sample_chance(state, rng));
    if (row.mover < 0) {  // the end of the game or of the round
      game().outcome(outcome(), state, q.value);
      continue;
    }
    row.legal.resize(static_cast<std::size_t>(game().max_legal()));
    row.legal.resize(static_cast<std::size_t>(game().legal(state, row.legal.data())));
    row.question = &q;
    ++n;
  }
  return n;
}

template <class Read>
void PythonEvaluator::consult(std::size_t rows, const nb::object &inputs, const nb::object &legal, const Read &read) {
  if (!judge_.is_valid()) throw std::invalid_argument("this evaluator has been taken apart by the garbage collector");
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
  if (has_priors_ && !logits) throw std::invalid_argument("the evaluator has priors but returned no logits");
  read(checked_answers(game(), rows, values, logits));
}

void PythonEvaluator::ask(std::size_t rows) {
  if (rows == 0) return;
  const auto actions = static_cast<std::size_t>(game().action_count());
  {
    const Gil gil;
    if (batch_)
      batch_->reserve(rows);
    else
      legal_.reserve(rows * actions);
  }
  for (std::size_t i = 0; i < rows && batch_; ++i)
    batch_->encoding().write(rows_[i].state.data(), rows_[i].legal, batch_->input_row(i), batch_->legal_row(i));
  const Gil gil;
  nb::object inputs, legal;
  if (batch_) {
    inputs = batch_->inputs(rows);
    legal = batch_->legal(rows);
  } else {
    nb::list states;
    auto *flags = reinterpret_cast<bool *>(legal_.data());
    std::fill_n(flags, rows * actions, false);
    for (std::size_t i = 0; i < rows; ++i) {
      auto view = std::make_shared<PyState>(game_ptr());
      game().copy(view->data(), rows_[i].state.data());
      states.append(view);
      for (const Action a : rows_[i].legal) flags[i * actions + static_cast<std::size_t>(a)] = true;
    }
    inputs = states;
    const std::size_t shape[2] = {rows, actions};
    legal = legal_.view<bool>(shape);
  }
  consult(rows, inputs, legal, [&](const Answers &answers) {
    for (std::size_t i = 0; i < rows; ++i) {
      const Question &q = *rows_[i].question;
      // A row beyond a chance node has other actions than the question.
      answers.read(game(), i, rows_[i].mover, q.actions, q.value, q.actions.empty() ? nullptr : q.priors);
      if (game().table().round_over) add_score_so_far(game(), outcome(), rows_[i].state.data(), q.value);
    }
  });
}

void PythonEvaluator::value(const void *state, Rng &rng, double *out) {
  const Question q{state, {}, out, nullptr};
  ask(take_rows({&q, 1}, rng));
}

void PythonEvaluator::action_values(const void *state, std::span<const Action> actions, Rng &rng, double *out) {
  const auto players = static_cast<std::size_t>(game().players());
  const auto player = static_cast<std::size_t>(game().player(state));
  while (children_.size() < actions.size()) children_.emplace_back(game());
  child_values_.resize(actions.size() * players);
  child_questions_.clear();
  for (std::size_t i = 0; i < actions.size(); ++i) {
    void *child = children_[i].data();
    game().copy(child, state);
    game().apply(child, actions[i]);
    child_questions_.push_back({child, {}, &child_values_[i * players], nullptr});
  }
  ask(take_rows(child_questions_, rng));
  for (std::size_t i = 0; i < actions.size(); ++i) out[i] = child_values_[i * players + player] + game().step_reward();
}

void PythonEvaluator::priors(const void *state, std::span<const Action> actions, Rng &rng, double *out) {
  if (!has_priors_) return Evaluator::priors(state, actions, rng, out);
  double unused[MAX_PLAYERS];
  const Question q{state, actions, unused, out};
  ask(take_rows({&q, 1}, rng));
}

void PythonEvaluator::answer(std::span<const Question> questions, Rng &rng) {
  ask(take_rows(questions, rng));
  if (has_priors_) return;
  for (const Question &q : questions)
    if (q.priors && !q.actions.empty()) Evaluator::priors(q.state, q.actions, rng, q.priors);
}

void PythonEvaluator::values(std::span<const std::byte> states, Workers &workers, Rng &rng, double *out) {
  if (!batch_) return Evaluator::values(states, workers, rng, out);
  const std::size_t size = game().state_size(), rows = states.size() / size;
  if (rows == 0) return;
  {
    const Gil gil;
    batch_->reserve(rows);
  }
  workers.run(rows, [&](std::size_t begin, std::size_t end) {
    std::vector<Action> legal(static_cast<std::size_t>(game().max_legal()));
    for (std::size_t i = begin; i < end; ++i) {
      const void *state = states.data() + i * size;
      const auto n = static_cast<std::size_t>(game().legal(state, legal.data()));
      batch_->encoding().write(state, {legal.data(), n}, batch_->input_row(i), batch_->legal_row(i));
    }
  });
  const Gil gil;
  consult(rows, batch_->inputs(rows), batch_->legal(rows), [&](const Answers &answers) {
    const auto players = static_cast<std::size_t>(game().players());
    for (std::size_t i = 0; i < rows; ++i) {
      const void *state = states.data() + i * size;
      answers.read(game(), i, game().player(state), {}, out + i * players, nullptr);
      if (game().table().round_over) add_score_so_far(game(), outcome(), state, out + i * players);
    }
  });
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
