// Several copies of an agent decide, each with its own random stream, and the majority has its way: a root
// parallelisation of any search (GBG's majority vote, Konen 2022).
#pragma once

#include <atomic>

#include "core/workers.h"
#include "search/search.h"

namespace boardlab {

//   policy  the share of the votes
//   values  means over the agents that know a value of the action
//   scores  means over the agents that voted for the action played
//
// Of actions with equally many votes one is drawn. With equal seeds the result does not depend on the threads.
class VoteSearch final : public Search {
 public:
  // Throws std::invalid_argument if the agent cannot be copied.
  VoteSearch(const Search &agent, int agents, int threads, std::uint64_t seed);
  void act(const void *state, Decision &out) override;
  void follow(const void *state) override {
    for (const auto &agent : agents_) agent->follow(state);
  }
  bool needs_history() const override { return agents_[0]->needs_history(); }
  void reset(std::uint64_t seed) override;
  void visit_evaluators(const std::function<void(Evaluator &)> &see) override {
    for (const auto &agent : agents_) agent->visit_evaluators(see);
  }
  std::unique_ptr<Search> clone() const override {
    return std::make_unique<VoteSearch>(*agents_[0], static_cast<int>(agents_.size()),
                                        static_cast<int>(workers_.count()), 0);
  }

 private:
  std::vector<std::unique_ptr<Search>> agents_;
  std::vector<Decision> decisions_;
  Workers workers_;
};

}  // namespace boardlab
