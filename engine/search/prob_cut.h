// Multi-ProbCut (Buro 1995, 1997): a shallow search predicts the value of a deep one, and where even a pessimistic
// prediction lies outside the window the deep search is spared. How well it predicts is learned from the evaluator's
// own searches of positions out of self-play, for every stage of the game and pair of depths.
#pragma once

#include <algorithm>
#include <memory>
#include <vector>

#include "evaluators/evaluator.h"

namespace boardlab {

class ProbCut {
 public:
  static constexpr int LEAST_DEPTH = 3;

  // deep value = slope * shallow value + offset, give or take the deviation.
  struct Line {
    double slope = 1, offset = 0, deviation = 0;
    int samples = 0;
    double at(double x) const { return slope * x + offset; }
  };
  struct Fit : Line {
    int shallow = 0;
    Line guess;  // the shallow value from the evaluator's
  };

  // Searches some hundred positions out of self-play. `width` is how many deviations a prediction must be clear of the
  // window; depths up to `depth` will be asked for. The same seed gives the same cuts.
  static std::shared_ptr<const ProbCut> learn(const Evaluator &evaluator, double width, int depth, std::uint64_t seed,
                                              const Poll &poll);

  // Half the depth and of the same parity: odd and even depths differ by who has the last word. Never more than 4: the
  // deepest searches are predicted little better by more, which costs much more.
  static int shallow_depth(int depth) {
    const int half = std::min(depth / 2, 4);
    return (half - depth) % 2 == 0 ? half : half - 1;
  }
  // Null where nothing reliable was found, or the depth is too small to be worth a cut.
  const Fit *fit(int stage, int depth) const;

  // What a shallow search must reach for the deep one to be believed at or above beta (at or below alpha); infinite
  // where it never could.
  double shallow_for_beta(const Fit &fit, double beta) const {
    return bounded((beta + width_ * fit.deviation - fit.offset) / fit.slope);
  }
  double shallow_for_alpha(const Fit &fit, double alpha) const {
    return bounded((alpha - width_ * fit.deviation - fit.offset) / fit.slope);
  }

 private:
  ProbCut(const Game &game, int outcome, double width, int depth);
  double bounded(double bound) const;

  double width_;
  Range range_;
  int depth_;
  std::vector<Fit> fits_;  // [stage][depth]
};

}  // namespace boardlab
