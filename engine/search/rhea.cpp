#include "search/rhea.h"

#include <algorithm>

namespace boardlab {

RheaSearch::RheaSearch(std::unique_ptr<Evaluator> evaluator, RheaOptions options, std::uint64_t seed)
    : Search(std::move(evaluator), seed),
      options_(options),
      range_(game().outcome_range(evaluator_->outcome())),
      state_(game()),
      legal_(static_cast<std::size_t>(game().max_legal())),
      population_(static_cast<std::size_t>(options.population) + 1),
      sums_(static_cast<std::size_t>(game().action_count())),
      counts_(sums_.size()) {
  for (Individual &individual : population_) individual.actions.resize(static_cast<std::size_t>(options.length));
}

void RheaSearch::act(const void *state, Decision &out) {
  out.prepare(game(), state);
  for (const Action action : out.actions)
    sums_[static_cast<std::size_t>(action)] = counts_[static_cast<std::size_t>(action)] = 0;
  const auto kept = static_cast<std::size_t>(options_.population);
  const std::int64_t limit =
      options_.iterations > 0 ? std::max<std::int64_t>(options_.iterations, options_.population) : INT64_MAX;
  deadline_ = Deadline(options_.seconds);
  plays_ = 0;
  const auto worse = [](const Individual &a, const Individual &b) { return a.fitness < b.fitness; };
  std::size_t filled = 0;
  std::int64_t done = 0;
  bool in_time = true;
  for (; in_time && done < limit; ++done) {
    if (filled < kept) {
      Individual &fresh = population_[filled];
      std::fill(fresh.actions.begin(), fresh.actions.end(), NONE);
      in_time = evaluate(state, fresh);
      // There must be an answer: the first sequence counts after any number of playouts.
      if (!in_time && filled > 0) break;
      ++filled;
      continue;
    }
    Individual &child = population_[kept];
    mutate(population_[rng.below(static_cast<std::uint32_t>(kept))], child);
    if (!evaluate(state, child)) break;
    const auto last = population_.begin() + static_cast<std::ptrdiff_t>(kept);
    const auto worst = std::min_element(population_.begin(), last, worse);
    if (child.fitness >= worst->fitness) std::swap(child, *worst);
  }
  // Move the best to the front.
  std::iter_swap(
      population_.begin(),
      std::max_element(population_.begin(), population_.begin() + static_cast<std::ptrdiff_t>(filled), worse));
  report(out, done);
}

// Changes each action with a small probability, but at least one: a copy would be a wasted evaluation.
void RheaSearch::mutate(const Individual &parent, Individual &child) {
  std::copy(parent.actions.begin(), parent.actions.end(), child.actions.begin());
  bool changed = false;
  for (Action &action : child.actions)
    if (rng.unit() < options_.mutation) {
      action = NONE;
      changed = true;
    }
  if (!changed) child.actions[rng.below(static_cast<std::uint32_t>(child.actions.size()))] = NONE;
}

bool RheaSearch::evaluate(const void *state, Individual &individual) {
  const int player = game().player(state), players = game().players();
  double sum[MAX_PLAYERS] = {}, scores[MAX_PLAYERS];
  double fitness = 0;
  int repetitions = 0;
  for (; repetitions < options_.repetitions; ++repetitions, ++plays_) {
    if (deadline_.is_due(plays_)) {
      poll();
      if (deadline_.is_over(plays_) && plays_ > 0) break;
    }
    const double played = play(state, player, individual, scores);
    double value = scores[player];
    if (!range_.loose) {
      // An early win is better than a late one, a late loss better than an early one.
      const double middle = (range_.min + range_.max) / 2;
      value = middle + (value - middle) * (1 - options_.length_penalty * played);
    }
    fitness += value;
    for (int p = 0; p < players; ++p) sum[p] += scores[p];
  }
  const bool in_time = repetitions == options_.repetitions;
  if (!in_time && plays_ > repetitions) return false;
  individual.fitness = fitness / repetitions;
  for (int p = 0; p < players; ++p) individual.scores[p] = sum[p] / repetitions;
  if (individual.actions.front() == NONE) game().contradicts("player");  // the mover never got a turn
  const auto first = static_cast<std::size_t>(individual.actions.front());
  sums_[first] += individual.scores[player];
  counts_[first] += 1;
  return in_time;
}

double RheaSearch::play(const void *state, int player, Individual &individual, double *scores) {
  void *now = state_.data();
  game().copy(now, state);
  game().determinize(now, player, rng);
  const std::size_t length = individual.actions.size();
  double steps[MAX_PLAYERS] = {};
  std::size_t next = 0;
  for (int actions = 0; next < length; ++actions) {
    int mover = game().player(now);
    for (; mover == CHANCE && !(actions > 0 && game().round_over(now)); mover = game().player(now))
      game().apply(now, game().sample_chance(now, rng));
    if (mover == TERMINAL || mover == CHANCE || (actions > 0 && game().round_over(now))) break;
    const int n = game().legal(now, legal_.data());
    Action action = NONE;
    const bool planned = mover == player || options_.plans_for_others;
    if (planned && std::binary_search(legal_.begin(), legal_.begin() + n, individual.actions[next]))
      action = individual.actions[next];
    if (action == NONE) action = legal_[rng.below(static_cast<std::uint32_t>(n))];
    // An illegal action is replaced for good, so that the sequence stays playable.
    if (planned) individual.actions[next++] = action;
    game().apply(now, action);
    steps[mover] += game().step_reward();
  }
  evaluator_->judge(now, rng, scores);
  for (int p = 0; p < game().players(); ++p) scores[p] += steps[p];
  return static_cast<double>(next) / static_cast<double>(length);
}

// The policy is the first action of the best sequence, as in Wang (2021). The value of an action is the mean over all
// sequences that begin with it; the scores are those of the best sequence.
void RheaSearch::report(Decision &out, std::int64_t done) const {
  const Individual &best = population_.front();
  out.action = best.actions.front();
  for (std::size_t i = 0; i < out.actions.size(); ++i) {
    const auto action = static_cast<std::size_t>(out.actions[i]);
    if (counts_[action] > 0) out.values[i] = sums_[action] / counts_[action];
  }
  out.policy[out.index_of(game(), out.action)] = 1;
  std::copy(best.scores, best.scores + game().players(), out.scores);
  out.info.emplace_back("iterations", static_cast<double>(done));
  out.info.emplace_back("fitness", best.fitness);
}

}  // namespace boardlab
