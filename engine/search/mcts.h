// Monte Carlo tree search over any evaluator: UCT with rollouts, PUCT with priors, one tree for both.
#pragma once

#include "search/deadline.h"
#include "search/search.h"
#include "search/tree.h"

namespace boardlab {

struct MctsOptions {
  std::int64_t iterations = 1000;  // 0 = no limit
  double seconds = 0;              // 0 = no limit
  bool minmax_priors = false;      // turn values into priors by a min-max map instead of a softmax
  int threads = 1;                 // that grow the tree together; with more than one, results vary from run to run
  // The action to play: the most visited one, the one with the best mean value, the highest in the reported policy, or
  // one drawn from policy^(1/temperature). With Gumbel, VISITS means the action that sequential halving ends with.
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
  static constexpr std::int64_t RANGE_ITERATIONS = 64;  // at most, by one thread before the others begin

  // What a thread needs for its own descents.
  struct Worker {
    Evaluator *evaluator;
    Rng *rng;
    std::vector<Leaf> leaves;
    std::vector<Question> questions;
  };
  struct alignas(64) Helper {  // one per cache line: every rollout writes its random state
    std::unique_ptr<Evaluator> evaluator;
    Rng rng;
  };
  class Shared;  // state shared by the threads of one decision

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
  std::vector<Helper> helpers_;         // for the other threads
  std::vector<Worker> workers_;         // the calling thread's is the first
  std::vector<const Node *> children_;  // by legal action; null if proven worse than another
};

}  // namespace boardlab
