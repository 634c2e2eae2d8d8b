#include "games/hand_strengths.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <memory>
#include <vector>

#include "games/preflop_strengths.inc"

namespace boardlab {

namespace {

constexpr int HANDS = DECK * (DECK - 1) / 2, RANKS = 13, SUITS = 4;
constexpr double STEPS = 255;  // of a strength in a byte; a potential has as many up to .5

constexpr int hand_index(int a, int b) { return a > b ? a * (a - 1) / 2 + b : b * (b - 1) / 2 + a; }
constexpr std::uint32_t suit_ranks(CardSet cards, int suit) {
  return static_cast<std::uint32_t>(cards >> 16 * suit & 0x1FFF);
}
constexpr bool contains(CardSet cards, int card) { return (cards & card_bit(card)) != 0; }

// The board with its suits in a fixed order, and the new number of every card.
struct Canonical {
  explicit Canonical(CardSet board) {
    std::array<int, SUITS> order{0, 1, 2, 3};
    std::sort(order.begin(), order.end(),
              [board](int a, int b) { return suit_ranks(board, a) > suit_ranks(board, b); });
    for (int place = 0; place < SUITS; ++place) {
      suits[static_cast<std::size_t>(order[static_cast<std::size_t>(place)])] = place;
      cards |= static_cast<CardSet>(suit_ranks(board, order[static_cast<std::size_t>(place)])) << 16 * place;
    }
  }
  int card(int old) const { return card_rank(old) * SUITS + suits[static_cast<std::size_t>(card_suit(old))]; }

  CardSet cards = 0;
  std::array<int, SUITS> suits{};
};

struct Row {
  CardSet board;
  std::array<std::uint8_t, HANDS> strength, potential;
};
// Boards of the river have no potential.
struct RiverRow {
  CardSet board;
  std::array<std::uint8_t, HANDS> strength;
};

// Rows by board, which are added and never removed. Readers need no lock; of two threads that make the same row one
// throws its own away.
template <class Made>
class Rows {
 public:
  explicit Rows(std::size_t slots) : slots_(slots) {}
  template <class Make>
  const Made &get(CardSet board, const Make &make) {
    const std::size_t mask = slots_.size() - 1;
    std::size_t at = (board * 0x9E3779B97F4A7C15ull >> 32) & mask;
    std::unique_ptr<Made> fresh;
    while (true) {
      const Made *there = slots_[at].load(std::memory_order_acquire);
      if (!there) {
        if (!fresh) {
          fresh = std::make_unique<Made>();
          fresh->board = board;
          make(*fresh);
        }
        if (slots_[at].compare_exchange_strong(there, fresh.get(), std::memory_order_acq_rel)) return *fresh.release();
      }
      if (there->board == board) return *there;
      at = (at + 1) & mask;
    }
  }

 private:
  std::vector<std::atomic<const Made *>> slots_;
};

// All hands of a board of five, by what they win against the others: a sweep from the weakest hand to the strongest.
void make_river(RiverRow &row) {
  struct Hand {
    std::uint32_t strength;
    std::uint8_t a, b;
  };
  std::array<Hand, HANDS> hands;
  std::size_t n = 0;
  for (int a = 1; a < DECK; ++a) {
    if (contains(row.board, a)) continue;
    const CardSet with_a = row.board | card_bit(a);
    for (int b = 0; b < a; ++b)
      if (!contains(row.board, b))
        hands[n++] = {hand_strength(with_a | card_bit(b)), static_cast<std::uint8_t>(a), static_cast<std::uint8_t>(b)};
  }
  std::sort(hands.begin(), hands.begin() + n, [](const Hand &x, const Hand &y) { return x.strength < y.strength; });
  constexpr double OTHERS = 45 * 44 / 2;
  std::array<int, DECK> below{}, equal{};  // hands with that card
  int weaker = 0;
  for (std::size_t begin = 0, end = 0; begin < n; begin = end) {
    while (end < n && hands[end].strength == hands[begin].strength) ++end;
    for (std::size_t i = begin; i < end; ++i) ++equal[hands[i].a], ++equal[hands[i].b];
    const int ties = static_cast<int>(end - begin);
    for (std::size_t i = begin; i < end; ++i) {
      const auto [strength, a, b] = hands[i];
      const int wins = weaker - below[a] - below[b], draws = ties - equal[a] - equal[b] + 1;
      row.strength[static_cast<std::size_t>(hand_index(a, b))] =
          static_cast<std::uint8_t>(std::lround(STEPS * (wins + 0.5 * draws) / OTHERS));
    }
    for (std::size_t i = begin; i < end; ++i) {
      ++below[hands[i].a], ++below[hands[i].b];
      equal[hands[i].a] = equal[hands[i].b] = 0;
    }
    weaker += ties;
  }
}

std::uint8_t in_steps(double potential) { return static_cast<std::uint8_t>(std::lround(2 * STEPS * potential)); }

class Tables {
 public:
  const RiverRow &river(CardSet board) { return river_.get(board, make_river); }
  const Row &turn(CardSet board) {
    return turn_.get(board, [this](Row &row) { make(row, [this](CardSet next) -> auto & { return river(next); }); });
  }
  const Row &flop(CardSet board) {
    return flop_.get(board, [this](Row &row) { make(row, [this](CardSet next) -> auto & { return turn(next); }); });
  }

 private:
  // Means over the next card.
  template <class Next>
  static void make(Row &row, const Next &next) {
    std::vector<double> sums(HANDS, 0), squares(HANDS, 0);
    std::vector<int> counts(HANDS, 0);
    for (int card = 0; card < DECK; ++card) {
      if (contains(row.board, card)) continue;
      const Canonical board(row.board | card_bit(card));
      const auto &below = next(board.cards);
      for (int a = 1; a < DECK; ++a) {
        if (a == card || contains(row.board, a)) continue;
        const int new_a = board.card(a);
        for (int b = 0; b < a; ++b) {
          if (b == card || contains(row.board, b)) continue;
          const auto hand = static_cast<std::size_t>(hand_index(a, b));
          const auto there = static_cast<std::size_t>(hand_index(new_a, board.card(b)));
          const double strength = below.strength[there] / STEPS;
          sums[hand] += strength;
          squares[hand] += strength * strength;
          if constexpr (requires { below.potential; }) {
            const double spread = below.potential[there] / (2 * STEPS);
            squares[hand] += spread * spread;
          }
          ++counts[hand];
        }
      }
    }
    for (std::size_t hand = 0; hand < HANDS; ++hand) {
      if (!counts[hand]) continue;
      const double mean = sums[hand] / counts[hand];
      row.strength[hand] = static_cast<std::uint8_t>(std::lround(STEPS * mean));
      row.potential[hand] = in_steps(std::sqrt(std::max(squares[hand] / counts[hand] - mean * mean, 0.0)));
    }
  }

  Rows<RiverRow> river_{1 << 18};  // 134,459 boards up to the names of suits
  Rows<Row> turn_{1 << 15};        // 16,432
  Rows<Row> flop_{1 << 12};        // 1,755
};

Tables &tables() {
  static Tables kept;
  return kept;
}

// Pairs, suited hands (higher rank first) and others in one table of 13 x 13.
std::size_t preflop_index(int a, int b) {
  const int high = std::max(card_rank(a), card_rank(b)), low = std::min(card_rank(a), card_rank(b));
  return static_cast<std::size_t>(card_suit(a) == card_suit(b) ? high * RANKS + low : low * RANKS + high);
}

}  // namespace

HandStrength hand_strength_of(int first, int second, std::span<const std::uint8_t> board) {
  if (board.size() < 3) {
    const std::size_t hand = preflop_index(first, second);
    return {PREFLOP_STRENGTH[hand] / STEPS, PREFLOP_POTENTIAL[hand] / (2 * STEPS)};
  }
  CardSet set = 0;
  for (const std::uint8_t card : board) set |= card_bit(card);
  const Canonical canonical(set);
  const auto hand = static_cast<std::size_t>(hand_index(canonical.card(first), canonical.card(second)));
  if (board.size() == 5) return {tables().river(canonical.cards).strength[hand] / STEPS, 0};
  const Row &row = board.size() == 4 ? tables().turn(canonical.cards) : tables().flop(canonical.cards);
  return {row.strength[hand] / STEPS, row.potential[hand] / (2 * STEPS)};
}

}  // namespace boardlab
