#include "ntuple/davi.h"

#include <algorithm>
#include <stdexcept>

namespace boardlab::ntuple {

DaviLearner::DaviLearner(NetworkPtr network, const TdSettings &settings, std::uint64_t seed)
    : TdLearner(std::move(network), settings, seed),
      range_(game_.outcome_range(settings.outcome)),
      here_(after_states_.make_view()) {
  if (game_.players() != 1 || game_.has_chance() || game_.is_hidden())
    throw std::invalid_argument("value iteration needs a one-player puzzle without chance, which " + game_.name() +
                                " is not");
  if (game_.step_reward() >= 0) throw std::invalid_argument("value iteration needs a negative step reward");
}

// The most overrated action sets the target, so errors would grow from position to position without a bound: no
// position is better than one action before the best end, or worse than the longest way to the worst.
double DaviLearner::possible(double target) const {
  const double best = range_.max - here_.paid, worst = range_.min - here_.paid;
  return std::clamp(target, worst + game_.step_reward() * game_.horizon(), best + game_.step_reward());
}

SelfPlay::Choice DaviLearner::act(void *state, int player) {
  const auto n = static_cast<std::uint32_t>(game_.legal(state, actions_.data()));
  after_states_.set_parent(state, player);
  choose_best(n, nullptr);
  after_states_.read(state, player, here_);
  const double value = after_states_.to_come(here_);
  const double target = best_.paid - here_.paid + game_.step_reward() + settings_.gamma * after_states_.to_come(best_);
  update(here_.set, here_.indices.data(), possible(target) - value, network_->design().squash ? 1 - value * value : 1);
  if (!explores()) {
    game_.copy(state, best_.state.data());
    return {best_action_, false};
  }
  const Action action = actions_[rng.below(n)];
  game_.apply(state, action);
  return {action, true};
}

}  // namespace boardlab::ntuple
