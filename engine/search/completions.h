// ExpectimaxN with hidden cards: every way to fill in what the player does not see is searched with open cards, and the
// values of an action are averaged with the probabilities of these completions.
//
// Exact about the deal, optimistic about knowledge: inside a completion everybody sees everything, so that nobody
// bluffs and the searcher overrates what it will know later (strategy fusion).
#pragma once

#include <deque>

#include "search/search.h"

namespace boardlab {

struct CompletionsOptions {
  int depth = 2;      // actions; chance does not count
  int worlds = 4096;  // when more completions fit, so many are drawn
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
  // A chance node with more outcomes is played on with one of them: three cards of a flop would be 117,600.
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
