// The built-in games. To add one, add its line here; `make_NAME` in engine/games/NAME.cpp is then declared and listed.
#pragma once

#include <string>
#include <vector>

#include "core/game.h"
#include "core/params.h"

#define BOARDLAB_GAMES(GAME) \
  GAME(tictactoe)            \
  GAME(connectfour)          \
  GAME(othello)              \
  GAME(gobang)               \
  GAME(nim)                  \
  GAME(sim)                  \
  GAME(hex)                  \
  GAME(yavalath)             \
  GAME(ewn)                  \
  GAME(2048)                 \
  GAME(blackjack)            \
  GAME(kuhnpoker)            \
  GAME(leducpoker)           \
  GAME(poker)                \
  GAME(rubiks)               \
  GAME(morpion)              \
  GAME(pathwayz)

namespace boardlab {

#define BOARDLAB_DECLARE(name) bl_game make_##name(const Params &);
BOARDLAB_GAMES(BOARDLAB_DECLARE)
#undef BOARDLAB_DECLARE

std::vector<std::string> game_names();
// Throws std::invalid_argument for an unknown name or parameters that are out of range.
GamePtr make_game(const std::string &name, const Params &params);

}  // namespace boardlab
