#include "arena/match.h"

#include <algorithm>
#include <bit>
#include <chrono>
#include <exception>
#include <limits>

namespace boardlab {

namespace {

constexpr double UNKNOWN = std::numeric_limits<double>::quiet_NaN();

unsigned everybody(const Game &game) { return (1u << game.players()) - 1; }

// Bits of the seats that play as one side with this seat, itself included: the rules always give them the same score.
// The contract does not state teams, so a few random games find them; they suffice to see that a seat has no partner.
unsigned side_of(const Game &game, int seat) {
  constexpr int GAMES = 100;
  const unsigned alone = 1u << seat;
  if (game.players() < 3) return alone;
  unsigned side = everybody(game);
  StateBuffer state(game);
  Rng rng(0);
  double scores[MAX_PLAYERS];
  for (int i = 0; i < GAMES && side != alone; ++i) {
    game.initial_state(state.data(), rng);
    game.playout(state.data(), rng, game.horizon(), false);
    game.scores(state.data(), scores);
    for (int p = 0; p < game.players(); ++p)
      if (scores[p] != scores[seat]) side &= ~(1u << p);
  }
  return side == everybody(game) ? alone : side;  // nobody ever won
}

// The faulty seat loses together with its partners. If all others are one side, they win; otherwise they keep their
// scores, or get the middle of the range if none has more than the loser.
void score_as_lost(const Game &game, GameRecord &record) {
  const Range range = game.outcome_range(SCORE);
  const unsigned losers = side_of(game, record.faulty_seat), others = everybody(game) & ~losers;
  const auto set = [&record](unsigned seats, double score) {
    for (; seats; seats &= seats - 1) record.scores[static_cast<std::size_t>(std::countr_zero(seats))] = score;
  };
  set(losers, range.min);
  if (!others) return;
  if (side_of(game, std::countr_zero(others)) == others && (game.players() > 2 || game.is_zero_sum()))
    set(others, range.max);
  else if (*std::max_element(record.scores.begin(), record.scores.end()) <= range.min)
    set(others, (range.min + range.max) / 2);
}

// The value that the agent expects of its chosen action.
double expected(const Decision &decision, int player) {
  for (std::size_t i = 0; i < decision.actions.size() && i < decision.values.size(); ++i)
    if (decision.actions[i] == decision.action) return decision.values[i];
  return decision.scores[player];
}

// Watches a two-player zero-sum game: who has been winning, and for how many consecutive actions of the agents.
class Judge {
 public:
  Judge(const Game &game, const Players &players, const Adjudication &rules, std::uint64_t seed)
      : game_(game), evaluator_(players.judge), rules_(rules), rng_(seed) {
    if (evaluator_) evaluator_->visit([](Evaluator &asked) { asked.reset(); });
  }

  // Whether the game ends here; if so, the record has the winner's and the loser's scores.
  bool ends(const void *state, GameRecord &record) {
    if (!evaluator_ || game_.player(state) == TERMINAL) return false;
    const Range range = game_.outcome_range(SCORE);
    const double middle = (range.min + range.max) / 2, half = (range.max - range.min) / 2;
    double value[MAX_PLAYERS];
    evaluator_->value(state, rng_, value);
    const double lead = (value[0] - middle) / half;
    const int winner = lead >= rules_.threshold ? 0 : lead <= -rules_.threshold ? 1 : -1;
    in_a_row_ = winner >= 0 && winner == winner_ ? in_a_row_ + 1 : winner >= 0 ? 1 : 0;
    winner_ = winner;
    if (in_a_row_ < rules_.patience) return false;
    record.adjudicated = true;
    record.scores[static_cast<std::size_t>(winner)] = range.max;
    record.scores[static_cast<std::size_t>(1 - winner)] = range.min;
    return true;
  }

 private:
  const Game &game_;
  Evaluator *evaluator_;
  Adjudication rules_;
  Rng rng_;
  int winner_ = -1, in_a_row_ = 0;
};

}  // namespace

GameRecord play_game(const Game &game, const Players &players, const MatchPlan &plan, std::int64_t index) {
  using Clock = std::chrono::steady_clock;
  const auto round = static_cast<std::uint64_t>(index / plan.round_size);
  const auto seats = static_cast<std::size_t>(game.players());
  GameRecord record;
  record.seats = plan.seatings[static_cast<std::size_t>(index) % plan.seatings.size()];
  record.scores.resize(seats);
  record.seconds.resize(seats);
  record.decisions.resize(seats);
  record.seed = derive_seed(plan.seed, 2 * round);
  const std::uint64_t agent_seed = derive_seed(plan.seed, 2 * static_cast<std::uint64_t>(index) + 1);
  // A mistake of an agent costs it the game but does not stop the match.
  const auto guarded = [&record](int seat, const auto &turn) {
    try {
      turn();
      return true;
    } catch (const std::invalid_argument &fault) {
      record.faulty_seat = seat;
      record.error = fault.what();
      record.resigned = dynamic_cast<const Resigned *>(&fault) != nullptr;
      return false;
    }
  };

  Rng start = start_rng(record.seed), nature(derive_seed(record.seed, 1)), opening(derive_seed(record.seed, 2));
  Judge judge(game, players, plan.adjudication, derive_seed(record.seed, 3));
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
      players.agents[static_cast<std::size_t>(agent)]->reset(derive_seed(agent_seed, static_cast<std::uint64_t>(seat)));
    });
  const auto show = [&](const StateBuffer &position) {
    if (game.is_hidden()) return;
    for (const int agent : record.seats) players.agents[static_cast<std::size_t>(agent)]->follow(position.data());
  };
  if (record.start >= 0)
    for (const StateBuffer &earlier : plan.before_starts[static_cast<std::size_t>(record.start)]) show(earlier);
  show(state);
  int player_actions = 0;
  while (record.faulty_seat < 0) {
    const int player = game.player(state.data());
    if (player == TERMINAL || player_actions >= game.horizon()) break;
    Action action;
    double value = UNKNOWN;
    bool is_chosen = false;  // by an agent: dice and openings do not show who keeps an advantage
    if (player == CHANCE) {
      action = game.sample_chance(state.data(), nature);
    } else if (player_actions < plan.random_actions) {
      const int n = game.legal(state.data(), legal.data());
      action = legal[opening.below(static_cast<std::uint32_t>(n))];
      ++player_actions;
    } else {
      const auto seat = static_cast<std::size_t>(player);
      Search &agent = *players.agents[static_cast<std::size_t>(record.seats[seat])];
      game.copy(seen.data(), state.data());
      game.conceal(seen.data(), player);
      const bool played = guarded(player, [&] {
        const auto asked = Clock::now();
        ++record.decisions[seat];
        agent.act(seen.data(), decision);
        record.seconds[seat] += std::chrono::duration<double>(Clock::now() - asked).count();
        const int n = game.legal(state.data(), legal.data());
        if (std::find(legal.begin(), legal.begin() + n, decision.action) != legal.begin() + n) return;
        if (!std::equal(legal.begin(), legal.begin() + n, decision.actions.begin(), decision.actions.end()))
          game.contradicts("legal");
        throw std::invalid_argument("it chose the illegal action " + std::to_string(decision.action));
      });
      if (!played) break;
      action = decision.action;
      if (plan.keep_values) value = expected(decision, player);
      is_chosen = true;
      ++player_actions;
    }
    game.apply(state.data(), action);
    show(state);
    record.actions.push_back(action);
    if (plan.keep_values) record.values.push_back(value);
    if (is_chosen && judge.ends(state.data(), record)) return record;
  }
  game.scores(state.data(), record.scores.data());
  if (record.faulty_seat >= 0) score_as_lost(game, record);
  return record;
}

}  // namespace boardlab
