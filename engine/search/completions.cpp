#include "search/completions.h"

#include <algorithm>

namespace boardlab {

CompletionsSearch::Frame &CompletionsSearch::frame(std::size_t ply) {
  while (frames_.size() <= ply) {
    check_plies(game(), ply);
    const auto most = static_cast<std::size_t>(game().max_legal());
    frames_.push_back({StateBuffer(game()), std::vector<Action>(most), std::vector<double>(most)});
  }
  return frames_[ply];
}

void CompletionsSearch::act(const void *state, Decision &out) {
  out.prepare(game(), state);
  const int player = game().player(state), players = game().players();
  nodes_ = 0;
  std::vector<double> probabilities;
  const std::vector<std::byte> all = game().completions(state, player, options_.worlds, probabilities);
  const bool drawn = all.empty();
  sampled_ = drawn;
  const std::size_t worlds = drawn ? static_cast<std::size_t>(options_.worlds) : probabilities.size();
  const std::size_t n = out.actions.size();
  std::vector<double> means(n * static_cast<std::size_t>(players), 0);
  double values[MAX_PLAYERS];
  Frame &root = frame(0), &child = frame(1);
  for (std::size_t w = 0; w < worlds; ++w) {
    if (drawn) {
      game().copy(root.state.data(), state);
      game().determinize(root.state.data(), player, rng);
    } else {
      game().copy(root.state.data(), all.data() + w * game().state_size());
    }
    const double weight = drawn ? 1 / static_cast<double>(worlds) : probabilities[w];
    for (std::size_t i = 0; i < n; ++i) {
      game().copy(child.state.data(), root.state.data());
      game().apply(child.state.data(), out.actions[i]);
      value(1, options_.depth - 1, values);
      values[player] += game().step_reward();
      for (int p = 0; p < players; ++p)
        means[i * static_cast<std::size_t>(players) + static_cast<std::size_t>(p)] += weight * values[p];
    }
  }
  for (std::size_t i = 0; i < n; ++i)
    out.values[i] = means[i * static_cast<std::size_t>(players) + static_cast<std::size_t>(player)];
  out.choose_best_value(rng);
  const auto chosen =
      static_cast<std::size_t>(std::find(out.actions.begin(), out.actions.end(), out.action) - out.actions.begin());
  std::copy_n(&means[chosen * static_cast<std::size_t>(players)], players, out.scores);
  out.info.emplace_back("nodes", static_cast<double>(nodes_));
  out.info.emplace_back("depth", options_.depth);
  out.info.emplace_back("completions", static_cast<double>(worlds));
  out.info.emplace_back("sampled", sampled_);
}

void CompletionsSearch::value(std::size_t ply, int depth, double *out) {
  if (++nodes_ % 1024 == 0) poll();
  Frame &here = frame(ply);
  const int players = game().players(), player = game().player(here.state.data());
  if (player == TERMINAL) return game().outcome(evaluator_->outcome(), here.state.data(), out);
  // The end of a round is a leaf, like the end of the game: the next round starts afresh.
  if (depth <= 0 || game().round_over(here.state.data())) return evaluator_->value(here.state.data(), rng, out);
  Frame &child = frame(ply + 1);
  double values[MAX_PLAYERS];
  if (player == CHANCE) {
    int n = game().chance(here.state.data(), here.actions.data(), here.probabilities.data());
    if (n > MOST_OUTCOMES) {
      here.actions[0] = game().sample_chance(here.state.data(), rng);
      here.probabilities[0] = 1;
      n = 1;
      sampled_ = true;
    }
    std::fill(out, out + players, 0.0);
    for (std::size_t i = 0; i < static_cast<std::size_t>(n); ++i) {
      game().copy(child.state.data(), here.state.data());
      game().apply(child.state.data(), here.actions[i]);
      value(ply + 1, depth, values);
      for (int p = 0; p < players; ++p) out[p] += here.probabilities[i] * values[p];
    }
    return;
  }
  const int n = game().legal(here.state.data(), here.actions.data());
  for (int i = 0; i < n; ++i) {
    game().copy(child.state.data(), here.state.data());
    game().apply(child.state.data(), here.actions[static_cast<std::size_t>(i)]);
    value(ply + 1, depth - 1, values);
    values[player] += game().step_reward();
    if (i == 0 || values[player] > out[player]) std::copy(values, values + players, out);
  }
}

}  // namespace boardlab
