// Playing cards: a deck of 52 as numbers, sets of cards as bits, and the ranking of poker hands.
#pragma once

#include <bit>
#include <cstdint>

namespace boardlab {

// Cards are 0 .. 51: rank * 4 + suit, ranks two to ace, suits clubs, diamonds, hearts, spades.
inline constexpr int DECK = 52;

constexpr int card_rank(int card) { return card / 4; }
constexpr int card_suit(int card) { return card % 4; }

// A set of cards: 16 bits per suit, bit r of them is rank r. Add a card with `set |= card_bit(card)`.
using CardSet = std::uint64_t;

constexpr CardSet card_bit(int card) { return CardSet{1} << (16 * card_suit(card) + card_rank(card)); }

enum HandCategory { HIGH_CARD, PAIR, TWO_PAIR, THREE, STRAIGHT, FLUSH, FULL_HOUSE, FOUR, STRAIGHT_FLUSH };

namespace detail {

constexpr std::uint32_t highest(std::uint32_t ranks) { return std::bit_floor(ranks); }
constexpr std::uint32_t highest(std::uint32_t ranks, int count) {
  while (std::popcount(ranks) > count) ranks &= ranks - 1;
  return ranks;
}
// The highest card of the best straight as a bit, or 0. The ace also counts below the two.
constexpr std::uint32_t straight(std::uint32_t ranks) {
  const std::uint32_t r = ranks << 1 | (ranks >> 12 & 1);
  return highest(r & r << 1 & r << 2 & r << 3 & r << 4) >> 1;
}
// Category first, then the ranks that make it, then the kickers: sets of equally many ranks compare as numbers in the
// same order as cards, highest first.
constexpr std::uint32_t hand(HandCategory category, std::uint32_t ranks, std::uint32_t kickers) {
  return static_cast<std::uint32_t>(category) << 26 | ranks << 13 | kickers;
}

}  // namespace detail

// The strength of the best five of five, six or seven cards: a better hand has a higher number, equal hands the same.
// Uses bits only: no tables to build or to keep in the cache.
constexpr std::uint32_t hand_strength(CardSet cards) {
  using namespace detail;
  const std::uint32_t c = cards & 0x1FFF, d = cards >> 16 & 0x1FFF, h = cards >> 32 & 0x1FFF, s = cards >> 48 & 0x1FFF;
  const std::uint32_t any = c | d | h | s;
  std::uint32_t flush = 0;
  for (const std::uint32_t suit : {c, d, h, s})
    if (std::popcount(suit) >= 5) flush = suit;
  if (flush)
    if (const std::uint32_t top = straight(flush)) return hand(STRAIGHT_FLUSH, top, 0);
  const std::uint32_t two = (c & d) | (c & h) | (c & s) | (d & h) | (d & s) | (h & s);
  const std::uint32_t three = (c & d & (h | s)) | (h & s & (c | d));
  if (const std::uint32_t four = c & d & h & s) return hand(FOUR, four, highest(any & ~four));
  const std::uint32_t set = highest(three);
  if (set)
    if (const std::uint32_t full_of = highest(two & ~set)) return hand(FULL_HOUSE, set, full_of);
  if (flush) return hand(FLUSH, 0, highest(flush, 5));
  if (const std::uint32_t top = straight(any)) return hand(STRAIGHT, top, 0);
  if (set) return hand(THREE, set, highest(any & ~set, 2));
  const std::uint32_t pairs = highest(two, 2);
  if (std::popcount(pairs) == 2) return hand(TWO_PAIR, pairs, highest(any & ~pairs));
  if (pairs) return hand(PAIR, pairs, highest(any & ~pairs, 3));
  return hand(HIGH_CARD, 0, highest(any, 5));
}

}  // namespace boardlab
