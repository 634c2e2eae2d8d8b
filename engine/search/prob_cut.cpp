#include "search/prob_cut.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "search/principal.h"

namespace boardlab {

namespace {

constexpr int MEASURED_DEPTH = 6;  // deeper searches are taken to be predicted as well as the deepest measured ones
constexpr int POSITIONS = 400;     // in all; some milliseconds each
constexpr int LEAST_SAMPLES = 12;  // of a stage, else all stages are taken together
constexpr double RANDOM_ACTIONS = 0.25;  // so that positions differ
constexpr double TAKEN = 0.1;            // of the positions of a game: neighbours say the same thing twice

struct Sample {
  int stage;
  double values[MEASURED_DEPTH + 1];
};

// Least squares.
ProbCut::Fit line(const std::vector<Sample> &samples, int stage, int shallow, int deep) {
  double n = 0, x = 0, y = 0, xx = 0, xy = 0, yy = 0;
  for (const Sample &s : samples) {
    if (stage >= 0 && s.stage != stage) continue;
    const double a = s.values[shallow], b = s.values[deep];
    n += 1;
    x += a;
    y += b;
    xx += a * a;
    xy += a * b;
    yy += b * b;
  }
  ProbCut::Fit fit;
  fit.shallow = shallow;
  fit.samples = static_cast<int>(n);
  if (n < 3) return fit;
  const double var_x = xx - x * x / n, cov = xy - x * y / n, var_y = yy - y * y / n;
  fit.slope = var_x > 1e-12 ? cov / var_x : 1;
  fit.offset = (y - fit.slope * x) / n;
  fit.deviation = std::sqrt(std::max(var_y - fit.slope * cov, 0.0) / (n - 2));
  return fit;
}

}  // namespace

ProbCut::ProbCut(const Game &game, int outcome, double width, int depth)
    : width_(width),
      range_(game.outcome_range(outcome)),
      depth_(depth),
      fits_(static_cast<std::size_t>(game.stages()) * static_cast<std::size_t>(depth + 1)) {}

const ProbCut::Fit *ProbCut::fit(int stage, int depth) const {
  if (depth < LEAST_DEPTH || depth > depth_) return nullptr;
  const Fit &found =
      fits_[static_cast<std::size_t>(stage) * static_cast<std::size_t>(depth_ + 1) + static_cast<std::size_t>(depth)];
  // A flat or falling line predicts nothing.
  return found.samples >= 3 && found.slope > 0.25 ? &found : nullptr;
}

double ProbCut::bounded(double bound) const {
  const double margin = range_.max - range_.min;  // evaluators may go beyond the range, but not by far
  const bool possible = range_.loose || (bound > range_.min - margin && bound < range_.max + margin);
  return possible ? bound : std::numeric_limits<double>::infinity();
}

std::shared_ptr<const ProbCut> ProbCut::learn(const Evaluator &evaluator, double width, int depth, std::uint64_t seed,
                                              const Poll &poll) {
  const std::unique_ptr<Evaluator> asked = evaluator.clone();
  asked->poll = poll;
  const Game &game = asked->game();
  PrincipalVariation search(asked->game_ptr(), asked->outcome(), 16u << 20);
  search.evaluator = asked.get();
  search.poll = poll;
  Rng rng(derive_seed(seed, 91));
  StateBuffer state(game);
  std::vector<Action> actions(static_cast<std::size_t>(game.max_legal()));
  std::vector<double> values(actions.size());
  std::vector<Sample> samples;
  const int measured = std::min(depth, MEASURED_DEPTH);
  for (int games = 0; games < 4 * POSITIONS && static_cast<int>(samples.size()) < POSITIONS; ++games) {
    game.initial_state(state.data(), rng);
    while (game.player(state.data()) != TERMINAL) {
      const auto n = static_cast<std::size_t>(game.legal(state.data(), actions.data()));
      if (n > 1 && rng.unit() < TAKEN) {
        Sample sample{game.stage(state.data()), {}};
        search.begin();
        search.set_root(state.data());
        bool is_open = true;
        for (int d = 1; d <= measured && is_open; ++d) {
          const auto found = search.value(d, -PrincipalVariation::INFINITE, PrincipalVariation::INFINITE);
          sample.values[d] = found.value;
          is_open = found.height == PrincipalVariation::CUT;  // what is proven needs no prediction
        }
        if (is_open) samples.push_back(sample);
      }
      std::size_t chosen = rng.below(static_cast<std::uint32_t>(n));
      if (rng.unit() >= RANDOM_ACTIONS) {
        asked->action_values(state.data(), {actions.data(), n}, rng, values.data());
        chosen = static_cast<std::size_t>(std::max_element(values.data(), values.data() + n) - values.data());
      }
      game.apply(state.data(), actions[chosen]);
      poll();
    }
  }
  std::shared_ptr<ProbCut> result(new ProbCut(game, asked->outcome(), width, depth));
  for (int stage = 0; stage < game.stages(); ++stage) {
    for (int d = LEAST_DEPTH; d <= depth; ++d) {
      const int deep = d <= measured ? d : measured - (d - measured) % 2;
      if (deep < LEAST_DEPTH) continue;
      Fit fit = line(samples, stage, shallow_depth(deep), deep);
      if (fit.samples < LEAST_SAMPLES) fit = line(samples, -1, shallow_depth(deep), deep);
      fit.shallow = shallow_depth(d);
      result
          ->fits_[static_cast<std::size_t>(stage) * static_cast<std::size_t>(depth + 1) + static_cast<std::size_t>(d)] =
          fit;
    }
  }
  return result;
}

}  // namespace boardlab
