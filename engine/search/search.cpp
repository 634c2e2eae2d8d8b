#include "search/search.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>

#include "search/deadline.h"

namespace boardlab {

namespace {
constexpr double UNKNOWN = std::numeric_limits<double>::quiet_NaN();
}

void Decision::prepare(const Game &game, const void *state) {
  actions.resize(static_cast<std::size_t>(game.max_legal()));
  actions.resize(static_cast<std::size_t>(game.legal(state, actions.data())));
  policy.assign(actions.size(), 0);
  values.assign(actions.size(), UNKNOWN);
  std::fill(std::begin(scores), std::end(scores), UNKNOWN);
  action = -1;  // illegal, so that a search that finds nothing is noticed
  line.clear();
  info.clear();
}

std::size_t Decision::index_of(const Game &game, Action wanted) const {
  const auto at = std::find(actions.begin(), actions.end(), wanted);
  if (at == actions.end()) game.contradicts("legal");
  return static_cast<std::size_t>(at - actions.begin());
}

void Decision::choose_best_value(Rng &rng, const std::vector<bool> *allowed) {
  const auto may = [&](std::size_t i) { return !allowed || (*allowed)[i]; };
  double best = -std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < values.size(); ++i)
    if (may(i)) best = std::max(best, values[i]);
  std::uint32_t equals = 0;
  for (std::size_t i = 0; i < values.size(); ++i) equals += may(i) && values[i] == best;
  std::uint32_t pick = rng.below(equals);
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!may(i) || values[i] != best) continue;
    policy[i] = 1.0 / equals;
    if (pick-- == 0) action = actions[i];
  }
}

void RandomSearch::act(const void *state, Decision &out) {
  out.prepare(game(), state);
  std::fill(out.policy.begin(), out.policy.end(), 1.0 / static_cast<double>(out.actions.size()));
  out.action = out.actions[rng.below(static_cast<std::uint32_t>(out.actions.size()))];
}

namespace {

// Hidden parts of the state are erased. An evaluator that is asked once sees one way to fill them in.
void fill_in(const Game &game, const void *state, StateBuffer &full, Rng &rng) {
  full = StateBuffer(game);
  game.copy(full.data(), state);
  game.determinize(full.data(), game.player(state), rng);
}

void set_mover_score(const Game &game, const void *state, Decision &out) {
  const int player = game.player(state);
  const auto chosen = std::find(out.actions.begin(), out.actions.end(), out.action);
  if (chosen == out.actions.end()) return;
  const double value = out.values[static_cast<std::size_t>(chosen - out.actions.begin())];
  out.scores[player] = value;
  if (game.players() == 2 && game.is_zero_sum()) out.scores[1 - player] = -value;
}

}  // namespace

void GreedySearch::act(const void *state, Decision &out) {
  out.prepare(game(), state);
  StateBuffer full;
  if (game().is_hidden()) {
    fill_in(game(), state, full, rng);
    state = full.data();
  }
  evaluator_->action_values(state, out.actions, rng, out.values.data());
  if (memory_ > 0)
    avoid_visited(state, out);
  else
    out.choose_best_value(rng);
  set_mover_score(game(), state, out);
}

void GreedySearch::avoid_visited(const void *state, Decision &out) {
  const std::uint64_t here = game().hash(state);
  if (here != expected_) visited_.clear();  // not the position it moved to: another game
  const auto is_visited = [&](std::uint64_t hash) {
    const auto from = visited_.size() > static_cast<std::size_t>(memory_) ? visited_.end() - memory_ : visited_.begin();
    return std::find(from, visited_.end(), hash) != visited_.end();
  };
  const auto after = [&](Action action) {
    game().copy(child_.data(), state);
    game().apply(child_.data(), action);
    return game().hash(child_.data());
  };
  allowed_.assign(out.actions.size(), true);
  for (std::size_t i = 0; i < out.actions.size(); ++i) allowed_[i] = !is_visited(after(out.actions[i]));
  const bool any = std::find(allowed_.begin(), allowed_.end(), true) != allowed_.end();
  out.choose_best_value(rng, any ? &allowed_ : nullptr);
  visited_.push_back(here);
  if (out.action >= 0) expected_ = after(out.action);  // no action is the best if every value is NaN
}

void PolicySearch::act(const void *state, Decision &out) {
  out.prepare(game(), state);
  StateBuffer full;
  if (game().is_hidden()) {
    fill_in(game(), state, full, rng);
    state = full.data();
  }
  evaluator_->priors(state, out.actions, rng, out.policy.data());
  auto chosen = std::max_element(out.policy.begin(), out.policy.end());
  if (samples_) {
    double u = rng.unit() * std::accumulate(out.policy.begin(), out.policy.end(), 0.0);
    for (auto p = out.policy.begin(); p != out.policy.end() && u >= 0; u -= *p++)
      if (*p > 0) chosen = p;
  }
  out.action = out.actions[static_cast<std::size_t>(chosen - out.policy.begin())];
}

MonteCarloSearch::MonteCarloSearch(std::unique_ptr<Evaluator> evaluator, std::int64_t iterations, double seconds,
                                   std::uint64_t seed, int threads)
    : Search(std::move(evaluator), seed), iterations_(iterations), seconds_(seconds), workers_(threads) {
  for (int t = 1; t < threads; ++t) helpers_.push_back(evaluator_->clone());
}

void MonteCarloSearch::act(const void *state, Decision &out) {
  out.prepare(game(), state);
  const std::size_t n = out.actions.size(), threads = workers_.count();
  const auto player = static_cast<std::size_t>(game().player(state));
  const auto players = static_cast<std::size_t>(game().players());
  std::vector<Tried> tried(threads);
  std::vector<Rng> streams(threads);
  for (std::size_t t = 1; t < threads; ++t) streams[t] = Rng(derive_seed(rng.word, t));
  failed_ = false;
  workers_.run(threads, [&](std::size_t begin, std::size_t end) {
    for (std::size_t t = begin; t < end; ++t) {
      const auto share = static_cast<std::int64_t>(threads), number = static_cast<std::int64_t>(t);
      const std::int64_t limit = iterations_ * (number + 1) / share - iterations_ * number / share;
      try {
        if (t == 0)
          try_actions(state, out.actions, *evaluator_, rng, limit, t, tried[t]);
        else
          try_actions(state, out.actions, *helpers_[t - 1], streams[t], limit, t, tried[t]);
      } catch (...) {
        failed_ = true;
        throw;
      }
    }
  });
  Tried &all = tried[0];
  for (std::size_t t = 1; t < threads; ++t) {
    all.done += tried[t].done;
    for (std::size_t a = 0; a < n; ++a) {
      all.counts[a] += tried[t].counts[a];
      for (std::size_t p = 0; p < players; ++p) all.sums[a][p] += tried[t].sums[a][p];
    }
  }
  for (std::size_t a = 0; a < n; ++a) out.values[a] = all.sums[a][player] / all.counts[a];
  out.choose_best_value(rng);
  const auto chosen =
      static_cast<std::size_t>(std::find(out.actions.begin(), out.actions.end(), out.action) - out.actions.begin());
  for (std::size_t p = 0; p < players; ++p) out.scores[p] = all.sums[chosen][p] / all.counts[chosen];
  out.info.emplace_back("iterations", static_cast<double>(all.done));
}

void MonteCarloSearch::try_actions(const void *state, const std::vector<Action> &actions, Evaluator &evaluator,
                                   Rng &stream, std::int64_t share, std::size_t thread, Tried &tried) {
  const std::size_t n = actions.size();
  const int player = game().player(state);
  const auto players = static_cast<std::size_t>(game().players());
  tried.sums.resize(n);
  tried.counts.resize(n);
  StateBuffer child(game());
  double values[MAX_PLAYERS];
  const auto least = static_cast<std::int64_t>(n);
  const std::int64_t limit = iterations_ > 0 ? std::max(share, least) : INT64_MAX;
  Deadline deadline(seconds_);
  for (; tried.done < limit; ++tried.done) {
    if (deadline.is_due(tried.done)) {
      if (thread == 0) poll();
      if (failed_ || (tried.done >= least && deadline.is_over(tried.done))) break;
    }
    const std::size_t a = static_cast<std::size_t>(tried.done) % n;
    game().copy(child.data(), state);
    game().determinize(child.data(), player, stream);
    game().apply(child.data(), actions[a]);
    evaluator.judge(child.data(), stream, values);
    values[player] += game().step_reward();
    for (std::size_t p = 0; p < players; ++p) tried.sums[a][p] += values[p];
    tried.counts[a] += 1;
  }
}

}  // namespace boardlab
