#include "core/walks.h"

#include <stdexcept>

namespace boardlab {

namespace {

constexpr Action MOST_ACTIONS = 256;  // preparation tries all triples of actions

}

RandomWalks::RandomWalks(GamePtr the_game, const void *goal, int threads)
    : game_(std::move(the_game)), goal_(*game_), workers_(threads) {
  const Game &game = *game_;
  const auto refuse = [&](const char *why) { throw std::invalid_argument("random walks: " + game.name() + why); };
  if (game.players() != 1 || game.has_chance() || game.is_hidden())
    refuse(" is not a one-player puzzle without chance");
  if (game.cells() == 0) refuse(" has no board vector");
  if (game.action_count() > MOST_ACTIONS) refuse(" has too many actions");
  game.copy(goal_.data(), goal);
  std::vector<Action> legal(static_cast<std::size_t>(game.max_legal()));
  StateBuffer state(game);
  for (Action a = 0; a < game.action_count(); ++a) {
    game.copy(state.data(), goal);
    game.apply(state.data(), a);
    if (game.player(state.data()) != TERMINAL && game.legal(state.data(), legal.data()) != game.action_count())
      refuse(" has actions that are not always legal");
  }
  find_followers(goal);
  for (Action a = 0; a < game.action_count(); ++a)
    if (followers_[static_cast<std::size_t>(a)].empty()) refuse(" has an action that no other may follow");
}

void RandomWalks::find_followers(const void *goal) {
  const Game &game = *game_;
  const Action count = game.action_count();
  StateBuffer state(game);
  const auto after = [&](std::initializer_list<Action> actions) {
    game.copy(state.data(), goal);
    for (const Action a : actions) game.apply(state.data(), a);
    return game.hash(state.data());
  };
  for (Action a = 0; a < count; ++a) {
    auto &allowed = followers_.emplace_back();
    for (Action b = 0; b < count; ++b) {
      const std::uint64_t both = after({a, b});
      bool redundant = both == after({}) || (b < a && both == after({b, a}));
      for (Action c = 0; c < count; ++c) redundant = redundant || both == after({c});
      if (!redundant) allowed.push_back(b);
    }
  }
}

void RandomWalks::walk(std::size_t walks, std::size_t length, std::uint64_t seed, std::uint8_t *rows,
                       std::uint8_t *next, std::uint8_t *solved) {
  workers_.run(walks, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i)
      one_walk(length, Rng(derive_seed(seed, i)), rows + i * length * cells(),
               next ? next + i * length * actions() * cells() : nullptr,
               solved ? solved + i * length * actions() : nullptr);
  });
}

void RandomWalks::one_walk(std::size_t length, Rng rng, std::uint8_t *rows, std::uint8_t *next,
                           std::uint8_t *solved) const {
  const Game &game = *game_;
  StateBuffer state(game), child(game);
  game.copy(state.data(), goal_.data());
  Action last = -1;
  for (std::size_t i = 0; i < length; ++i) {
    if (last < 0) {
      last = static_cast<Action>(rng.below(static_cast<std::uint32_t>(game.action_count())));
    } else {
      const auto &allowed = followers_[static_cast<std::size_t>(last)];
      last = allowed[rng.below(static_cast<std::uint32_t>(allowed.size()))];
    }
    game.apply(state.data(), last);
    game.board_vector(state.data(), 0, rows);
    rows += cells();
    if (!next) continue;
    for (Action a = 0; a < game.action_count(); ++a) {
      game.copy(child.data(), state.data());
      game.apply(child.data(), a);
      game.board_vector(child.data(), 0, next);
      *solved++ = game.player(child.data()) == TERMINAL;
      next += cells();
    }
  }
}

}  // namespace boardlab
