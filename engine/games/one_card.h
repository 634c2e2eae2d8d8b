// What Kuhn and Leduc poker share: two players with one card each, of which each sees its own.
#pragma once

#include <algorithm>

#include "core/adapt.h"

namespace boardlab {

// Every state that `player` cannot tell from `s`, equally likely: the betting says nothing here, which is left to the
// agent. `is_used(seen, card)` says which of the cards 1 .. game.CARDS the player sees elsewhere. As in the contract.
template <class Game, class IsUsed>
int one_card_completions(const Game &game, const typename Game::State &s, int player, int capacity,
                         typename Game::State *states, double *probabilities, const IsUsed &is_used) {
  typename Game::State seen = s;
  game.conceal(seen, player);
  const bool is_hidden = seen.cards[1 - player] == Game::HIDDEN;
  int n = 0;
  for (std::uint8_t card = 1; card <= (is_hidden ? Game::CARDS : 1); ++card) {
    if (is_hidden && is_used(seen, card)) continue;
    if (n == capacity) return -1;
    states[n] = seen;
    if (is_hidden) states[n].cards[1 - player] = card;
    ++n;
  }
  std::fill(probabilities, probabilities + n, 1.0 / n);
  return n;
}

template <class Game>
void one_card_determinize(const Game &game, typename Game::State &s, int player, Rng &rng) {
  typename Game::State full[Game::CARDS];
  double p[Game::CARDS];
  const int n = game.completions(s, player, Game::CARDS, full, p);
  s = full[rng.below(static_cast<std::uint32_t>(n))];
}

// The cards that nobody holds; all of them where a new round begins.
template <class Game>
int one_card_chances(const Game &game, const typename Game::State &s, std::int32_t *outcomes, double *probabilities) {
  int n = 0;
  for (std::int32_t card = 1; card <= Game::CARDS; ++card)
    if (game.round_over(s) || (s.cards[0] != card && s.cards[1] != card)) outcomes[n++] = card - 1;
  std::fill(probabilities, probabilities + n, 1.0 / n);
  return n;
}

}  // namespace boardlab
