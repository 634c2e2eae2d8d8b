// Games between searches, played and recorded without leaving the engine.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "search/search.h"

namespace boardlab {

struct GameRecord {
  std::vector<int> seats;       // which agent sat on each seat
  std::vector<Action> actions;  // chance outcomes included
  std::vector<double> scores;   // one a seat
  std::vector<double> values;   // [actions] what the mover expected of its action; NaN where unknown; only if asked for
  std::vector<double> seconds;  // thought on each seat; the one thing here that is not the same every time
  std::vector<int> decisions;   // made by the agent on each seat
  std::uint64_t seed = 0;       // of the initial state and of chance
  int start = -1;               // index of the plan's start, or -1: the initial state of the seed
  int faulty_seat = -1;         // the seat whose agent broke the rules or died: scored as lost
  bool adjudicated = false;     // ended by the judge
  std::string error;
};

// Ends games whose result is clear. Off unless a plan has one.
struct Adjudication {
  double threshold = 1;  // a value for player 0 this far from the middle of the score range, 1 being its end
  int patience = 4;      // for so many actions of the agents in a row
};

struct MatchPlan {
  std::int64_t first = 0;  // games [first, games) are played; game i is the same whatever was played before
  std::int64_t games = 1;
  std::uint64_t seed = 0;
  int random_actions = 0;           // opening: so many random actions before the agents take over
  bool keep_values = false;         // records get what the agents expected
  std::vector<StateBuffer> starts;  // begin from these, round after round, instead of the initial state
  std::vector<std::vector<StateBuffer>> before_starts;  // [starts] the positions that led there, as far as known
  std::vector<std::vector<int>> seatings;               // game i uses seatings[i % size]
  std::int64_t round_size = 1;                          // so many games in a row share a seed and an opening
  Adjudication adjudication;
};

// Who plays on one thread: all agents of the plan, and the judge, if there is one.
struct Players {
  std::vector<Search *> agents;
  Evaluator *judge = nullptr;
};

// The random stream of a recorded game's set-up.
inline Rng start_rng(std::uint64_t record_seed) { return Rng(derive_seed(record_seed, 0)); }

// One game. The searches are reset with seeds of their own, so that a game does not depend on those before it.
GameRecord play_game(const Game &game, const Players &players, const MatchPlan &plan, std::int64_t index);

}  // namespace boardlab
