// Leduc poker (Southey et al. 2005): six cards, one for each of two players and one common card; a round of betting
// before and one after it. The usual yardstick of methods for hidden cards.
//
// A street of betting has 15 possible sequences, the nodes of one small tree, so a state keeps two of their numbers.
// Several rounds may be played; the first player alternates, and earlier rounds are kept only as what was won.
#include <algorithm>

#include "core/adapt.h"
#include "games/one_card.h"
#include "games/registry.h"

namespace boardlab {

namespace {

// One sequence of betting in a street. Next: after fold, call, raise; 0 where the action is illegal.
struct Betting {
  std::uint8_t next[3];
  std::int8_t to_act;    // 0: who begins, 1: the other, -1: the street is over
  std::int8_t folded;    // who folded, or -1
  std::uint8_t bets[2];  // paid by who begins and by the other
};

// c call (or check), r raise (or bet), f fold.
constexpr Betting BETTING[] = {
    {{0, 1, 2}, 0, -1, {0, 0}},    // the start
    {{0, 3, 4}, 1, -1, {0, 0}},    // c
    {{5, 6, 7}, 1, -1, {1, 0}},    // r
    {{0, 0, 0}, -1, -1, {0, 0}},   // cc
    {{8, 9, 10}, 0, -1, {0, 1}},   // cr
    {{0, 0, 0}, -1, 1, {1, 0}},    // rf
    {{0, 0, 0}, -1, -1, {1, 1}},   // rc
    {{11, 12, 0}, 0, -1, {1, 2}},  // rr
    {{0, 0, 0}, -1, 0, {0, 1}},    // crf
    {{0, 0, 0}, -1, -1, {1, 1}},   // crc
    {{13, 14, 0}, 1, -1, {2, 1}},  // crr
    {{0, 0, 0}, -1, 0, {1, 2}},    // rrf
    {{0, 0, 0}, -1, -1, {2, 2}},   // rrc
    {{0, 0, 0}, -1, 1, {2, 1}},    // crrf
    {{0, 0, 0}, -1, -1, {2, 2}},   // crrc
};
constexpr int SEQUENCES = static_cast<int>(std::size(BETTING));

class LeducPoker {
 public:
  static constexpr int MAX_ROUNDS = 1000;
  static constexpr int CARDS = 6, ANTE = 1, STAKES[2] = {2, 4}, MOST = 13;  // MOST: ante, two bets of 2, two of 4
  static constexpr int max_legal = CARDS;
  static constexpr std::uint8_t NO_CARD = 0, HIDDEN = CARDS + 1, NOBODY = 255;  // cards are 1 .. 6
  enum : Action { FOLD, CALL, RAISE };

  struct State {
    std::int16_t won;     // by player 0 from player 1 in the finished rounds
    std::uint16_t round;  // 0, 1, ...
    std::uint8_t cards[2];
    std::uint8_t board;
    std::uint8_t betting[2];  // of both streets: numbers of BETTING
    std::uint8_t last;        // who acted last, in an earlier round too
  };

  explicit LeducPoker(int rounds) : rounds_(rounds) {}

  Facts facts() const {
    Facts f;
    f.players = 2;
    f.action_count = 3;
    f.outcome_count = CARDS;
    f.horizon = 8 * rounds_;
    f.flags = BL_ZERO_SUM | BL_HIDDEN;
    f.min_score = -MOST * rounds_;
    f.max_score = MOST * rounds_;
    f.field_count = FIELDS;
    f.cells = CELLS;
    f.situation_size = 4;
    return f;
  }

  void initial_state(State &s, Rng &) const { s.last = NOBODY; }
  int player(const State &s) const {
    if (round_over(s)) return s.round + 1 >= rounds_ ? TERMINAL : CHANCE;
    return next_to_deal(s) != NONE ? CHANCE : to_act(s);
  }
  int last_player(const State &s) const { return s.last == NOBODY ? CHANCE : s.last; }
  int legal(const State &s, Action *actions) const {
    int n = 0;
    for (const Action action : {FOLD, CALL, RAISE})
      if (now(s).next[action]) actions[n++] = action;
    return n;
  }
  void apply(State &s, Action action) const {
    if (round_over(s)) {
      ++s.round;
      s.board = NO_CARD;
      std::fill(s.cards, s.cards + 2, NO_CARD);
      std::fill(s.betting, s.betting + 2, std::uint8_t{0});
    }
    if (const int place = next_to_deal(s); place != NONE) {
      (place == BOARD ? s.board : s.cards[place]) = static_cast<std::uint8_t>(action + 1);
      return;
    }
    s.last = static_cast<std::uint8_t>(to_act(s));
    s.betting[street(s)] = now(s).next[action];
    if (round_over(s)) s.won = static_cast<std::int16_t>(s.won + stake_won(s));
  }
  void scores(const State &s, double *out) const {
    out[0] = s.won;
    out[1] = -s.won;
  }
  int chance(const State &s, std::int32_t *outcomes, double *probabilities) const {
    return one_card_chances(*this, s, outcomes, probabilities);
  }
  int round_over(const State &s) const {
    const Betting &first = BETTING[s.betting[0]], &second = BETTING[s.betting[1]];
    return first.folded >= 0 || second.to_act < 0;
  }

  void conceal(State &s, int player) const {
    std::uint8_t &other = s.cards[1 - player];
    if (other != NO_CARD && !is_showdown(s)) other = HIDDEN;
  }
  void determinize(State &s, int player, Rng &rng) const { one_card_determinize(*this, s, player, rng); }
  int completions(const State &s, int player, int capacity, State *states, double *probabilities) const {
    const auto is_used = [player](const State &seen, std::uint8_t card) {
      return card == seen.cards[player] || card == seen.board;
    };
    return one_card_completions(*this, s, player, capacity, states, probabilities, is_used);
  }

  // ---- fields: round, won, last player (-1: none), the cards, the board, the betting of both streets
  enum : int { ROUND, WON, LAST, CARD, BOARD_CARD = CARD + 2, STREET, FIELDS = STREET + 2 };

  void to_fields(const State &s, std::int32_t *fields) const {
    fields[ROUND] = s.round;
    fields[WON] = s.won;
    fields[LAST] = last_player(s);
    std::copy(s.cards, s.cards + 2, fields + CARD);
    fields[BOARD_CARD] = s.board;
    std::copy(s.betting, s.betting + 2, fields + STREET);
  }
  const char *from_fields(State &s, const std::int32_t *fields) const {
    if (fields[ROUND] < 0 || fields[ROUND] >= rounds_) return "the round is beyond the last one";
    std::uint32_t dealt = 0;
    for (int i = CARD; i <= BOARD_CARD; ++i) {
      if (fields[i] == HIDDEN) return "a hidden card cannot be read back; fill it in first";
      if (fields[i] < 0 || fields[i] > CARDS) return "there is no such card";
      if (fields[i] && dealt >> fields[i] & 1) return "a card occurs twice";
      dealt |= 1u << fields[i];
    }
    for (int i = STREET; i < FIELDS; ++i)
      if (fields[i] < 0 || fields[i] >= SEQUENCES) return "there is no such betting";
    if (fields[LAST] < CHANCE || fields[LAST] > 1) return "there is no such last player";
    s.round = static_cast<std::uint16_t>(fields[ROUND]);
    for (int p = 0; p < 2; ++p) s.cards[p] = static_cast<std::uint8_t>(fields[CARD + p]);
    s.board = static_cast<std::uint8_t>(fields[BOARD_CARD]);
    for (int i = 0; i < 2; ++i) s.betting[i] = static_cast<std::uint8_t>(fields[STREET + i]);
    s.last = fields[LAST] == CHANCE ? NOBODY : static_cast<std::uint8_t>(fields[LAST]);
    if (const char *why = impossible(s)) return why;
    const int most = MOST * (s.round + round_over(s));
    if (fields[WON] < -most || fields[WON] > most) return "more was won than is possible in these rounds";
    s.won = static_cast<std::int16_t>(fields[WON]);
    const int before = s.won - (round_over(s) ? stake_won(s) : 0);
    if (before < -MOST * s.round || before > MOST * s.round) return "more was won than is possible in these rounds";
    return nullptr;
  }

  // ---- as `player` sees it: its own card, the other's if it was shown, the board, the betting of both streets ----
  enum : int { OWN, OTHER, TABLE, STREETS, CELLS = STREETS + 2 };

  int cell_values(int cell) const { return cell < STREETS ? CARDS + 1 : SEQUENCES; }
  void board_vector(const State &s, int player, std::uint8_t *cells) const {
    State seen = s;
    conceal(seen, player);
    cells[OWN] = seen.cards[player] == HIDDEN ? NO_CARD : seen.cards[player];
    cells[OTHER] = seen.cards[1 - player] == HIDDEN ? NO_CARD : seen.cards[1 - player];
    cells[TABLE] = seen.board;
    std::copy(seen.betting, seen.betting + 2, cells + STREETS);
  }
  int adjacency(int cell, std::int32_t *out) const {
    int n = 0;
    for (int other = 0; other < CELLS; ++other)
      if (other != cell) out[n++] = other;
    return n;
  }
  // The betting tells who begins.
  int situation(const State &s, int player, std::uint8_t *key) const {
    key[0] = s.cards[player];
    key[1] = s.board;
    std::copy(s.betting, s.betting + 2, key + 2);
    return 4;
  }
  int retrace(const State &s, State &start, int capacity, Action *actions) const {
    start.won = static_cast<std::int16_t>(s.won - (round_over(s) ? stake_won(s) : 0));
    start.round = s.round;
    start.last = !s.betting[0] ? s.last : s.round == 0 ? NOBODY : std::uint8_t{0};  // who, of an earlier round, is lost
    int n = 0;
    const auto add = [&](int action) {
      if (n < capacity) actions[n] = action;
      ++n;
    };
    const auto add_street = [&](int sequence) {
      Action path[4];
      int length = 0;
      while (sequence)
        for (int from = 0, to = sequence; from < to; ++from)
          for (const Action action : {FOLD, CALL, RAISE})
            if (BETTING[from].next[action] == to) path[length++] = action, sequence = from;
      while (length) add(path[--length]);
    };
    for (const int seat : {first(s), 1 - first(s)})
      if (s.cards[seat]) add(s.cards[seat] - 1);
    add_street(s.betting[0]);
    if (s.board) add(s.board - 1);
    add_street(s.betting[1]);
    return n <= capacity ? n : -1;
  }

 private:
  enum : int { NONE = -1, BOARD = 2 };  // beside the players: where the next card goes

  int first(const State &s) const { return s.round % 2; }
  int street(const State &s) const { return s.board != NO_CARD; }
  const Betting &now(const State &s) const { return BETTING[s.betting[street(s)]]; }
  int to_act(const State &s) const { return now(s).to_act ^ first(s); }
  int next_to_deal(const State &s) const {
    if (!s.cards[first(s)]) return first(s);
    if (!s.cards[1 - first(s)]) return 1 - first(s);
    return BETTING[s.betting[0]].to_act < 0 && !s.board ? BOARD : NONE;
  }
  bool is_showdown(const State &s) const {
    return BETTING[s.betting[1]].to_act < 0 && BETTING[s.betting[1]].folded < 0;
  }
  // Better hands have higher numbers: a pair with the board, else the rank. Two cards have the same rank.
  static int strength(std::uint8_t card, std::uint8_t board) {
    const int rank = (card - 1) / 2, pair = (board - 1) / 2;
    return rank == pair ? 3 : rank;
  }
  // What player 0 wins in a round that is over.
  int stake_won(const State &s) const {
    int paid[2] = {ANTE, ANTE};  // by who begins, and by the other
    int folded = -1;
    for (int i = 0; i < 2; ++i) {
      const Betting &betting = BETTING[s.betting[i]];
      for (int seat = 0; seat < 2; ++seat) paid[seat] += STAKES[i] * betting.bets[seat];
      folded = std::max<int>(folded, betting.folded);
    }
    const int lead = strength(s.cards[0], s.board) - strength(s.cards[1], s.board);
    const int winner = folded >= 0 ? 1 - (folded ^ first(s)) : lead > 0 ? 0 : 1;
    if (folded < 0 && lead == 0) return 0;
    const int stake = paid[(1 - winner) ^ first(s)];
    return winner == 0 ? stake : -stake;
  }
  // Why no play of a round leads to these cards and this betting; null where one does.
  const char *impossible(const State &s) const {
    constexpr const char *WHY = "the cards and the betting do not fit together";
    const Betting &opening = BETTING[s.betting[0]];
    if (s.cards[1 - first(s)] && !s.cards[first(s)]) return WHY;
    if ((s.betting[0] || s.board) && !(s.cards[0] && s.cards[1])) return WHY;
    if (s.board && (opening.to_act >= 0 || opening.folded >= 0)) return WHY;
    if (s.betting[1] && !s.board) return WHY;
    if (!s.betting[0] && s.round == 0 && s.last != NOBODY) return "nobody has acted yet";
    if (s.betting[0] && s.last != (actor(s) ^ first(s))) return "another player acted last";
    return nullptr;
  }
  // Who made the last action of a round that has begun: 0 who begins, 1 the other.
  static int actor(const State &s) {
    const int now = s.betting[1] ? s.betting[1] : s.betting[0];
    for (const Betting &before : BETTING)
      if (std::find(before.next, before.next + 3, now) != before.next + 3) return before.to_act;
    return 0;
  }

  int rounds_;
};

}  // namespace

bl_game make_leducpoker(const Params &params) {
  return make_table(std::make_unique<LeducPoker>(params.integer("rounds", 1, LeducPoker::MAX_ROUNDS)));
}

}  // namespace boardlab
