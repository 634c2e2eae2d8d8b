// Positions on their way to a judge that sees a batch as rows of arrays, and its answers on their way back.
#pragma once

#include <memory>
#include <vector>

#include "evaluators/encoding.h"
#include "evaluators/evaluator.h"

namespace boardlab {

// One position of a batch. A judge is asked about positions that belong to a player: at a chance node nature moves on
// first, at random.
class LeafRow {
 public:
  explicit LeafRow(const Game &game) : beyond_(game), legal_(static_cast<std::size_t>(game.max_legal())) {}

  // Prepares the row for `leaf`, which must outlive it. Returns false where the game ends before a player moves, or the
  // round does and `ends_with_round` is set: then asked() is that end, and its outcome the answer.
  bool take(const Game &game, const void *leaf, bool ends_with_round, Rng &rng) {
    leaf_ = leaf;
    mover_ = game.player(leaf);
    is_beyond_chance_ = mover_ == CHANCE;
    if (is_beyond_chance_) pass_chance(game, ends_with_round, rng);
    return mover_ >= 0;
  }
  // Call before legal() where the judge or the tree needs the legal actions.
  void find_legal(const Game &game) { count_ = static_cast<std::size_t>(game.legal(asked(), legal_.data())); }

  const void *asked() const { return is_beyond_chance_ ? beyond_.data() : leaf_; }  // the position to judge
  bool is_beyond_chance() const { return is_beyond_chance_; }                       // asked() is not the leaf itself
  int mover() const { return mover_; }
  std::span<const Action> legal() const { return {legal_.data(), count_}; }  // in asked()

 private:
  void pass_chance(const Game &game, bool ends_with_round, Rng &rng);

  const void *leaf_ = nullptr;
  StateBuffer beyond_;
  std::vector<Action> legal_;  // room for all; the first `count_` are in use
  std::size_t count_ = 0;
  int mover_ = TERMINAL;
  bool is_beyond_chance_ = false;
};

// The rows of one batch of questions. It keeps its memory from one batch to the next.
class LeafBatch {
 public:
  LeafBatch(GamePtr game, int outcome) : game_(std::move(game)), outcome_(outcome) {}

  // Makes a row of every question; those that the rules answer are answered here instead. The questions must outlive
  // the batch.
  void take(std::span<const Question> questions, Rng &rng);
  std::size_t size() const { return size_; }
  LeafRow &row(std::size_t i) { return rows_[i]; }
  // Answers the questions; throws std::invalid_argument where a number is not finite.
  void read(const Answers &answers);

 private:
  GamePtr game_;
  int outcome_;
  std::vector<LeafRow> rows_;
  std::vector<const Question *> questions_;  // one a row
  std::size_t size_ = 0;
};

// An evaluator that judges batches of rows: a neural net, a function in Python.
class BatchEvaluator : public Evaluator {
 public:
  BatchEvaluator(GamePtr game, int outcome, bool has_priors)
      : Evaluator(std::move(game), outcome), batch_(game_ptr(), outcome), has_priors_(has_priors) {}

  void value(const void *state, Rng &rng, double *out) override;
  void action_values(const void *state, std::span<const Action> actions, Rng &rng, double *out) override;
  void priors(const void *state, std::span<const Action> actions, Rng &rng, double *out) override;
  void answer(std::span<const Question> questions, Rng &rng) override;
  void values(std::span<const std::byte> states, Workers &workers, Rng &rng, double *out) override;
  bool batches() const override { return true; }
  bool has_priors() const override { return has_priors_; }
  bool has_policy() const override { return has_priors_; }

 protected:
  // Judges all rows of a batch that has one at least, and calls batch.read(). The workers may help.
  virtual void judge(LeafBatch &batch, Workers &workers) = 0;

 private:
  void ask(std::span<const Question> questions, Workers &workers, Rng &rng);

  LeafBatch batch_;
  bool has_priors_;
  Workers alone_{1};
  std::vector<StateBuffer> children_;
  std::vector<Question> child_questions_, state_questions_;
  std::vector<double> child_values_;
};

}  // namespace boardlab
