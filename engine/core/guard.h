// A game whose functions are watched, for the kit that checks a user's library: they may not write beyond what they are
// given, nor change what they may only read. Slow, and for one thread.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/game.h"

namespace boardlab {

// What the game is doing. It may lie in memory that another process sees, which reads it when this one has crashed or
// does not return.
struct GuardNote {
  std::uint64_t calls = 0;     // so far
  std::int32_t function = -1;  // index in guarded_functions() of the function that runs; -1: none
  std::int32_t argument = 0;   // its action, player, cell or symmetry
};

// The same game with every function watched. `note` must outlive it.
GamePtr guarded(const GamePtr &game, GuardNote *note);

// The names of the functions by their index.
const std::vector<std::string> &guarded_functions();

}  // namespace boardlab
