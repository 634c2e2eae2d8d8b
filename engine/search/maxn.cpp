#include "search/maxn.h"

#include <algorithm>

namespace boardlab {

MaxNSearch::MaxNSearch(std::unique_ptr<Evaluator> evaluator, MaxNOptions options, std::uint64_t seed)
    : Search(std::move(evaluator), seed),
      options_(options),
      table_(options.table_bytes),
      range_(game().outcome_range(evaluator_->outcome())) {
  if (game().players() == 2 && game().is_zero_sum() && !game().is_hidden() && game().step_reward() == 0 &&
      !game().table().round_over) {
    zero_sum_.emplace(game_ptr(), evaluator_->outcome(), options.table_bytes);
    zero_sum_->evaluator = evaluator_.get();
    zero_sum_->poll = [this] { poll(); };
  }
}

void MaxNSearch::reset(std::uint64_t seed) {
  Search::reset(seed);
  table_.clear();
  if (zero_sum_) zero_sum_->clear();
}

MaxNSearch::Frame &MaxNSearch::frame(std::size_t ply) {
  while (frames_.size() <= ply) {
    check_plies(game(), ply);
    const auto most = static_cast<std::size_t>(game().max_legal());
    frames_.push_back({StateBuffer(game()), std::vector<Action>(most), std::vector<double>(most)});
  }
  return frames_[ply];
}

void MaxNSearch::act(const void *state, Decision &out) {
  out.prepare(game(), state);
  const int player = game().player(state);
  nodes_ = 0;
  const auto players = static_cast<std::size_t>(game().players());
  std::vector<double> vectors(out.actions.size() * players);
  double values[MAX_PLAYERS];
  if (zero_sum_) {
    zero_sum_->begin();
    zero_sum_->rng = Rng(rng.next());
    zero_sum_->set_root(state);
  }
  for (std::size_t i = 0; i < out.actions.size(); ++i) {
    if (zero_sum_) {
      constexpr double INFINITE = PrincipalVariation::INFINITE;
      out.values[i] = zero_sum_->after(out.actions[i], options_.depth, -INFINITE, INFINITE).value;
      vectors[i * players + static_cast<std::size_t>(player)] = out.values[i];
      vectors[i * players + static_cast<std::size_t>(1 - player)] = -out.values[i];
      continue;
    }
    Frame &child = frame(0);
    game().copy(child.state.data(), state);
    game().apply(child.state.data(), out.actions[i]);
    value(0, options_.depth - 1, values);
    values[player] += game().step_reward();
    out.values[i] = values[player];
    std::copy(values, values + players, &vectors[i * players]);
  }
  std::vector<bool> soonest;
  out.choose_best_value(rng, players == 1 && find_soonest(state, out, soonest) ? &soonest : nullptr);
  // Actions that are equal for the mover may differ for the others: report the scores of the chosen one.
  const auto chosen = std::find(out.actions.begin(), out.actions.end(), out.action);
  if (chosen != out.actions.end()) {
    const auto row = static_cast<std::size_t>(chosen - out.actions.begin()) * players;
    std::copy(&vectors[row], &vectors[row] + players, out.scores);
    if (zero_sum_) zero_sum_->add_line(out.action, options_.depth, out.scores[player], out.line);
  }
  out.info.emplace_back("nodes", static_cast<double>(zero_sum_ ? zero_sum_->nodes : nodes_));
  out.info.emplace_back("depth", options_.depth);
}

// Where actions cost nothing, a puzzle would otherwise put its solution off for ever: one twist away it is worth as
// much as three twists away. Searches again from the least depth on, because a deeper search ends with the first
// solution.
bool MaxNSearch::find_soonest(const void *state, const Decision &decision, std::vector<bool> &allowed) {
  const double best = *std::max_element(decision.values.begin(), decision.values.end());
  if (range_.loose || best < range_.max || std::count(decision.values.begin(), decision.values.end(), best) < 2)
    return false;
  allowed.assign(decision.actions.size(), false);
  bool any = false;
  for (int depth = 0; depth < options_.depth && !any; ++depth) {
    for (std::size_t i = 0; i < decision.actions.size(); ++i) {
      if (decision.values[i] != best) continue;
      Frame &child = frame(0);
      game().copy(child.state.data(), state);
      game().apply(child.state.data(), decision.actions[i]);
      double found[MAX_PLAYERS];
      allowed[i] = value(0, depth, found) != CUT && found[0] == best;
      any = any || allowed[i];
    }
  }
  return any;
}

int MaxNSearch::value(std::size_t ply, int depth, double *out) {
  if (++nodes_ % 1024 == 0) poll();
  Frame &here = frame(ply);
  const int players = game().players(), player = game().player(here.state.data());
  if (player == TERMINAL) {
    game().outcome(evaluator_->outcome(), here.state.data(), out);
    return 0;
  }
  // The end of a round is a leaf, like the end of the game: the next round starts afresh.
  const bool is_round_over = game().round_over(here.state.data());
  if (depth <= 0 || is_round_over) {
    evaluator_->value(here.state.data(), rng, out);
    return is_round_over ? 0 : CUT;
  }
  const std::uint64_t key = game().hash(here.state.data());
  if (Entry known;
      table_.find(key, known) && (known.depth == depth || (known.height != CUT && known.height <= depth))) {
    std::copy(known.values, known.values + players, out);
    return known.height;
  }
  int height = 0;
  const auto add = [&height](int below) { height = height == CUT || below == CUT ? CUT : std::max(height, below); };
  Frame &child = frame(ply + 1);
  double values[MAX_PLAYERS];
  if (player == CHANCE) {
    const int n = game().chance(here.state.data(), here.actions.data(), here.probabilities.data());
    std::fill(out, out + players, 0.0);
    for (int i = 0; i < n; ++i) {
      game().copy(child.state.data(), here.state.data());
      game().apply(child.state.data(), here.actions[static_cast<std::size_t>(i)]);
      add(value(ply + 1, depth, values));
      for (int p = 0; p < players; ++p) out[p] += here.probabilities[static_cast<std::size_t>(i)] * values[p];
    }
    for (int p = 0; p < players; ++p)  // six sixths of the maximum are the maximum, without a rounding error
      if (!range_.loose && out[p] >= range_.max - 1e-12 * (range_.max - range_.min)) out[p] = range_.max;
    if (height != CUT) height = std::max(height, 1);
  } else {
    const int n = game().legal(here.state.data(), here.actions.data());
    if (depth == 1 && players == 1 && evaluator_->looks_ahead()) {
      nodes_ += n;
      evaluator_->action_values(here.state.data(), {here.actions.data(), static_cast<std::size_t>(n)}, rng,
                                here.probabilities.data());
      out[0] = *std::max_element(here.probabilities.begin(), here.probabilities.begin() + n);
      return CUT;
    }
    for (int i = 0; i < n; ++i) {
      game().copy(child.state.data(), here.state.data());
      game().apply(child.state.data(), here.actions[static_cast<std::size_t>(i)]);
      const int below = value(ply + 1, depth - 1, values);
      add(below);
      values[player] += game().step_reward();
      if (i > 0 && values[player] <= out[player]) continue;
      std::copy(values, values + players, out);
      if (below != CUT && !range_.loose && out[player] >= range_.max) {
        // The rest cannot be better, and of equals the first is taken. Where other players have values too, that may be
        // an earlier action, which a deeper search finds as good.
        if (players == 1) height = below;
        break;
      }
    }
    if (height != CUT) ++height;
  }
  Entry entry{};
  entry.key = key;
  entry.depth = static_cast<std::int16_t>(depth);
  entry.height = static_cast<std::int16_t>(height);
  std::copy(out, out + players, entry.values);
  table_.store(entry);
  return height;
}

}  // namespace boardlab
