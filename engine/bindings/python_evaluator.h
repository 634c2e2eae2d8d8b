// An evaluator written in Python: a callable that gets a batch of positions as arrays and returns arrays.
#pragma once

#include <optional>

#include "bindings/searches.h"
#include "evaluators/leaf_batch.h"

namespace boardlab {

// Memory shared with Python. It lives as long as the last array over it.
class SharedBuffer {
 public:
  // Keeps the present memory if it is large enough.
  void reserve(std::size_t bytes);
  std::byte *data() { return data_; }
  // An array over the beginning of the memory.
  template <class T>
  nb::object view(std::span<const std::size_t> shape) const {
    return nb::cast(
        nb::ndarray<nb::numpy, T>(reinterpret_cast<T *>(data_), shape.size(), shape.data(), nb::handle(owner_)));
  }

 private:
  nb::object owner_;
  std::byte *data_ = nullptr;
  std::size_t bytes_ = 0;
};

// The two arrays that show a batch: inputs [rows, ...] and legal [rows, actions].
class ArrayBatch {
 public:
  explicit ArrayBatch(Encoding encoding) : encoding_(std::move(encoding)) {}
  void reserve(std::size_t rows);  // with the GIL
  std::byte *input_row(std::size_t row) { return inputs_.data() + row * encoding_.row_bytes(); }
  bool *legal_row(std::size_t row) { return reinterpret_cast<bool *>(legal_.data()) + row * encoding_.actions(); }
  const Encoding &encoding() const { return encoding_; }
  nb::object inputs(std::size_t rows) const;
  nb::object legal(std::size_t rows) const;

 private:
  Encoding encoding_;
  SharedBuffer inputs_, legal_;
};

Inputs inputs_named(const std::string &name);

using FloatMatrix = nb::ndarray<const float, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

// `values` [rows, 1 or players] and `logits` [rows, actions] (or None), checked; both must outlive the answers.
Answers checked_answers(const Game &game, std::size_t rows, const FloatMatrix &values,
                        const std::optional<FloatMatrix> &logits);

class PythonEvaluator final : public BatchEvaluator {
 public:
  // `judge`(inputs, legal) or, without an encoding, judge(list of states, legal) returns (values, logits or None):
  // float arrays with two dimensions.
  PythonEvaluator(GamePtr game, int outcome, nb::callable judge, std::optional<Inputs> inputs, bool has_priors);
  ~PythonEvaluator() override;
  std::unique_ptr<Evaluator> clone() const override;

  // For Python's garbage collector: a net whose method is the judge may hold the agent that calls it.
  int traverse(visitproc visit, void *arg) const {
    Py_VISIT(judge_.ptr());
    return 0;
  }
  void forget() { judge_.reset(); }

 private:
  void judge(LeafBatch &batch, Workers &workers) override;
  void reserve(std::size_t rows);
  void write(LeafBatch &batch, std::size_t begin, std::size_t end);
  nb::object states(LeafBatch &batch) const;
  // Calls the judge, with the GIL, and reads its checked answers.
  void consult(LeafBatch &batch, const nb::object &inputs, const nb::object &legal);

  nb::callable judge_;
  std::optional<Inputs> inputs_;
  std::optional<ArrayBatch> arrays_;
  SharedBuffer legal_;  // beside a list of states
};

void bind_python_evaluator(nb::module_ &m);

}  // namespace boardlab
