#include "search/alphabeta.h"

#include <algorithm>
#include <chrono>
#include <limits>
#include <numeric>
#include <stdexcept>

namespace boardlab {

namespace {

constexpr double INFINITE = std::numeric_limits<double>::infinity();

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

}  // namespace

AlphaBetaSearch::AlphaBetaSearch(std::unique_ptr<Evaluator> evaluator, AlphaBetaOptions options, std::uint64_t seed)
    : Search(std::move(evaluator), seed), options_(options), table_(options.table_bytes) {
  // A step reward is paid to the mover alone, so that a game which has one is not zero-sum on the way.
  if (game().step_reward() != 0 || game().players() != 2 || !game().is_zero_sum() || game().has_chance() ||
      game().is_hidden())
    throw std::invalid_argument("alphabeta plays two-player zero-sum games without chance and hidden cards; for " +
                                game().name() +
                                (game().is_hidden() ? " use mcts or mc" : " use maxn, expectimax or mcts"));
}

void AlphaBetaSearch::reset(std::uint64_t seed) {
  Search::reset(seed);
  table_.clear();
}

AlphaBetaSearch::Frame &AlphaBetaSearch::frame(std::size_t ply) {
  while (frames_.size() <= ply)
    frames_.push_back({StateBuffer(game()), std::vector<Action>(static_cast<std::size_t>(game().max_legal()))});
  return frames_[ply];
}

void AlphaBetaSearch::act(const void *state, Decision &out) {
  out.prepare(game(), state);
  nodes_ = 0;
  const double start = now();
  std::vector<std::size_t> order(out.actions.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  // Random order among equals, so that games differ.
  for (std::size_t i = order.size(); i > 1; --i)
    std::swap(order[i - 1], order[rng.below(static_cast<std::uint32_t>(i))]);
  std::size_t best = order.front();
  int reached = 0;
  std::vector<double> known = out.values;
  for (int depth = 1; depth <= options_.depth; ++depth) {
    // The first iteration always finishes: there must be an answer.
    deadline_ = options_.seconds > 0 && depth > 1 ? start + options_.seconds : INFINITE;
    try {
      best = search_root(state, depth, order, out);
    } catch (const OutOfTime &) {
      break;
    }
    known = out.values;
    reached = depth;
    std::stable_partition(order.begin(), order.end(), [&](std::size_t i) { return i == best; });
    if (options_.seconds > 0 && now() - start > options_.seconds / 2) break;
  }
  out.values = known;
  out.action = out.actions[best];
  out.policy[best] = 1;
  const int player = game().player(state);
  out.scores[player] = out.values[best];
  out.scores[1 - player] = -out.values[best];
  out.info.emplace_back("nodes", static_cast<double>(nodes_));
  out.info.emplace_back("depth", reached);
}

std::size_t AlphaBetaSearch::search_root(const void *state, int depth, const std::vector<std::size_t> &order,
                                         Decision &out) {
  const int player = game().player(state);
  std::fill(out.values.begin(), out.values.end(), std::numeric_limits<double>::quiet_NaN());
  double best_value = -INFINITE;
  std::size_t best = order.front();
  for (const std::size_t i : order) {
    Frame &child = frame(0);
    game().copy(child.state.data(), state);
    game().apply(child.state.data(), out.actions[i]);
    const double floor = options_.exact ? -INFINITE : best_value;
    const double v =
        sign(player) * (player == 0 ? value(0, depth - 1, floor, INFINITE) : value(0, depth - 1, -INFINITE, -floor));
    if (options_.exact || v > best_value) out.values[i] = v;
    if (v > best_value) {
      best_value = v;
      best = i;
    }
  }
  if (!options_.exact)  // what was beaten later was exact when it was found, but only the best is still compared
    for (std::size_t i = 0; i < out.values.size(); ++i)
      if (i != best) out.values[i] = std::numeric_limits<double>::quiet_NaN();
  return best;
}

double AlphaBetaSearch::value(std::size_t ply, int depth, double alpha, double beta) {
  if (++nodes_ % 1024 == 0) {
    poll();
    if (now() > deadline_) throw OutOfTime{};
  }
  Frame &here = frame(ply);
  const int player = game().player(here.state.data());
  double values[MAX_PLAYERS];
  if (player == TERMINAL) {
    game().outcome(evaluator_->outcome(), here.state.data(), values);
    return values[0];
  }
  if (depth <= 0) {
    evaluator_->value(here.state.data(), rng, values);
    return values[0];
  }
  const std::uint64_t key = game().hash(here.state.data());
  Action first = -1;
  if (const Entry *known = table_.find(key)) {
    first = known->best;
    // The same depth only: a deeper value would be as good, but results would depend on what was searched before.
    if (known->depth == depth) {
      if (known->bound == EXACT || (known->bound == AT_LEAST && known->value >= beta) ||
          (known->bound == AT_MOST && known->value <= alpha))
        return known->value;
    }
  }
  const int n = game().legal(here.state.data(), here.actions.data());
  if (const auto at = std::find(here.actions.begin(), here.actions.begin() + n, first); at != here.actions.begin() + n)
    std::rotate(here.actions.begin(), at, at + 1);
  const bool maximises = player == 0;
  const double alpha_at_start = alpha, beta_at_start = beta;
  double best = maximises ? -INFINITE : INFINITE;
  Action best_action = here.actions[0];
  for (int i = 0; i < n; ++i) {
    Frame &child = frame(ply + 1);
    const Action action = here.actions[static_cast<std::size_t>(i)];
    game().copy(child.state.data(), here.state.data());
    game().apply(child.state.data(), action);
    const double v = value(ply + 1, depth - 1, alpha, beta);
    if (maximises ? v > best : v < best) {
      best = v;
      best_action = action;
    }
    if (maximises)
      alpha = std::max(alpha, best);
    else
      beta = std::min(beta, best);
    if (alpha >= beta) break;
  }
  Entry entry{};
  entry.key = key;
  entry.value = best;
  entry.best = best_action;
  entry.depth = static_cast<std::int16_t>(depth);
  entry.bound = best <= alpha_at_start ? AT_MOST : best >= beta_at_start ? AT_LEAST : EXACT;
  table_.store(entry);
  return best;
}

}  // namespace boardlab
