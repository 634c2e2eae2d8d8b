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
  std::uint64_t seed = 0;       // of the initial state and of chance
  int start = -1;               // index of the plan's start, or -1: the initial state of the seed
  int faulty_seat = -1;         // the seat whose agent broke the rules or died: scored as lost
  std::string error;
};

struct MatchPlan {
  std::int64_t games = 1;
  std::uint64_t seed = 0;
  int random_actions = 0;                  // opening: so many random actions before the agents take over
  std::vector<StateBuffer> starts;         // begin from these, round after round, instead of the initial state
  std::vector<std::vector<int>> seatings;  // game i uses seatings[i % size]; one round shares a seed and an opening
};

// The random stream of a recorded game's set-up.
inline Rng start_rng(std::uint64_t record_seed) { return Rng(derive_seed(record_seed, 0)); }

// One game. The searches are reset with seeds of their own, so that a game does not depend on those before it.
GameRecord play_game(const Game &game, const std::vector<Search *> &agents, const MatchPlan &plan, std::int64_t index);

}  // namespace boardlab
