#include "search/prob_cut.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "search/principal.h"

namespace boardlab {

namespace {

constexpr int MEASURED_DEPTH = 8;
constexpr int POSITIONS = 400;  // in total
// All positions are searched to depth 6, which takes some milliseconds each; the first ones deeper, as long as these
// nodes last.
constexpr int USUAL_DEPTH = 6;
constexpr std::int64_t DEEP_NODES = 4'000'000;
constexpr int LEAST_SAMPLES = 20;        // of a stage and its neighbours
constexpr double RANDOM_ACTIONS = 0.25;  // share of random actions, so that positions differ
constexpr double TAKEN = 0.1;            // share of the positions of a game: neighbours are too much alike

struct Sample {
  int stage, depth;
  double values[MEASURED_DEPTH + 1];
};

// Least squares.
ProbCut::Line line(const std::vector<Sample> &samples, int from, int to, int shallow, int deep) {
  double n = 0, x = 0, y = 0, xx = 0, xy = 0, yy = 0;
  for (const Sample &s : samples) {
    if (s.stage < from || s.stage > to || s.depth < deep) continue;
    const double a = s.values[shallow], b = s.values[deep];
    n += 1;
    x += a;
    y += b;
    xx += a * a;
    xy += a * b;
    yy += b * b;
  }
  ProbCut::Line fit;
  fit.samples = static_cast<int>(n);
  if (n < 3) return fit;
  const double var_x = xx - x * x / n, cov = xy - x * y / n, var_y = yy - y * y / n;
  fit.slope = var_x > 1e-12 ? cov / var_x : 1;
  fit.offset = (y - fit.slope * x) / n;
  fit.deviation = std::sqrt(std::max(var_y - fit.slope * cov, 0.0) / (n - 2));
  return fit;
}

// The samples of one stage, with as many stages before and after it as it takes to have enough.
ProbCut::Line stage_line(const std::vector<Sample> &samples, int stages, int stage, int shallow, int deep) {
  ProbCut::Line fit;
  for (int around = 0; around < stages && fit.samples < LEAST_SAMPLES; ++around)
    fit = line(samples, stage - around, stage + around, shallow, deep);
  return fit;
}

// Beyond the deepest searches measured often enough, every two actions are assumed to add as much variance as the last
// two measured: predictions get worse with distance, but slowly.
ProbCut::Fit predict(const std::vector<Sample> &samples, int stages, int stage, int depth) {
  const int shallow = ProbCut::shallow_depth(depth);
  ProbCut::Fit fit;
  fit.shallow = shallow;
  fit.guess = stage_line(samples, stages, stage, 0, shallow);
  for (int deep = std::min(depth, MEASURED_DEPTH - (MEASURED_DEPTH - depth) % 2); deep > shallow; deep -= 2) {
    static_cast<ProbCut::Line &>(fit) = stage_line(samples, stages, stage, shallow, deep);
    if (fit.samples < LEAST_SAMPLES) continue;
    if (deep == depth) break;
    const double variance = fit.deviation * fit.deviation;
    double step = variance;
    if (deep - 2 > shallow) {
      const double before = stage_line(samples, stages, stage, shallow, deep - 2).deviation;
      step = std::max(variance - before * before, 0.1 * variance);
    }
    fit.deviation = std::sqrt(variance + step * (depth - deep) / 2);
    break;
  }
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
  const double margin = range_.max - range_.min;  // evaluators may leave the range, but not by far
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
  std::int64_t deep_nodes = DEEP_NODES;
  for (int games = 0; games < 4 * POSITIONS && static_cast<int>(samples.size()) < POSITIONS; ++games) {
    game.initial_state(state.data(), rng);
    while (game.player(state.data()) != TERMINAL) {
      const auto n = static_cast<std::size_t>(game.legal(state.data(), actions.data()));
      if (n > 1 && rng.unit() < TAKEN) {
        Sample sample{game.stage(state.data()), 0, {}};
        const int most = std::min(depth, deep_nodes > 0 ? MEASURED_DEPTH : USUAL_DEPTH);
        search.begin();
        search.set_root(state.data());
        double judged[MAX_PLAYERS];
        asked->value(state.data(), rng, judged);
        sample.values[0] = judged[game.player(state.data())];
        bool is_open = true;
        for (int d = 1; d <= most && is_open; ++d) {
          const std::int64_t nodes = search.nodes;
          const auto found = search.value(d, -PrincipalVariation::INFINITE, PrincipalVariation::INFINITE);
          if (d > USUAL_DEPTH) deep_nodes -= search.nodes - nodes;
          sample.values[d] = found.value;
          sample.depth = d;
          is_open = found.height == PrincipalVariation::CUT;  // a proven value needs no prediction
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
  for (int stage = 0; stage < game.stages(); ++stage)
    for (int d = LEAST_DEPTH; d <= depth; ++d)
      result
          ->fits_[static_cast<std::size_t>(stage) * static_cast<std::size_t>(depth + 1) + static_cast<std::size_t>(d)] =
          predict(samples, game.stages(), stage, d);
  return result;
}

}  // namespace boardlab
