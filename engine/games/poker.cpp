// Texas hold'em for two to six players with blinds, side pots and chips carried over from hand to hand.
//
// The betting is GBG's: a bet is one big blind, a raise is by one big blind, and there is the all-in. The public
// sequence of actions determines all bets and is kept in the state, since players who saw other betting are in another
// position. A hole and a flop are sets, kept sorted. After a hand the table stays unchanged (round_over) until the
// first card of the next hand is dealt.
#include <algorithm>

#include "core/adapt.h"
#include "games/cards.h"
#include "games/hand_strengths.h"
#include "games/registry.h"

namespace boardlab {

namespace {

constexpr int MAX_SEATS = 6, MAX_CAP = 8, BOARD = 5, STREETS = 4;

// A street: everyone acts once, and after every bet or raise the others act again.
constexpr int most_actions(int players, int cap) { return STREETS * (players + cap * (players - 1)); }

class Poker {
 public:
  static constexpr int max_legal = DECK;
  static constexpr std::uint8_t NO_CARD = 0, HIDDEN = DECK + 1, NOBODY = 255;  // cards in a state are 1 .. 52
  enum : Action { FOLD, CHECK, BET, CALL, RAISE, ALL_IN, ACTIONS };
  enum Phase : std::uint8_t { DEAL, ACT, OVER };

  struct State {
    std::uint16_t start[MAX_SEATS];  // chips when the hand began; 0: out of the game
    std::uint16_t stack[MAX_SEATS];
    std::uint16_t paid[MAX_SEATS];  // into the pot in this hand
    std::uint16_t bet[MAX_SEATS];   // of that, paid in this street
    std::uint16_t to_match;         // the bet to match in this street
    std::uint16_t round;            // 0, 1, ...
    std::uint8_t holes[MAX_SEATS][2];
    std::uint8_t board[BOARD];
    std::uint8_t street, phase;
    std::uint8_t to_move;  // in phase ACT
    std::uint8_t button;
    std::uint8_t last;    // who acted last, in an earlier hand too
    std::uint8_t folded;  // bits
    std::uint8_t acted;   // bits: since the last bet or raise
    std::uint8_t raises;  // bets and raises in this street, the big blind included
    std::uint8_t dealt;   // cards, holes and board
    std::uint8_t length;  // of the history
    std::uint8_t history[most_actions(MAX_SEATS, MAX_CAP) / 2];  // the actions of this hand, two per byte
    std::uint8_t unused;
  };

  Poker(int players, int chips, int small_blind, int cap, int rounds)
      : players_(players), chips_(chips), small_blind_(small_blind), cap_(cap), rounds_(rounds) {}

  Facts facts() const {
    Facts f;
    f.players = players_;
    f.action_count = ACTIONS;
    f.outcome_count = DECK;
    f.horizon = rounds_ * most_actions(players_, cap_);
    // Loose: a hand is about a few blinds, seldom about all chips, and searches must see the difference.
    f.flags = BL_ZERO_SUM | BL_HIDDEN | BL_LOOSE_RANGE;
    f.min_score = -chips_;
    f.max_score = chips_ * (players_ - 1);
    f.field_count = HISTORY + most_actions(players_, cap_);
    f.cells = CELLS;
    f.stages = STREETS;
    f.plane_count = PLANES;
    f.plane_rows = 4;
    f.plane_cols = 13;
    f.feature_count = FEATURES;
    f.hand_features = PRICE;
    f.situation_size = 4 + static_cast<int>(sizeof(State::history));
    return f;
  }

  void initial_state(State &s, Rng &) const {
    std::fill(s.stack, s.stack + players_, static_cast<std::uint16_t>(chips_));
    s.last = NOBODY;
    s.button = first_button();
    open_hand(s);
  }
  int player(const State &s) const {
    if (s.phase == ACT) return s.to_move;
    return s.phase == OVER && is_finished(s) ? TERMINAL : CHANCE;
  }
  int last_player(const State &s) const { return s.last == NOBODY ? CHANCE : s.last; }
  int round_over(const State &s) const { return s.phase == OVER; }

  int legal(const State &s, Action *actions) const {
    const int me = s.to_move, owed = s.to_match - s.bet[me], stack = s.stack[me];
    const bool may_raise = s.raises < cap_ && another_can_act(s, me);
    int n = 0;
    if (owed > 0) actions[n++] = FOLD;
    if (owed == 0) actions[n++] = CHECK;
    if (s.to_match == 0 && may_raise && stack > big_blind()) actions[n++] = BET;
    if (owed > 0 && stack > owed) actions[n++] = CALL;
    if (s.to_match > 0 && may_raise && stack > owed + big_blind()) actions[n++] = RAISE;
    if (stack <= owed || may_raise) actions[n++] = ALL_IN;
    return n;
  }
  void apply(State &s, Action action) const {
    if (s.phase != ACT) return deal(s, action);
    const int me = s.to_move, owed = s.to_match - s.bet[me];
    remember(s, action);
    s.last = s.to_move;
    switch (action) {
      case FOLD: s.folded = static_cast<std::uint8_t>(s.folded | 1 << me); break;
      case CALL: pay(s, me, owed); break;
      case BET:
      case RAISE: pay(s, me, owed + big_blind()); break;
      case ALL_IN: pay(s, me, s.stack[me]); break;
      default: break;
    }
    if (s.bet[me] > s.to_match) {
      s.to_match = s.bet[me];
      ++s.raises;
      s.acted = 0;
    }
    s.acted = static_cast<std::uint8_t>(s.acted | 1 << me);
    if (live_count(s) == 1) return finish(s);
    next_action(s, me);
  }
  // Chips in an open pot still count for those who paid them.
  void scores(const State &s, double *out) const {
    for (int p = 0; p < players_; ++p) out[p] = s.stack[p] + (s.phase == OVER ? 0 : s.paid[p]) - chips_;
  }

  int chance(const State &s, std::int32_t *outcomes, double *probabilities) const {
    const std::uint64_t used = s.phase == OVER ? 0 : visible(s);
    int n = 0;
    for (int card = 0; card < DECK; ++card)
      if (!(used >> card & 1)) outcomes[n++] = card;
    std::fill(probabilities, probabilities + n, 1.0 / n);
    return n;
  }
  Action sample_chance(const State &s, Rng &rng) const { return draw(s.phase == OVER ? 0 : visible(s), rng); }

  // Players who did not fold show their holes at the showdown.
  void conceal(State &s, int player) const {
    for (int p = 0; p < players_; ++p) {
      if (p == player || is_shown(s, p)) continue;
      for (std::uint8_t &card : s.holes[p])
        if (card) card = HIDDEN;
    }
  }
  // Weighs by the deal alone: what the betting reveals about the cards is left to the agent.
  void determinize(State &s, int player, Rng &rng) const {
    conceal(s, player);
    std::uint64_t used = visible(s);
    for (int p = 0; p < players_; ++p) {
      if (s.holes[p][0] != HIDDEN) continue;
      for (std::uint8_t &card : s.holes[p]) {
        if (card != HIDDEN) continue;
        const int drawn = draw(used, rng);
        used |= std::uint64_t{1} << drawn;
        card = static_cast<std::uint8_t>(drawn + 1);
      }
      sort_hole(s, p);
    }
  }
  int completions(const State &s, int player, int capacity, State *states, double *probabilities) const {
    State seen = s;
    conceal(seen, player);
    const std::uint64_t used = visible(seen);
    std::int64_t total = 1;
    int left = DECK - std::popcount(used);
    for (int p = 0; p < players_; ++p) {
      if (seen.holes[p][0] != HIDDEN) continue;
      const bool both = seen.holes[p][1] == HIDDEN;
      total *= both ? left * (left - 1) / 2 : left;
      left -= both ? 2 : 1;
      if (total > capacity) return -1;
    }
    State *end = states;
    fill_hole(seen, 0, used, end);
    std::fill(probabilities, probabilities + total, 1.0 / static_cast<double>(total));
    return static_cast<int>(total);
  }

  // ---- fields: round, button, last player (-1: none), the length of the history, the street, the bet to match, who
  // folded (bits); chips when the hand began, stacks, bets in this street, paid in this hand; the holes, the board, the
  // history. from_fields needs only some of them and checks the others.
  enum : int {
    ROUND,
    BUTTON,
    LAST,
    LENGTH,
    STREET_NOW,
    TO_MATCH,
    FOLDED,
    START,
    STACKS = START + MAX_SEATS,
    BETS = STACKS + MAX_SEATS,
    PAID = BETS + MAX_SEATS,
    HOLES = PAID + MAX_SEATS,
    BOARD_CARDS = HOLES + 2 * MAX_SEATS,
    HISTORY = BOARD_CARDS + BOARD
  };

  void to_fields(const State &s, std::int32_t *fields) const {
    std::fill(fields, fields + HISTORY + most_actions(players_, cap_), 0);
    fields[ROUND] = s.round;
    fields[BUTTON] = s.button;
    fields[LAST] = last_player(s);
    fields[LENGTH] = s.length;
    fields[STREET_NOW] = s.street;
    fields[TO_MATCH] = s.to_match;
    fields[FOLDED] = s.folded;
    std::copy(s.start, s.start + MAX_SEATS, fields + START);
    std::copy(s.stack, s.stack + MAX_SEATS, fields + STACKS);
    std::copy(s.bet, s.bet + MAX_SEATS, fields + BETS);
    std::copy(s.paid, s.paid + MAX_SEATS, fields + PAID);
    std::copy(&s.holes[0][0], &s.holes[0][0] + 2 * MAX_SEATS, fields + HOLES);
    std::copy(s.board, s.board + BOARD, fields + BOARD_CARDS);
    for (int i = 0; i < s.length; ++i) fields[HISTORY + i] = remembered(s, i);
  }
  // Replays the hand: either it gives a position of the game, or the fields are inconsistent.
  const char *from_fields(State &s, const std::int32_t *fields) const {
    if (fields[ROUND] < 0 || fields[ROUND] >= rounds_) return "the round is beyond the last one";
    int total = 0, seats = 0;
    for (int p = 0; p < MAX_SEATS; ++p) {
      const std::int32_t chips = fields[START + p];
      if (chips < 0 || chips > players_ * chips_ || (p >= players_ && chips)) return "a player has impossible chips";
      total += chips;
      seats += chips > 0;
      s.stack[p] = static_cast<std::uint16_t>(chips);
    }
    if (total != players_ * chips_) return "the players' chips do not add up to all chips in the game";
    if (seats < 2) return "a hand needs two players with chips";
    if (fields[BUTTON] < 0 || fields[BUTTON] >= players_ || !s.stack[fields[BUTTON]])
      return "the button must be with a player who has chips";
    if (fields[LAST] < CHANCE || fields[LAST] >= players_) return "there is no such last player";
    if (fields[LENGTH] < 0 || fields[LENGTH] > most_actions(players_, cap_))
      return "a hand cannot have that many actions";
    for (int i = HOLES; i < HISTORY; ++i) {
      if (fields[i] == HIDDEN) return "a hidden card cannot be read back; fill it in first";
      if (fields[i] < 0 || fields[i] > DECK) return "there is no such card";
    }
    if (fields[ROUND] == 0) {
      if (fields[BUTTON] != first_button() ||
          std::any_of(s.stack, s.stack + players_, [&](int c) { return c != chips_; }))
        return "in the first round all must have equal chips and the button its initial seat";
      if (fields[LENGTH] == 0 && fields[LAST] != CHANCE) return "nobody has acted yet";
    }
    s.round = static_cast<std::uint16_t>(fields[ROUND]);
    s.button = static_cast<std::uint8_t>(fields[BUTTON]);
    s.last = fields[LAST] == CHANCE ? NOBODY : static_cast<std::uint8_t>(fields[LAST]);
    open_hand(s);
    while (s.phase != OVER) {
      if (s.phase == DEAL) {
        const std::int32_t card = fields[next_card_field(s)];
        if (!card) break;
        if (visible(s) >> (card - 1) & 1) return "a card occurs twice";
        deal(s, card - 1);
      } else {
        if (s.length == fields[LENGTH]) break;
        Action actions[ACTIONS];
        const Action action = fields[HISTORY + s.length];
        if (std::find(actions, actions + legal(s, actions), action) == actions + legal(s, actions))
          return "the betting breaks the rules";
        apply(s, action);
      }
    }
    std::int32_t again[HISTORY + most_actions(MAX_SEATS, MAX_CAP)];
    to_fields(s, again);
    if (!std::equal(again, again + HISTORY + most_actions(players_, cap_), fields))
      return "the cards, the betting and the chips do not fit together";
    return nullptr;
  }

  // ---- as `player` sees it: own hole, board, then small numbers ----
  enum : int { OWN = 0, TABLE = 2, STREET = 7, RAISES, RIVALS, OWED, POT, STACK, POSITION, CELLS };

  int cell_values(int cell) const {
    switch (cell) {
      case STREET: return STREETS;
      case RAISES: return cap_ + 1;
      case RIVALS:
      case POSITION: return players_;
      case OWED:
      case POT:
      case STACK: return LEVELS;
      default: return DECK + 1;
    }
  }
  void board_vector(const State &s, int player, std::uint8_t *cells) const {
    for (int i = 0; i < 2; ++i) cells[OWN + i] = s.holes[player][i] == HIDDEN ? NO_CARD : s.holes[player][i];
    std::copy(s.board, s.board + BOARD, cells + TABLE);
    cells[STREET] = s.street;
    cells[RAISES] = s.raises;
    cells[RIVALS] = static_cast<std::uint8_t>(rivals(s, player));
    cells[OWED] = level(s.to_match > s.bet[player] ? s.to_match - s.bet[player] : 0);
    cells[POT] = level(pot(s));
    cells[STACK] = level(s.stack[player]);
    cells[POSITION] = static_cast<std::uint8_t>((player - s.button + players_) % players_);
  }
  int adjacency(int cell, std::int32_t *out) const {
    int n = 0;
    for (int other = 0; other < CELLS; ++other)
      if (other != cell) out[n++] = other;
    return n;
  }
  int stage(const State &s) const { return s.street; }

  // Planes of 4 suits x 13 ranks: own hole, flop, turn, river; then constant planes: the street (4), rivals, raises,
  // owed, pot, own stack as shares, and whether the button is ours.
  static constexpr int PLANES = 14;
  void planes(const State &s, int player, float *out) const {
    constexpr int SIZE = 52;
    std::fill(out, out + PLANES * SIZE, 0.0f);
    const auto put = [&](int plane, std::uint8_t card) {
      if (card != NO_CARD && card != HIDDEN) out[plane * SIZE + card_suit(card - 1) * 13 + card_rank(card - 1)] = 1;
    };
    const auto fill = [&](int plane, double value) {
      std::fill(out + plane * SIZE, out + (plane + 1) * SIZE, static_cast<float>(value));
    };
    for (int i = 0; i < 2; ++i) put(0, s.holes[player][i]);
    for (int i = 0; i < BOARD; ++i) put(i < 3 ? 1 : i - 1, s.board[i]);
    fill(4 + s.street, 1);
    const double all = players_ * chips_;
    fill(8, static_cast<double>(rivals(s, player)) / players_);
    fill(9, static_cast<double>(s.raises) / cap_);
    fill(10, std::max(s.to_match - s.bet[player], 0) / all);
    fill(11, pot(s) / all);
    fill(12, s.stack[player] / all);
    fill(13, s.button == player);
  }

  // Strength and potential of the own hand (against one random hand), the price of a call as a share of the pot after
  // it, pot and own stack as shares of all chips, raises and rivals as shares, whether the button is ours, flop, turn,
  // river.
  enum : int {
    STRENGTH,
    POTENTIAL,
    PRICE,
    POT_SHARE,
    STACK_SHARE,
    RAISED,
    RIVAL_SHARE,
    BUTTON_OURS,
    STREET_MARKS,
    FEATURES = STREET_MARKS + STREETS - 1
  };
  void features(const State &s, int player, double *out) const {
    const std::uint8_t *hole = s.holes[player];
    HandStrength hand{0.5, 0};
    if (hole[1] != NO_CARD && hole[0] != HIDDEN && hole[1] != HIDDEN) {
      std::uint8_t board[BOARD];
      std::size_t n = 0;
      for (const std::uint8_t card : s.board)
        if (card != NO_CARD) board[n++] = static_cast<std::uint8_t>(card - 1);
      hand = hand_strength_of(hole[0] - 1, hole[1] - 1, {board, n});
    }
    const double all = players_ * chips_,
                 owed = std::min<int>(std::max(s.to_match - s.bet[player], 0), s.stack[player]);
    std::fill(out, out + FEATURES, 0.0);
    out[STRENGTH] = hand.strength;
    out[POTENTIAL] = hand.potential;
    out[PRICE] = owed > 0 ? owed / (pot(s) + owed) : 0;
    out[POT_SHARE] = pot(s) / all;
    out[STACK_SHARE] = s.stack[player] / all;
    out[RAISED] = static_cast<double>(s.raises) / cap_;
    out[RIVAL_SHARE] = static_cast<double>(rivals(s, player)) / players_;
    out[BUTTON_OURS] = s.button == player;
    if (s.street > 0) out[STREET_MARKS + s.street - 1] = 1;
  }
  // The betting of the hand, and from which place behind the button it is seen. Chips are left out: a hand of a longer
  // game is played as one with equal chips.
  int situation(const State &s, int player, std::uint8_t *key) const {
    unsigned live = 0;
    for (int p = 0; p < players_; ++p)
      if (is_live(s, p)) live |= 1u << (p - s.button + players_) % players_;
    key[0] = static_cast<std::uint8_t>((player - s.button + players_) % players_);
    key[1] = static_cast<std::uint8_t>(live);
    key[2] = s.street;
    key[3] = s.length;
    const int bytes = (s.length + 1) / 2;
    std::copy(s.history, s.history + bytes, key + 4);
    return 4 + bytes;
  }
  int retrace(const State &s, State &start, int capacity, Action *actions) const {
    std::copy(s.start, s.start + MAX_SEATS, start.stack);
    start.round = s.round;
    start.button = s.button;
    start.last = s.length == 0 ? s.last : s.round == 0 ? NOBODY : std::uint8_t{0};  // who, of an earlier hand, is lost
    open_hand(start);
    int n = 0;
    for (State now = start; now.phase != OVER && (now.phase == DEAL ? now.dealt < s.dealt : now.length < s.length);) {
      if (n == capacity) return -1;
      if (now.phase == ACT) {
        actions[n] = remembered(s, now.length);
      } else {
        const int p = next_seat(now), in = in_count(now);
        actions[n] = (p >= 0 ? s.holes[p][now.dealt / in] : s.board[now.dealt - 2 * in]) - 1;
      }
      apply(now, actions[n++]);
    }
    return n;
  }

 private:
  static constexpr int LEVELS = 16;

  int big_blind() const { return 2 * small_blind_; }
  // Player 0 is the first to act in the first hand: with two or three players it is the button, else three seats after.
  std::uint8_t first_button() const {
    return static_cast<std::uint8_t>(players_ == 2 ? 0 : (2 * players_ - 3) % players_);
  }

  bool is_in(const State &s, int p) const { return s.start[p] > 0; }
  bool is_live(const State &s, int p) const { return is_in(s, p) && !(s.folded >> p & 1); }
  int live_count(const State &s) const {
    int n = 0;
    for (int p = 0; p < players_; ++p) n += is_live(s, p);
    return n;
  }
  int rivals(const State &s, int player) const { return live_count(s) - is_live(s, player); }
  int in_count(const State &s) const {
    int n = 0;
    for (int p = 0; p < players_; ++p) n += is_in(s, p);
    return n;
  }
  int next_in(const State &s, int p) const {
    do p = (p + 1) % players_;
    while (!is_in(s, p));
    return p;
  }
  bool is_finished(const State &s) const {
    int with_chips = 0;
    for (int p = 0; p < players_; ++p) with_chips += s.stack[p] > 0;
    return with_chips == 1 || s.round + 1 >= rounds_;
  }
  bool is_shown(const State &s, int p) const { return s.phase == OVER && is_live(s, p) && live_count(s) > 1; }
  int pot(const State &s) const {
    int sum = 0;
    for (int p = 0; p < players_; ++p) sum += s.paid[p];
    return sum;
  }
  // Chips in half big blinds up to two, then in steps of half as much again: few enough values for a cell.
  std::uint8_t level(int chips) const {
    int halves = 2 * chips / big_blind(), steps = 0;
    if (chips > 0 && halves == 0) halves = 1;
    for (; halves > 4; halves = halves * 2 / 3) ++steps;
    return static_cast<std::uint8_t>(std::min(halves + steps, LEVELS - 1));
  }

  static std::uint8_t remembered(const State &s, int i) {
    return static_cast<std::uint8_t>(s.history[i / 2] >> 4 * (i % 2) & 15);
  }
  static void remember(State &s, Action action) {
    s.history[s.length / 2] = static_cast<std::uint8_t>(s.history[s.length / 2] | action << 4 * (s.length % 2));
    ++s.length;
  }

  // Bits 0 .. 51: the cards on the table that are not hidden.
  std::uint64_t visible(const State &s) const {
    std::uint64_t used = 0;
    const auto add = [&used](std::uint8_t card) {
      if (card != NO_CARD && card != HIDDEN) used |= std::uint64_t{1} << (card - 1);
    };
    for (int p = 0; p < players_; ++p) {
      add(s.holes[p][0]);
      add(s.holes[p][1]);
    }
    for (const std::uint8_t card : s.board) add(card);
    return used;
  }
  static int draw(std::uint64_t used, Rng &rng) {
    while (true)
      if (const auto card = rng.below(DECK); !(used >> card & 1)) return static_cast<int>(card);
  }
  static void sort_hole(State &s, int p) {
    if (s.holes[p][1] && s.holes[p][0] > s.holes[p][1]) std::swap(s.holes[p][0], s.holes[p][1]);
  }
  // Enumerates every way to fill in the hidden holes of players p and above.
  void fill_hole(State &s, int p, std::uint64_t used, State *&end) const {
    while (p < players_ && s.holes[p][0] != HIDDEN) ++p;
    if (p == players_) {
      *end++ = s;
      return;
    }
    const bool both = s.holes[p][1] == HIDDEN;
    for (int a = 0; a < DECK; ++a) {
      if (used >> a & 1) continue;
      const std::uint64_t with_a = used | std::uint64_t{1} << a;
      s.holes[p][0] = static_cast<std::uint8_t>(a + 1);
      if (!both) {
        fill_hole(s, p + 1, with_a, end);
        continue;
      }
      for (int b = a + 1; b < DECK; ++b) {
        if (used >> b & 1) continue;
        s.holes[p][1] = static_cast<std::uint8_t>(b + 1);
        fill_hole(s, p + 1, with_a | std::uint64_t{1} << b, end);
      }
    }
    s.holes[p][0] = HIDDEN;
    if (both) s.holes[p][1] = HIDDEN;
  }

  // ---- dealing ----

  // Keeps stacks, button, round and last of the new hand; clears the rest and posts the blinds.
  void open_hand(State &s) const {
    State fresh;
    std::memset(&fresh, 0, sizeof fresh);
    std::copy(s.stack, s.stack + MAX_SEATS, fresh.start);
    std::copy(s.stack, s.stack + MAX_SEATS, fresh.stack);
    fresh.round = s.round;
    fresh.button = s.button;
    fresh.last = s.last;
    s = fresh;
    // With two players the button posts the small blind.
    const int small = in_count(s) == 2 ? s.button : next_in(s, s.button), big = next_in(s, small);
    pay(s, small, small_blind_);
    pay(s, big, big_blind());
    s.to_match = static_cast<std::uint16_t>(big_blind());
    s.raises = 1;
    s.phase = DEAL;
  }
  // The receiver of the next card: left of the button first, one card each, then the second. -1: the board.
  int next_seat(const State &s) const {
    const int in = in_count(s);
    if (s.dealt >= 2 * in) return -1;
    int p = s.button;
    for (int i = 0; i <= s.dealt % in; ++i) p = next_in(s, p);
    return p;
  }
  int next_card_field(const State &s) const {
    const int p = next_seat(s), in = in_count(s);
    return p < 0 ? BOARD_CARDS + s.dealt - 2 * in : HOLES + 2 * p + s.dealt / in;
  }
  void deal(State &s, int card) const {
    if (s.phase == OVER) {
      ++s.round;
      std::copy(s.stack, s.stack + MAX_SEATS, s.start);
      s.button = static_cast<std::uint8_t>(next_in(s, s.button));
      open_hand(s);
    }
    const int p = next_seat(s), in = in_count(s);
    const auto value = static_cast<std::uint8_t>(card + 1);
    if (p >= 0) {
      s.holes[p][s.dealt++ / in] = value;
      sort_hole(s, p);
      if (s.dealt < 2 * in) return;
      s.phase = ACT;
      // The player left of the big blind begins.
      const int small = in == 2 ? s.button : next_in(s, s.button);
      return next_action(s, next_in(s, small));
    }
    const int on_board = s.dealt++ - 2 * in + 1;
    s.board[on_board - 1] = value;
    if (on_board < 3) return;
    if (on_board == 3) std::sort(s.board, s.board + 3);
    s.phase = ACT;
    next_action(s, s.button);
  }

  // ---- betting ----

  void pay(State &s, int p, int chips) const {
    const auto paid = static_cast<std::uint16_t>(std::min<int>(chips, s.stack[p]));
    s.stack[p] = static_cast<std::uint16_t>(s.stack[p] - paid);
    s.paid[p] = static_cast<std::uint16_t>(s.paid[p] + paid);
    s.bet[p] = static_cast<std::uint16_t>(s.bet[p] + paid);
  }
  bool another_can_act(const State &s, int me) const {
    for (int p = 0; p < players_; ++p)
      if (p != me && is_live(s, p) && s.stack[p] > 0) return true;
    return false;
  }
  // Whether p still has a decision: a player alone has none unless there is more to match.
  bool must_act(const State &s, int p) const {
    if (!is_live(s, p) || s.stack[p] == 0) return false;
    if ((s.acted >> p & 1) && s.bet[p] >= s.to_match) return false;
    if (another_can_act(s, p)) return true;
    for (int q = 0; q < players_; ++q)
      if (q != p && is_live(s, q) && s.bet[q] > s.bet[p]) return true;
    return false;
  }
  // Passes the turn to the next player after `p` who must act, or ends the street.
  void next_action(State &s, int p) const {
    for (int i = 1; i <= players_; ++i) {
      const int q = (p + i) % players_;
      if (!must_act(s, q)) continue;
      s.to_move = static_cast<std::uint8_t>(q);
      return;
    }
    if (s.street == STREETS - 1) return finish(s);
    ++s.street;
    close_street(s);
    s.phase = DEAL;
  }
  void close_street(State &s) const {
    std::fill(s.bet, s.bet + MAX_SEATS, std::uint16_t{0});
    s.to_match = 0;
    s.raises = 0;
    s.acted = 0;
    s.to_move = 0;
  }

  // ---- the end of a hand ----

  // Pays the pots out, one for every all-in amount. A pot with one player left in it, including an uncalled bet, is
  // returned without a comparison.
  void finish(State &s) const {
    close_street(s);
    s.phase = OVER;
    std::uint32_t strength[MAX_SEATS] = {};
    if (live_count(s) > 1)
      for (int p = 0; p < players_; ++p)
        if (is_live(s, p)) strength[p] = strength_of(s, p);
    int below = 0;  // what the earlier pots took from each
    while (true) {
      int top = 0;  // the next pot ends at the smallest amount of a live player
      for (int p = 0; p < players_; ++p)
        if (is_live(s, p) && s.paid[p] > below && (top == 0 || s.paid[p] < top)) top = s.paid[p];
      if (top == 0) break;
      int amount = 0;
      for (int p = 0; p < players_; ++p) amount += std::clamp<int>(s.paid[p] - below, 0, top - below);
      pay_out(s, amount, top, strength);
      below = top;
    }
  }
  // Pays the best of the live players who paid `level` in full; odd chips go to the first left of the button.
  void pay_out(State &s, int amount, int level, const std::uint32_t *strength) const {
    std::uint32_t best = 0;
    for (int p = 0; p < players_; ++p)
      if (is_live(s, p) && s.paid[p] >= level) best = std::max(best, strength[p]);
    const auto wins = [&](int p) { return is_live(s, p) && s.paid[p] >= level && strength[p] == best; };
    int winners = 0;
    for (int p = 0; p < players_; ++p) winners += wins(p);
    int odd = amount % winners;
    for (int i = 1; i <= players_; ++i) {
      const int p = (s.button + i) % players_;
      if (!wins(p)) continue;
      s.stack[p] = static_cast<std::uint16_t>(s.stack[p] + amount / winners + (odd > 0 ? 1 : 0));
      if (odd > 0) --odd;
    }
  }
  std::uint32_t strength_of(const State &s, int p) const {
    CardSet cards = 0;
    for (const std::uint8_t card : s.holes[p]) cards |= card_bit(card - 1);
    for (const std::uint8_t card : s.board) cards |= card_bit(card - 1);
    return hand_strength(cards);
  }

  int players_, chips_, small_blind_, cap_, rounds_;
};

}  // namespace

bl_game make_poker(const Params &params) {
  const int players = params.integer("players", 2, MAX_SEATS), chips = params.integer("chips", 2, 10000);
  const int small_blind = params.integer("small_blind", 1, 5000), cap = params.integer("raise_cap", 1, MAX_CAP);
  const int rounds = params.integer("rounds", 1, 10000);
  if (2 * small_blind > chips) params.refuse("small_blind", "must be at most half of the chips");
  return make_table(std::make_unique<Poker>(players, chips, small_blind, cap, rounds));
}

}  // namespace boardlab
