#include "search/nrpa.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace boardlab {

namespace {
// Limits of exp(weight): sums and products stay finite, and no probability becomes zero for good.
constexpr double SMALLEST = 1e-250, LARGEST = 1e250;
constexpr std::uint64_t MOST_CODES = 1u << 26;
}  // namespace

void NrpaSearch::Sequence::clear() {
  score = 0;
  actions.clear();
  chosen.clear();
  codes.clear();
  ends.clear();
}

NrpaSearch::NrpaSearch(GamePtr the_game, NrpaOptions options, std::uint64_t seed)
    : Search(std::move(the_game), seed),
      options_(options),
      length_(
          static_cast<std::size_t>(options.depth > 0 ? std::min(options.depth, game().horizon()) : game().horizon())),
      root_(game()),
      state_(game()),
      levels_(static_cast<std::size_t>(options.level) + 1),
      cumulated_(static_cast<std::size_t>(game().max_legal())),
      legal_(cumulated_.size()),
      plan_(game()) {
  if (game().players() != 1 || game().has_chance() || game().is_hidden())
    throw std::invalid_argument("nrpa plans games of one player without chance; " + game().name() +
                                (game().players() != 1 ? " has more players" : " has chance") +
                                ": use mcts, mc or rhea");
  const std::uint64_t codes =
      static_cast<std::uint64_t>(game().action_count()) * (options.by_ply ? static_cast<std::uint64_t>(length_) : 1);
  if (codes > MOST_CODES)
    throw std::invalid_argument("nrpa would need " + std::to_string(codes) + " weights for " + game().name() +
                                "; use code=\"action\" or a smaller depth");
  changes_.assign(codes, 0);
  for (std::size_t i = 1; i < levels_.size(); ++i) levels_[i].policy.assign(codes, 1);
}

void NrpaSearch::reset(std::uint64_t seed) {
  Search::reset(seed);
  plan_.forget();
}

void NrpaSearch::act(const void *state, Decision &out) {
  out.prepare(game(), state);
  if (!plan_.leads_through(state)) make_plan(state);
  plan_.tell(best_.score, out);
  out.info.emplace_back("score", best_.score);
  out.info.emplace_back("length", static_cast<double>(plan_.length()));
  out.info.emplace_back("playouts", static_cast<double>(playouts_));
  out.info.emplace_back("searches", static_cast<double>(searches_));
}

void NrpaSearch::make_plan(const void *state) {
  game().copy(root_.data(), state);
  plan_.forget();
  playouts_ = searches_ = 0;
  deadline_ = Deadline(options_.seconds);
  Level &top = levels_.back();
  try {
    do {
      if (levels_.size() > 1) std::fill(top.policy.begin(), top.policy.end(), 1.0);
      search(levels_.size() - 1);
      ++searches_;
    } while (options_.seconds > 0 && options_.restart);
  } catch (const OutOfTime &) {
  }
  plan_.set(state, best_.actions);
}

// The first playout always finishes: there must be an answer.
void NrpaSearch::keep_best(const Sequence &found) {
  if (playouts_ == 1 || found.score > best_.score) best_ = found;
  if (!deadline_.is_due(playouts_)) return;
  poll();
  if (deadline_.is_over(playouts_)) throw OutOfTime{};
}

void NrpaSearch::search(std::size_t level) {
  Level &here = levels_[level];
  if (level == 0) {
    static const Policy NO_POLICY;
    playout(levels_.size() > 1 ? levels_[1].policy : NO_POLICY, here.best);
    ++playouts_;
    keep_best(here.best);
    return;
  }
  Level &below = levels_[level - 1];
  for (int i = 0; i < options_.iterations; ++i) {
    if (level > 1) std::copy(here.policy.begin(), here.policy.end(), below.policy.begin());
    search(level - 1);
    // An equal score replaces the best: the search moves on instead of staying at the first sequence of that score.
    if (i == 0 || below.best.score >= here.best.score) std::swap(below.best, here.best);
    adapt(here.policy, here.best);
  }
}

void NrpaSearch::playout(const Policy &policy, Sequence &out) {
  out.clear();
  void *state = state_.data();
  game().copy(state, root_.data());
  while (out.actions.size() < length_ && game().player(state) != TERMINAL) {
    const std::size_t ply = out.actions.size(), begin = out.codes.size();
    const auto n = static_cast<std::size_t>(game().legal(state, legal_.data()));
    std::size_t pick;
    if (policy.empty()) {
      pick = rng.below(static_cast<std::uint32_t>(n));
    } else {
      out.codes.resize(begin + n);
      double sum = 0;
      for (std::size_t i = 0; i < n; ++i) {
        const std::uint32_t c = out.codes[begin + i] = code(legal_[i], ply);
        cumulated_[i] = sum += policy[c];
      }
      const double x = rng.unit() * sum;
      pick = 0;
      while (pick + 1 < n && cumulated_[pick] <= x) ++pick;
      out.chosen.push_back(out.codes[begin + pick]);
      out.ends.push_back(begin + n);
    }
    out.actions.push_back(legal_[pick]);
    game().apply(state, legal_[pick]);
  }
  double outcome[MAX_PLAYERS];
  game().outcome(options_.outcome, state, outcome);
  out.score = outcome[0] + game().step_reward() * static_cast<double>(out.actions.size());
}

// Gradient ascent on the probability of the sequence: the weight of each action rises by alpha, and the weights of all
// legal actions fall by alpha times their probability before the step.
void NrpaSearch::adapt(Policy &policy, const Sequence &towards) {
  touched_.clear();
  std::size_t begin = 0;
  for (std::size_t ply = 0; ply < towards.chosen.size(); begin = towards.ends[ply++]) {
    const std::size_t end = towards.ends[ply];
    double sum = 0;
    for (std::size_t i = begin; i < end; ++i) sum += policy[towards.codes[i]];
    const double share = options_.alpha / sum;
    for (std::size_t i = begin; i < end; ++i) {
      const std::uint32_t c = towards.codes[i];
      if (changes_[c] == 0) touched_.push_back(c);
      changes_[c] -= share * policy[c];
    }
    changes_[towards.chosen[ply]] += options_.alpha;
  }
  for (const std::uint32_t c : touched_) {
    policy[c] = std::clamp(policy[c] * std::exp(changes_[c]), SMALLEST, LARGEST);
    changes_[c] = 0;
  }
}

}  // namespace boardlab
