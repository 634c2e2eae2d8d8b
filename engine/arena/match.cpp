#include "arena/match.h"

#include <algorithm>
#include <exception>

namespace boardlab {

namespace {

// The seat loses; in a two-player zero-sum game the other one wins, elsewhere the others keep what they have.
void score_as_lost(const Game &game, GameRecord &record) {
  const Range range = game.outcome_range(SCORE);
  if (game.players() == 2 && game.is_zero_sum()) std::fill(record.scores.begin(), record.scores.end(), range.max);
  record.scores[static_cast<std::size_t>(record.faulty_seat)] = range.min;
}

}  // namespace

GameRecord play_game(const Game &game, const std::vector<Search *> &agents, const MatchPlan &plan, std::int64_t index) {
  const auto round = static_cast<std::uint64_t>(index) / plan.seatings.size();
  GameRecord record;
  record.seats = plan.seatings[static_cast<std::size_t>(index) % plan.seatings.size()];
  record.scores.resize(static_cast<std::size_t>(game.players()));
  record.seed = derive_seed(plan.seed, 2 * round);
  const std::uint64_t agent_seed = derive_seed(plan.seed, 2 * static_cast<std::uint64_t>(index) + 1);
  // What an agent does wrong costs it the game and is no reason to stop the match.
  const auto guarded = [&record](int seat, const auto &turn) {
    try {
      turn();
      return true;
    } catch (const std::invalid_argument &fault) {
      record.faulty_seat = seat;
      record.error = fault.what();
      return false;
    }
  };

  Rng start = start_rng(record.seed), nature(derive_seed(record.seed, 1)), opening(derive_seed(record.seed, 2));
  StateBuffer state(game), seen(game);
  std::vector<Action> legal(static_cast<std::size_t>(game.max_legal()));
  Decision decision;
  game.initial_state(state.data(), start);
  if (!plan.starts.empty()) {
    record.start = static_cast<int>(round % plan.starts.size());
    state = plan.starts[static_cast<std::size_t>(record.start)];
  }
  for (int seat = 0; seat < game.players() && record.faulty_seat < 0; ++seat)
    guarded(seat, [&] {
      const int agent = record.seats[static_cast<std::size_t>(seat)];
      agents[static_cast<std::size_t>(agent)]->reset(derive_seed(agent_seed, static_cast<std::uint64_t>(seat)));
    });
  int player_actions = 0;
  while (record.faulty_seat < 0) {
    const int player = game.player(state.data());
    if (player == TERMINAL || player_actions >= game.horizon()) break;
    Action action;
    if (player == CHANCE) {
      action = game.sample_chance(state.data(), nature);
    } else if (player_actions < plan.random_actions) {
      const int n = game.legal(state.data(), legal.data());
      action = legal[opening.below(static_cast<std::uint32_t>(n))];
      ++player_actions;
    } else {
      Search &agent = *agents[static_cast<std::size_t>(record.seats[static_cast<std::size_t>(player)])];
      game.copy(seen.data(), state.data());
      game.conceal(seen.data(), player);
      const bool played = guarded(player, [&] {
        agent.act(seen.data(), decision);
        const int n = game.legal(state.data(), legal.data());
        if (std::find(legal.begin(), legal.begin() + n, decision.action) == legal.begin() + n)
          throw std::invalid_argument("it chose the illegal action " + std::to_string(decision.action));
      });
      if (!played) break;
      action = decision.action;
      ++player_actions;
    }
    game.apply(state.data(), action);
    record.actions.push_back(action);
  }
  game.scores(state.data(), record.scores.data());
  if (record.faulty_seat >= 0) score_as_lost(game, record);
  return record;
}

}  // namespace boardlab
