// Blackjack for one player against the house, with an infinite deck: hit, stand, double, split, surrender, insurance.
//
// The dealer's hole card is dealt when it is turned over, not before. With an infinite deck that is the same game: the
// card does not depend on anything dealt in between. Only the peek reveals something about it, so the peek is a
// separate chance node (natural or not), after which the hole card is drawn from the cards still possible. So nothing
// is hidden, and expectimax, which cannot look under a card, plays the game exactly.
//
// Cards are 1 (ace) to 10; suits and the names of the tens do not matter. Hands are sets and kept sorted, so that equal
// hands are equal positions; the dealer's first card stays first because it was face up.
#include <algorithm>

#include "core/adapt.h"
#include "games/registry.h"

namespace boardlab {

namespace {

struct BlackjackRules {
  bool pays_3_to_2, may_double, may_split, may_surrender, may_insure, peek, hit_soft_17;
  int rounds;
};

class Blackjack {
 public:
  static constexpr int MAX_HANDS = 4;
  // The longest hand: ten aces (soft 20), a two (hard 12), eight aces (hard 20), one more card.
  static constexpr int MAX_CARDS = 20;
  static constexpr int VALUES = 10;
  static constexpr int max_legal = VALUES;
  enum : Action { HIT, STAND, DOUBLE, SPLIT, SURRENDER, INSURE, DECLINE, ACTIONS };
  enum : std::int32_t { NO_NATURAL = VALUES, NATURAL, OUTCOMES };  // results of the peek; cards are 0 .. 9
  // FIRST .. SECOND: the deal. INSURANCE, PLAY: the player decides. DRAW: a card for the hand in play.
  enum Phase : std::uint8_t { FIRST, UP, SECOND, INSURANCE, PEEK, PLAY, DRAW, DEALER, OVER, PHASES };

  struct Hand {
    std::uint8_t cards[MAX_CARDS];
    std::uint8_t count;
    std::uint8_t doubled, surrendered;
    std::uint8_t stopped;  // stood, doubled or busted: no more actions
  };
  struct State {
    std::int32_t won;     // half stakes, from finished rounds and what is settled of this one
    std::uint16_t round;  // 0, 1, ...
    std::uint8_t phase;
    std::uint8_t insured;
    std::uint8_t peeked;  // the dealer looked and had no natural
    std::uint8_t hands, current;
    std::uint8_t acted;  // the player has made an action in this game
    Hand dealer, hand[MAX_HANDS];
  };

  explicit Blackjack(BlackjackRules rules) : rules_(rules) {}

  Facts facts() const {
    Facts f;
    f.players = 1;
    f.action_count = ACTIONS;
    f.outcome_count = OUTCOMES;
    const int hands = rules_.may_split ? MAX_HANDS : 1;
    f.horizon = rules_.rounds * (hands * (MAX_CARDS + 1) + 1);
    f.flags = BL_LOOSE_RANGE;
    const int stakes = hands * (rules_.may_double ? 2 : 1);
    f.min_score = rules_.rounds * (-stakes - 0.5);
    f.max_score = rules_.rounds * std::max(static_cast<double>(stakes), 1.5);
    f.field_count = HEAD + (1 + MAX_HANDS) * PER_HAND;
    f.cells = CELLS;
    f.plane_count = 1;
    f.plane_rows = 1;
    f.plane_cols = FEATURES;
    f.feature_count = FEATURES;
    return f;
  }

  void initial_state(State &s, Rng &) const { open_round(s); }
  int player(const State &s) const {
    if (s.phase == OVER) return s.round + 1 >= rules_.rounds ? TERMINAL : CHANCE;
    return s.phase == PLAY || s.phase == INSURANCE ? 0 : CHANCE;
  }
  int last_player(const State &s) const { return s.acted ? 0 : CHANCE; }
  int round_over(const State &s) const { return s.phase == OVER; }

  int legal(const State &s, Action *actions) const {
    int n = 0;
    if (s.phase == INSURANCE) {
      actions[n++] = INSURE;
      actions[n++] = DECLINE;
      return n;
    }
    const Hand &hand = s.hand[s.current];
    const bool fresh = hand.count == 2;
    actions[n++] = HIT;
    actions[n++] = STAND;
    if (fresh && rules_.may_double) actions[n++] = DOUBLE;
    // Split aces get one card each and are not split again, so a pair of aces here is always the first hand.
    if (fresh && rules_.may_split && hand.cards[0] == hand.cards[1] && s.hands < MAX_HANDS) actions[n++] = SPLIT;
    if (fresh && rules_.may_surrender && s.hands == 1) actions[n++] = SURRENDER;
    return n;
  }
  void apply(State &s, Action action) const {
    if (player(s) != 0) return nature(s, action);
    s.acted = 1;
    Hand &hand = s.hand[s.current];
    switch (action) {
      case INSURE:
      case DECLINE: s.insured = action == INSURE; return after_insurance(s);
      case HIT: s.phase = DRAW; return;
      case DOUBLE:
        hand.doubled = 1;
        s.phase = DRAW;
        return;
      case SPLIT: {
        Hand &other = s.hand[s.hands++];
        --hand.count;
        add(other, hand.cards[hand.count]);
        hand.cards[hand.count] = 0;
        s.phase = DRAW;
        return;
      }
      case SURRENDER: hand.surrendered = 1; break;
      default: break;
    }
    hand.stopped = 1;
    next_hand(s);
  }
  void scores(const State &s, double *out) const { out[0] = s.won / 2.0; }

  int chance(const State &s, std::int32_t *outcomes, double *probabilities) const {
    if (s.phase == PEEK) {
      outcomes[0] = NO_NATURAL;
      outcomes[1] = NATURAL;
      probabilities[1] = probability(completing(s));
      probabilities[0] = 1 - probabilities[1];
      return 2;
    }
    // After a peek without a natural, the hole card cannot be the one that would make it.
    const int impossible = s.phase == DEALER && s.peeked && s.dealer.count == 1 ? completing(s) : 0;
    const double possible = impossible ? 1 - probability(impossible) : 1;
    int n = 0;
    for (std::int32_t value = 1; value <= VALUES; ++value) {
      if (value == impossible) continue;
      outcomes[n] = value - 1;
      probabilities[n++] = probability(value) / possible;
    }
    return n;
  }

  // ---- fields: round, half stakes won, phase, insured, peeked, hands, current, acted; then the dealer and four hands:
  // count, doubled, surrendered, stopped, the cards.
  enum : int { HEAD = 8, PER_HAND = 4 + MAX_CARDS };

  void to_fields(const State &s, std::int32_t *fields) const {
    const std::int32_t head[HEAD] = {s.round, s.won, s.phase, s.insured, s.peeked, s.hands, s.current, s.acted};
    std::copy(head, head + HEAD, fields);
    fields = hand_to_fields(s.dealer, fields + HEAD);
    for (const Hand &hand : s.hand) fields = hand_to_fields(hand, fields);
  }
  const char *from_fields(State &s, const std::int32_t *fields) const {
    if (fields[0] < 0 || fields[0] >= rules_.rounds) return "the round is beyond the last one";
    // A round settles at most eight stakes and a half.
    if (fields[1] < -17 * (fields[0] + 1) || fields[1] > 17 * (fields[0] + 1))
      return "that many stakes cannot have been won";
    if (fields[2] < 0 || fields[2] >= PHASES) return "a round has no such phase";
    for (const int flag : {3, 4, 7})
      if (fields[flag] < 0 || fields[flag] > 1) return "insured, peeked and acted are 0 or 1";
    if (fields[5] < 1 || fields[5] > (rules_.may_split ? MAX_HANDS : 1)) return "too many hands, or none";
    if (fields[6] < 0 || fields[6] >= fields[5]) return "the hand in play does not exist";
    s.round = static_cast<std::uint16_t>(fields[0]);
    s.won = fields[1];
    s.phase = static_cast<std::uint8_t>(fields[2]);
    s.insured = static_cast<std::uint8_t>(fields[3]);
    s.peeked = static_cast<std::uint8_t>(fields[4]);
    s.hands = static_cast<std::uint8_t>(fields[5]);
    s.current = static_cast<std::uint8_t>(fields[6]);
    s.acted = static_cast<std::uint8_t>(fields[7]);
    fields += HEAD;
    if (const char *error = hand_from_fields(s.dealer, fields, 1)) return error;
    for (Hand &hand : s.hand)
      if (const char *error = hand_from_fields(hand, fields += PER_HAND, 0)) return error;
    return impossible(s);
  }

  // ---- the inputs of a decision: the hand in play, the dealer's card, what is allowed ----
  enum : int { TOTAL, SOFT, DEALER_TOTAL, CARDS, PAIR, MOMENT, CELLS };

  int cell_values(int cell) const {
    constexpr int values[CELLS] = {23, 2, 23, 4, 11, PHASES};
    return values[cell];
  }
  void board_vector(const State &s, int, std::uint8_t *cells) const {
    const Hand &hand = s.hand[s.current];
    cells[TOTAL] = static_cast<std::uint8_t>(std::min(total(hand), 22));
    cells[SOFT] = is_soft(hand);
    cells[DEALER_TOTAL] = static_cast<std::uint8_t>(std::min(total(s.dealer), 22));
    cells[CARDS] = std::min<std::uint8_t>(hand.count, 3);
    cells[PAIR] = is_pair(hand) ? hand.cards[0] : 0;
    cells[MOMENT] = s.phase;
  }
  int adjacency(int cell, std::int32_t *out) const {
    int n = 0;
    for (int other = 0; other < CELLS; ++other)
      if (other != cell) out[n++] = other;
    return n;
  }
  static constexpr int FEATURES = 10;
  void features(const State &s, int, double *out) const {
    const Hand &hand = s.hand[s.current];
    const double list[FEATURES] = {total(hand) / 21.0,        double(is_soft(hand)),   total(s.dealer) / 21.0,
                                   double(is_soft(s.dealer)), double(hand.count == 2), double(is_pair(hand)),
                                   double(s.insured),         double(s.peeked),        double(s.hands) / MAX_HANDS,
                                   double(s.phase == PLAY)};
    std::copy(list, list + FEATURES, out);
  }
  void planes(const State &s, int player, float *out) const {
    double list[FEATURES];
    features(s, player, list);
    std::transform(list, list + FEATURES, out, [](double x) { return static_cast<float>(x); });
  }

 private:
  static double probability(int value) { return value == 10 ? 4.0 / 13 : 1.0 / 13; }
  // The hole card that makes a natural of the dealer's card, or 0.
  static int completing(const State &s) { return s.dealer.cards[0] == 1 ? 10 : s.dealer.cards[0] == 10 ? 1 : 0; }

  static int total(const Hand &hand) {
    int sum = 0;
    for (int i = 0; i < hand.count; ++i) sum += hand.cards[i];
    return sum + (is_soft(hand) ? 10 : 0);
  }
  // An ace counts eleven unless that busts.
  static bool is_soft(const Hand &hand) {
    int sum = 0;
    bool ace = false;
    for (int i = 0; i < hand.count; ++i) {
      sum += hand.cards[i];
      ace = ace || hand.cards[i] == 1;
    }
    return ace && sum <= 11;
  }
  static bool is_pair(const Hand &hand) { return hand.count == 2 && hand.cards[0] == hand.cards[1]; }
  static bool is_two_card_21(const Hand &hand) { return hand.count == 2 && total(hand) == 21; }
  // A hand of a split is never a natural.
  static bool player_natural(const State &s) { return s.hands == 1 && is_two_card_21(s.hand[0]); }
  static bool is_busted(const Hand &hand) { return total(hand) > 21; }
  bool dealer_draws(const State &s) const {
    const int sum = total(s.dealer);
    return sum < 17 || (sum == 17 && rules_.hit_soft_17 && is_soft(s.dealer));
  }

  static void add(Hand &hand, int value, int sorted_from = 0) {
    int i = hand.count++;
    for (; i > sorted_from && hand.cards[i - 1] > value; --i) hand.cards[i] = hand.cards[i - 1];
    hand.cards[i] = static_cast<std::uint8_t>(value);
  }

  void open_round(State &s) const {
    const std::int32_t won = s.won;
    const std::uint16_t round = s.round;
    const std::uint8_t acted = s.acted;
    std::memset(&s, 0, sizeof s);
    s.won = won;
    s.round = round;
    s.acted = acted;
    s.hands = 1;
  }
  void nature(State &s, Action outcome) const {
    const int value = outcome + 1;
    switch (s.phase) {
      case OVER:
        ++s.round;
        open_round(s);
        [[fallthrough]];
      case FIRST:
        add(s.hand[0], value);
        s.phase = UP;
        return;
      case UP:
        add(s.dealer, value);
        s.phase = SECOND;
        return;
      case SECOND:
        add(s.hand[0], value);
        if (rules_.may_insure && s.dealer.cards[0] == 1)
          s.phase = INSURANCE;
        else
          after_insurance(s);
        return;
      case PEEK:
        if (outcome == NATURAL) {
          add(s.dealer, completing(s), 1);
          return settle(s);
        }
        s.peeked = 1;
        return begin_play(s);
      case DRAW: {
        Hand &hand = s.hand[s.current];
        const bool split_ace = hand.count == 1 && hand.cards[0] == 1;  // gets only this card
        add(hand, value);
        hand.stopped = hand.doubled || total(hand) >= 21 || split_ace;
        return next_hand(s);
      }
      default: add(s.dealer, value, 1); return dealer_turn(s);
    }
  }
  void after_insurance(State &s) const {
    if (rules_.peek && completing(s))
      s.phase = PEEK;
    else
      begin_play(s);
  }
  void begin_play(State &s) const {
    if (player_natural(s)) s.hand[0].stopped = 1;
    next_hand(s);
  }
  // Continues the hand in play, or moves on to the next hand, or to the dealer.
  void next_hand(State &s) const {
    while (s.hand[s.current].stopped) {
      if (s.current + 1 == s.hands) return dealer_turn(s);
      ++s.current;
    }
    s.phase = s.hand[s.current].count == 1 ? DRAW : PLAY;
  }
  // Turns cards over while they matter.
  void dealer_turn(State &s) const {
    bool alive = false;  // a hand is still to be compared
    for (int i = 0; i < s.hands; ++i) alive = alive || !(is_busted(s.hand[i]) || s.hand[i].surrendered);
    const bool can_be_natural = s.dealer.count == 1 && !s.peeked && completing(s);
    const bool hole_matters = can_be_natural && (s.insured || player_natural(s));
    if (hole_matters || (alive && !player_natural(s) && dealer_draws(s)))
      s.phase = DEALER;
    else
      settle(s);
  }
  void settle(State &s) const {
    s.phase = OVER;
    const bool dealer_natural = is_two_card_21(s.dealer);
    if (s.insured) s.won += dealer_natural ? 2 : -1;
    for (int i = 0; i < s.hands; ++i) s.won += (s.hand[i].doubled ? 2 : 1) * result(s, s.hand[i], dealer_natural);
  }
  // Half stakes for a single bet on the hand.
  int result(const State &s, const Hand &hand, bool dealer_natural) const {
    if (hand.surrendered) return -1;
    if (player_natural(s)) return dealer_natural ? 0 : rules_.pays_3_to_2 ? 3 : 2;
    if (is_busted(hand) || dealer_natural) return -2;
    if (is_busted(s.dealer)) return 2;
    const int mine = total(hand), house = total(s.dealer);
    return mine > house ? 2 : mine < house ? -2 : 0;
  }

  // ---- reading ----

  static std::int32_t *hand_to_fields(const Hand &hand, std::int32_t *fields) {
    *fields++ = hand.count;
    *fields++ = hand.doubled;
    *fields++ = hand.surrendered;
    *fields++ = hand.stopped;
    return std::copy(hand.cards, hand.cards + MAX_CARDS, fields);
  }
  static const char *hand_from_fields(Hand &hand, const std::int32_t *fields, int sorted_from) {
    if (fields[0] < 0 || fields[0] > MAX_CARDS) return "a hand can have at most 20 cards";
    for (int i = 1; i < 4; ++i)
      if (fields[i] < 0 || fields[i] > 1) return "doubled, surrendered and stopped are 0 or 1";
    for (int i = 0; i < MAX_CARDS; ++i) {
      const std::int32_t card = fields[4 + i];
      if (i < fields[0] ? card < 1 || card > VALUES : card != 0) return "cards are 1 (ace) to 10";
      if (i > sorted_from && i < fields[0] && card < fields[3 + i]) return "the cards of a hand must be sorted";
      hand.cards[i] = static_cast<std::uint8_t>(card);
    }
    hand.count = static_cast<std::uint8_t>(fields[0]);
    hand.doubled = static_cast<std::uint8_t>(fields[1]);
    hand.surrendered = static_cast<std::uint8_t>(fields[2]);
    hand.stopped = static_cast<std::uint8_t>(fields[3]);
    return nullptr;
  }
  // Returns what is wrong with a state whose numbers are each in range, or null.
  const char *impossible(const State &s) const {
    static constexpr Hand EMPTY{};
    const Hand &first = s.hand[0], &current = s.hand[s.current];
    const auto is_blank = [](const Hand &hand) { return !hand.doubled && !hand.surrendered && !hand.stopped; };
    if (!is_blank(s.dealer)) return "the dealer cannot double, surrender or stand";
    for (int i = s.hands; i < MAX_HANDS; ++i)
      if (std::memcmp(&s.hand[i], &EMPTY, sizeof EMPTY)) return "a hand that is not in play has cards";
    if (s.insured && !(rules_.may_insure && s.dealer.cards[0] == 1)) return "insurance is only against an ace";
    if (s.phase <= PEEK) {
      if (s.hands > 1 || s.peeked || !is_blank(first)) return "the round has not begun yet";
      if (s.round == 0 && s.phase < PEEK && s.acted) return "nobody has acted yet";
      constexpr int mine[] = {0, 1, 1, 2, 2}, house[] = {0, 0, 1, 1, 1};
      if (first.count != mine[s.phase] || s.dealer.count != house[s.phase])
        return "the cards do not fit the stage of the deal";
      if (s.insured && s.phase != PEEK) return "insurance follows the deal";
      if (s.phase == INSURANCE && !(rules_.may_insure && s.dealer.cards[0] == 1))
        return "insurance is only offered against an ace";
      if (s.phase == PEEK && !(rules_.peek && completing(s))) return "the dealer does not peek here";
      return nullptr;
    }
    if (s.dealer.count < 1) return "the dealer has no card";
    const bool peek_found_natural =
        s.phase == OVER && s.hands == 1 && first.count == 2 && is_blank(first) && is_two_card_21(s.dealer);
    if (rules_.peek && completing(s) ? !s.peeked && !peek_found_natural : s.peeked)
      return "the dealer may peek only with an ace or a ten, before the player acts";
    if (s.peeked && is_two_card_21(s.dealer)) return "the dealer peeked and had no natural";
    for (int i = 0; i < s.hands; ++i) {
      const Hand &hand = s.hand[i];
      if (hand.doubled && (!rules_.may_double || hand.count > 3)) return "a hand was doubled against the rules";
      if (hand.surrendered &&
          !(rules_.may_surrender && s.hands == 1 && hand.count == 2 && hand.stopped && !hand.doubled))
        return "a hand was surrendered against the rules";
      if (i < s.current ? !hand.stopped || hand.count < 2 : i > s.current && (hand.count != 1 || !is_blank(hand)))
        return "hands must be played one after the other";
    }
    if (s.phase == PLAY || s.phase == DRAW) {
      if (s.dealer.count != 1) return "the dealer must wait for the player";
      if (current.stopped || total(current) >= 21 || current.count >= MAX_CARDS) return "the hand in play is finished";
      if (current.doubled ? s.phase == PLAY || current.count != 2
                          : current.count < (s.phase == PLAY || s.hands == 1 ? 2 : 1))
        return "the cards of the hand in play do not fit its phase";
      return nullptr;
    }
    if (s.current + 1 != s.hands || (!current.stopped && !peek_found_natural) || current.count < 2)
      return "the player's hands are not finished";
    State again = s;
    if (!peek_found_natural) dealer_turn(again);
    return again.phase == s.phase ? nullptr : "the dealer draws to 17 while it matters";
  }

  BlackjackRules rules_;
};

}  // namespace

bl_game make_blackjack(const Params &params) {
  BlackjackRules rules{};
  rules.pays_3_to_2 = params.choice("natural", {"3:2", "1:1"}) == "3:2";
  rules.may_double = params.boolean("double");
  rules.may_split = params.boolean("split");
  rules.may_surrender = params.boolean("surrender");
  rules.may_insure = params.boolean("insurance");
  rules.peek = params.boolean("peek");
  rules.hit_soft_17 = params.boolean("hit_soft_17");
  rules.rounds = params.integer("rounds", 1, 10000);
  return make_table(std::make_unique<Blackjack>(rules));
}

}  // namespace boardlab
