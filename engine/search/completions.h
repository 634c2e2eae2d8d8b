// ExpectimaxN with hidden cards: searches every way to fill in what the player does not see with open cards, and
// averages the values of an action by the probabilities of these completions.
//
// It is exact about the deal and optimistic about knowledge: inside a completion everybody sees everything, so nobody
// bluffs and the searcher overrates what it will know later (strategy fusion).
#pragma once

#include <deque>

#include "search/search.h"

namespace boardlab {

struct CompletionsOptions {
  int depth = 2;      // actions; chance does not count
  int worlds = 4096;  // the most completions to search; if there are more, they are drawn at random
};

class CompletionsSearch final : public Search {
 public:
  CompletionsSearch(std::unique_ptr<Evaluator> evaluator, CompletionsOptions options, std::uint64_t seed)
      : Search(std::move(evaluator), seed), options_(options) {}
  void act(const void *state, Decision &out) override;
  std::unique_ptr<Search> clone() const override {
    return std::make_unique<CompletionsSearch>(evaluator_->clone(), options_, 0);
  }

 private:
  // A chance node with more outcomes is replaced by one of them: the three cards of a flop have 117,600.
  static constexpr int MOST_OUTCOMES = 16;

  struct Frame {
    StateBuffer state;
    std::vector<Action> actions;
    std::vector<double> probabilities;
  };
  void value(std::size_t ply, int depth, double *out);
  Frame &frame(std::size_t ply);

  CompletionsOptions options_;
  std::deque<Frame> frames_;  // grows, never moves
  std::int64_t nodes_ = 0;
  bool sampled_ = false;
};

}  // namespace boardlab
