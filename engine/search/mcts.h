// Monte Carlo tree search over any evaluator: UCT with rollouts, PUCT with priors, one tree for both.
#pragma once

#include "search/deadline.h"
#include "search/search.h"
#include "search/tree.h"

namespace boardlab {

struct MctsOptions {
  std::int64_t iterations = 1000;  // 0 = no limit
  double seconds = 0;              // 0 = no limit
  bool minmax_priors = false;      // values become priors by a min-max map, not by a softmax
  int threads = 1;                 // that grow the tree together; with more than one the result is a matter of luck
  // The action that is played: the most visited one, the best mean value, the highest in the reported policy, or one
  // drawn from policy^(1/temperature). With Gumbel selection "the most visited" is the one that it ends with.
  enum class Choice { VISITS, VALUE, POLICY, SAMPLE } choice = Choice::VISITS;
  double temperature = 1;
  TreeOptions tree;
};

class MctsSearch final : public Search {
 public:
  MctsSearch(std::unique_ptr<Evaluator> evaluator, MctsOptions options, std::uint64_t seed);
  void act(const void *state, Decision &out) override;
  void reset(std::uint64_t seed) override;
  void visit_evaluators(const std::function<void(Evaluator &)> &see) override {
    for (const Worker &worker : workers_) worker.evaluator->visit(see);
  }
  std::unique_ptr<Search> clone() const override {
    return std::make_unique<MctsSearch>(evaluator_->clone(), options_, 0);
  }

 private:
  static constexpr std::int64_t MOST_VISITS = UINT32_MAX - 1;
  static constexpr std::int64_t RANGE_ITERATIONS = 64;  // that one thread makes at most before the others begin

  // What a thread needs for its own descents.
  struct Worker {
    Evaluator *evaluator;
    Rng *rng;
    std::vector<Leaf> leaves;
    std::vector<Question> questions;
  };
  struct alignas(64) Helper {  // no two in one line of the cache: every rollout writes its random state
    std::unique_ptr<Evaluator> evaluator;
    Rng rng;
  };
  class Shared;  // what the threads of one decision share

  std::int64_t grow(const void *state);
  std::int64_t grow_alone(std::int64_t limit, Deadline &deadline);
  std::int64_t grow_together(std::int64_t limit, Deadline &deadline);
  void descend(Worker &worker, std::size_t leaves, bool virtual_loss);
  void evaluate(Worker &worker, std::size_t leaves) const;
  void back_up(Worker &worker, std::size_t leaves);
  void seed_helpers(std::uint64_t seed);
  void report(Decision &out, std::int64_t iterations);
  void report_policy(Decision &out) const;
  std::size_t chosen(const Decision &out);

  MctsOptions options_;
  Tree tree_;
  std::vector<Helper> helpers_;         // of the other threads
  std::vector<Worker> workers_;         // this thread's first
  std::vector<const Node *> children_;  // by legal action; null where the tree has none or proved others better
};

}  // namespace boardlab
