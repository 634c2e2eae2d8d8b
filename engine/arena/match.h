// Games between searches, played and recorded without leaving the engine.
#pragma once

#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include "search/search.h"

namespace boardlab {

struct GameRecord {
  std::vector<int> seats;       // the agent in each seat
  std::vector<Action> actions;  // chance outcomes included
  std::vector<double> scores;   // one per seat
  std::vector<double> values;   // [actions] value the player expected; NaN: unknown; only with keep_values
  std::vector<double> seconds;  // thinking time per seat; the only field that varies between runs
  std::vector<int> decisions;   // number made by the agent in each seat
  std::uint64_t seed = 0;       // of the initial state and of chance
  int start = -1;               // index of the plan's start, or -1: the initial state of the seed
  int faulty_seat = -1;         // the seat whose agent failed or broke the rules: scored as lost
  bool resigned = false;        // the faulty seat's agent resigned: it lost but did not fail
  bool adjudicated = false;     // ended by adjudication
  std::string error;
};

// Thrown by an agent that resigns: it loses the game, but it did not fail.
struct Resigned : std::invalid_argument {
  using std::invalid_argument::invalid_argument;
};

// Ends games early whose result is clear. Off unless a plan has one.
struct Adjudication {
  double threshold = 1;  // distance of a value from the middle of the score range; 1 is its end
  int patience = 4;      // consecutive actions of the agents
};

struct MatchPlan {
  std::int64_t first = 0;  // plays games [first, games); game i does not depend on earlier ones
  std::int64_t games = 1;
  std::uint64_t seed = 0;
  int random_actions = 0;                               // random opening actions before the agents take over
  bool keep_values = false;                             // record the values that the agents expected
  std::vector<StateBuffer> starts;                      // start positions, one per round, instead of the initial state
  std::vector<std::vector<StateBuffer>> before_starts;  // [starts] the earlier positions of each start, if known
  std::vector<std::vector<int>> seatings;               // game i uses seatings[i % size]
  std::int64_t round_size = 1;                          // consecutive games that share a seed and an opening
  Adjudication adjudication;
};

// The players on one thread: all agents of the plan, and the adjudicating evaluator, if any.
struct Players {
  std::vector<Search *> agents;
  Evaluator *judge = nullptr;
};

// The random stream of a recorded game's set-up.
inline Rng start_rng(std::uint64_t record_seed) { return Rng(derive_seed(record_seed, 0)); }

// Plays one game. The searches get new seeds, so that a game does not depend on earlier ones.
GameRecord play_game(const Game &game, const Players &players, const MatchPlan &plan, std::int64_t index);

}  // namespace boardlab
