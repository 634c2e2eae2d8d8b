// The built-in games by name. Adding one: its make function here, its line in registry.cpp.
#pragma once

#include <string>
#include <vector>

#include "core/game.h"
#include "core/params.h"

namespace boardlab {

bl_game make_tictactoe(const Params &);
bl_game make_connectfour(const Params &);
bl_game make_othello(const Params &);
bl_game make_gobang(const Params &);
bl_game make_nim(const Params &);
bl_game make_sim(const Params &);
bl_game make_hex(const Params &);
bl_game make_yavalath(const Params &);
bl_game make_ewn(const Params &);
bl_game make_2048(const Params &);
bl_game make_blackjack(const Params &);
bl_game make_kuhnpoker(const Params &);
bl_game make_poker(const Params &);
bl_game make_rubiks(const Params &);
bl_game make_morpion(const Params &);
bl_game make_pathwayz(const Params &);

std::vector<std::string> game_names();
// Throws std::invalid_argument for an unknown name or parameters that are out of range.
GamePtr make_game(const std::string &name, const Params &params);

}  // namespace boardlab
