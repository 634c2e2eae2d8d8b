// Kuhn poker (Kuhn 1950): jack, queen, king, one card each, ante 1, one bet of 1. The smallest poker with bluffing.
//
// The betting is public and at most three actions long, so all of it is kept; a player sees its own card, and after a
// showdown the opponent's. Several rounds may be played; the first player alternates, and earlier rounds are kept only
// as what was won.
#include <algorithm>

#include "core/adapt.h"
#include "games/one_card.h"
#include "games/registry.h"

namespace boardlab {

namespace {

class KuhnPoker {
 public:
  static constexpr int MAX_ROUNDS = 1000;
  static constexpr int CARDS = 3;
  static constexpr int max_legal = 3;
  static constexpr std::uint8_t NO_CARD = 0, HIDDEN = 4, NOBODY = 255;  // cards are 1 (jack) to 3 (king)
  enum : Action { PASS, BET };                                          // check or fold; bet or call

  struct State {
    std::int16_t won;       // by player 0 from player 1 in the finished rounds
    std::uint16_t round;    // 0, 1, ...
    std::uint8_t cards[2];  // of player 0 and 1
    std::uint8_t actions[3];
    std::uint8_t count;   // of actions
    std::uint8_t last;    // who acted last, in an earlier round too
    std::uint8_t unused;  // keeps the size even without padding
  };

  explicit KuhnPoker(int rounds) : rounds_(rounds) {}

  Facts facts() const {
    Facts f;
    f.players = 2;
    f.action_count = 2;
    f.outcome_count = CARDS;
    f.horizon = 3 * rounds_;
    f.flags = BL_ZERO_SUM | BL_HIDDEN;
    f.min_score = -2.0 * rounds_;
    f.max_score = 2.0 * rounds_;
    f.field_count = 9;
    f.cells = 3;
    f.plane_count = 4;
    f.plane_rows = 1;
    f.plane_cols = 3;
    f.situation_size = 2;
    return f;
  }

  void initial_state(State &s, Rng &) const { s.last = NOBODY; }
  int player(const State &s) const {
    if (round_over(s)) return s.round + 1 >= rounds_ ? TERMINAL : CHANCE;
    return next_to_deal(s) >= 0 ? CHANCE : to_act(s);
  }
  int last_player(const State &s) const { return s.last == NOBODY ? CHANCE : s.last; }
  int legal(const State &, Action *actions) const {
    actions[0] = PASS;
    actions[1] = BET;
    return 2;
  }
  void apply(State &s, Action action) const {
    if (round_over(s)) {
      ++s.round;
      s.count = 0;
      std::fill(s.cards, s.cards + 2, NO_CARD);
      std::fill(s.actions, s.actions + 3, std::uint8_t{0});
    }
    if (const int seat = next_to_deal(s); seat >= 0) {
      s.cards[seat] = static_cast<std::uint8_t>(action + 1);
      return;
    }
    s.last = static_cast<std::uint8_t>(to_act(s));
    s.actions[s.count++] = static_cast<std::uint8_t>(action);
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
    return s.count >= 2 && (s.count == 3 || s.actions[0] == BET || s.actions[1] == PASS);
  }

  void conceal(State &s, int player) const {
    std::uint8_t &other = s.cards[1 - player];
    if (other != NO_CARD && !is_showdown(s)) other = HIDDEN;
  }
  void determinize(State &s, int player, Rng &rng) const { one_card_determinize(*this, s, player, rng); }
  int completions(const State &s, int player, int capacity, State *states, double *probabilities) const {
    const auto is_used = [player](const State &seen, std::uint8_t card) { return card == seen.cards[player]; };
    return one_card_completions(*this, s, player, capacity, states, probabilities, is_used);
  }

  // round, won, last player (-1: none), the cards, the number of actions, the actions
  void to_fields(const State &s, std::int32_t *fields) const {
    fields[0] = s.round;
    fields[1] = s.won;
    fields[2] = last_player(s);
    fields[3] = s.cards[0];
    fields[4] = s.cards[1];
    fields[5] = s.count;
    std::copy(s.actions, s.actions + 3, fields + 6);
  }
  // Replays the round: either it gives a position of the game, or the fields are inconsistent.
  const char *from_fields(State &s, const std::int32_t *fields) const {
    if (fields[0] < 0 || fields[0] >= rounds_) return "the round is beyond the last one";
    if (fields[3] == HIDDEN || fields[4] == HIDDEN) return "a hidden card cannot be read back; fill it in first";
    if (fields[3] < 0 || fields[3] > CARDS || fields[4] < 0 || fields[4] > CARDS ||
        (fields[3] && fields[3] == fields[4]))
      return "the cards must be two different ones of J, Q, K, or not yet dealt";
    if (fields[5] < 0 || fields[5] > 3) return "a round can have at most three actions";
    if (fields[1] < -2 * rounds_ || fields[1] > 2 * rounds_) return "more was won than is possible";
    if (fields[2] < CHANCE || fields[2] > 1) return "there is no such last player";
    s.round = static_cast<std::uint16_t>(fields[0]);
    s.last = fields[2] == CHANCE ? NOBODY : static_cast<std::uint8_t>(fields[2]);
    while (!round_over(s)) {
      const int seat = next_to_deal(s);
      if (seat >= 0 ? !fields[3 + seat] : s.count == fields[5]) break;
      const std::int32_t next = seat >= 0 ? fields[3 + seat] - 1 : fields[6 + s.count];
      if (seat < 0 && next != PASS && next != BET) return "an action must be 0 (pass) or 1 (bet)";
      apply(s, next);
    }
    s.won = static_cast<std::int16_t>(fields[1]);
    std::int32_t again[9];
    to_fields(s, again);
    if (!std::equal(fields, fields + 9, again)) return "the cards and the actions do not fit together";
    if (s.round == 0 && s.count == 0 && s.last != NOBODY) return "nobody has acted yet";
    const int before = s.won - (round_over(s) ? stake_won(s) : 0);
    if (before < -2 * s.round || before > 2 * s.round) return "more was won than is possible in these rounds";
    return nullptr;
  }

  // As `player` sees it: its own card, the other's if it was shown, the betting.
  int cell_values(int cell) const { return cell == 2 ? 15 : CARDS + 1; }
  void board_vector(const State &s, int player, std::uint8_t *cells) const {
    State seen = s;
    conceal(seen, player);
    cells[0] = seen.cards[player];
    cells[1] = seen.cards[1 - player] == HIDDEN ? NO_CARD : seen.cards[1 - player];
    cells[2] = betting(s);
  }
  int adjacency(int cell, std::int32_t *out) const {
    int n = 0;
    for (int other = 0; other < 3; ++other)
      if (other != cell) out[n++] = other;
    return n;
  }
  // The betting tells who begins.
  int situation(const State &s, int player, std::uint8_t *key) const {
    key[0] = s.cards[player];
    key[1] = betting(s);
    return 2;
  }
  int retrace(const State &s, State &start, int capacity, Action *actions) const {
    start.won = static_cast<std::int16_t>(s.won - (round_over(s) ? stake_won(s) : 0));
    start.round = s.round;
    start.last = s.count == 0 ? s.last : s.round == 0 ? NOBODY : std::uint8_t{0};  // who, of an earlier round, is lost
    int n = 0;
    const auto add = [&](int action) {
      if (n < capacity) actions[n] = action;
      ++n;
    };
    for (const int seat : {first(s), 1 - first(s)})
      if (s.cards[seat]) add(s.cards[seat] - 1);
    for (int i = 0; i < s.count; ++i) add(s.actions[i]);
    return n <= capacity ? n : -1;
  }
  // Own card, the other's card, who bet, who acted: [4][1][3].
  void planes(const State &s, int player, float *out) const {
    std::uint8_t cells[3];
    board_vector(s, player, cells);
    std::fill(out, out + 12, 0.0f);
    if (cells[0]) out[cells[0] - 1] = 1;
    if (cells[1]) out[3 + cells[1] - 1] = 1;
    for (int i = 0; i < s.count; ++i) {
      out[6 + i] = s.actions[i];
      out[9 + i] = 1;
    }
  }

 private:
  // Numbered like a binary tree: 0, then 1 2, then 3 4 5 6, ...
  static std::uint8_t betting(const State &s) {
    int number = 0;
    for (int i = 0; i < s.count; ++i) number = 2 * number + 1 + s.actions[i];
    return static_cast<std::uint8_t>(number);
  }
  int first(const State &s) const { return s.round % 2; }
  int to_act(const State &s) const { return (first(s) + s.count) % 2; }
  int next_to_deal(const State &s) const {
    if (!s.cards[first(s)]) return first(s);
    return s.cards[1 - first(s)] ? -1 : 1 - first(s);
  }
  bool is_showdown(const State &s) const { return round_over(s) && s.actions[s.count - 1] == s.actions[s.count - 2]; }
  // What player 0 wins in a round that is over.
  int stake_won(const State &s) const {
    const int folder = is_showdown(s) ? -1 : s.last;
    if (folder >= 0) return folder == 0 ? -1 : 1;
    const int stake = s.actions[s.count - 1] == BET ? 2 : 1;
    return s.cards[0] > s.cards[1] ? stake : -stake;
  }

  int rounds_;
};

}  // namespace

bl_game make_kuhnpoker(const Params &params) {
  return make_table(std::make_unique<KuhnPoker>(params.integer("rounds", 1, KuhnPoker::MAX_ROUNDS)));
}

}  // namespace boardlab
