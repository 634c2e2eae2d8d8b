// Multi-ProbCut (Buro 1995, 1997): a shallow search predicts the value of a deep one, and if even a pessimistic
// prediction lies outside the window, the deep search is skipped. The predictions are fitted to searches of self-play
// positions with the same evaluator, for every stage of the game and pair of depths.
#pragma once

#include <algorithm>
#include <memory>
#include <vector>

#include "evaluators/evaluator.h"

namespace boardlab {

class ProbCut {
 public:
  static constexpr int LEAST_DEPTH = 3;

  // deep value = slope * shallow value + offset, with this standard deviation.
  struct Line {
    double slope = 1, offset = 0, deviation = 0;
    int samples = 0;
    double at(double x) const { return slope * x + offset; }
  };
  struct Fit : Line {
    int shallow = 0;
    Line guess;  // of the shallow value by the evaluator's
  };

  // Searches some hundred positions of self-play. `width` is the number of standard deviations by which a prediction
  // must miss the window; `depth` is the greatest depth to predict. The same seed gives the same cuts.
  static std::shared_ptr<const ProbCut> learn(const Evaluator &evaluator, double width, int depth, std::uint64_t seed,
                                              const Poll &poll);

  // Half the depth, and of the same parity: odd and even depths differ in who moves last. At most 4: more costs much
  // and predicts the deepest searches little better.
  static int shallow_depth(int depth) {
    const int half = std::min(depth / 2, 4);
    return (half - depth) % 2 == 0 ? half : half - 1;
  }
  // Null if there is no reliable fit, or the depth is too small to be worth a cut.
  const Fit *fit(int stage, int depth) const;

  // The shallow value that predicts a deep one at or above beta (at or below alpha); infinite if no value does.
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
