// The evaluator over a neural net that runs on the CPU: a question about a leaf does not leave C++.
#pragma once

#include "evaluators/leaf_batch.h"
#include "net/program.h"

namespace boardlab {

struct NetOptions {
  Inputs inputs = Inputs::PLANES;
  // A value is offset + factor * tanh(output), without the tanh where `squashes` is off.
  bool squashes = true;
  float factor = 1, offset = 0;
  int threads = 1;  // of its own, which share large batches
};

// The program's outputs are values, of the player to move and then of those who follow, and, where there is a second
// one, logits. Clones share the program.
class NetEvaluator final : public BatchEvaluator {
 public:
  // Throws std::invalid_argument where the program does not fit the game.
  NetEvaluator(GamePtr game, int outcome, std::shared_ptr<const net::Program> program, NetOptions options);
  std::unique_ptr<Evaluator> clone() const override {
    return std::make_unique<NetEvaluator>(game_ptr(), outcome(), program_, options_);
  }

 private:
  static constexpr std::size_t FEWEST_A_THREAD = 128;  // rows: with fewer, waking a thread costs more than it saves

  void judge(LeafBatch &batch, Workers &workers) override;
  Workers &crew(std::size_t rows, Workers &workers);
  void reserve(std::size_t rows);
  void run(LeafBatch &batch, std::size_t begin, std::size_t end);
  void write(const void *state, float *row) const;
  float *logits() { return has_priors() ? logits_.data() : nullptr; }

  std::shared_ptr<const net::Program> program_;
  NetOptions options_;
  Encoding encoding_;
  std::unique_ptr<Workers> own_;  // made for the first large batch
  std::vector<float> inputs_, values_, logits_;
};

}  // namespace boardlab
