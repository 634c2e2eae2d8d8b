// Monte Carlo tree search over any evaluator: UCT with rollouts, PUCT with priors, one tree for both.
#pragma once

#include "search/search.h"
#include "search/tree.h"

namespace boardlab {

struct MctsOptions {
  std::int64_t iterations = 1000;  // 0 = no limit
  double seconds = 0;              // 0 = no limit
  bool reuse = true;               // keep the subtree of what was played
  int batch = 1;                   // leaves that are evaluated together
  int threads = 1;                 // trees that share the iterations, a thread each; their root visits are added up
  using Policy = RootPolicy;
  Policy policy = Policy::VISITS;  // the distribution that is reported
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
  std::unique_ptr<Search> clone() const override {
    return std::make_unique<MctsSearch>(evaluator_->clone(), options_, 0);
  }

 private:
  static constexpr std::int64_t MOST_VISITS = UINT32_MAX - 1;

  void think(const void *state, Decision &out);
  std::int64_t grow(const void *state);
  std::int64_t grow_together(const void *state);
  void seed_helpers(std::uint64_t seed);
  void iterate(std::int64_t wanted);
  void report(Decision &out, std::int64_t iterations);
  void report_policy(Decision &out) const;
  std::size_t chosen(const Decision &out);

  MctsOptions options_;
  Tree tree_;
  std::vector<Leaf> leaves_;
  std::vector<Question> questions_;
  std::vector<std::unique_ptr<MctsSearch>> helpers_;  // the other threads' trees
  std::vector<const Node *> children_;  // by legal action; null where the tree has none or proved others better
};

}  // namespace boardlab
