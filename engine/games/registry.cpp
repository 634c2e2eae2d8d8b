#include "games/registry.h"

#include <utility>

namespace boardlab {

namespace {

using Make = bl_game (*)(const Params &);

constexpr std::pair<const char *, Make> GAMES[] = {
    // clang-format off
    {"tictactoe", make_tictactoe},
    {"connectfour", make_connectfour},
    {"othello", make_othello},
    {"gobang", make_gobang},
    {"nim", make_nim},
    {"sim", make_sim},
    {"hex", make_hex},
    {"yavalath", make_yavalath},
    {"ewn", make_ewn},
    {"2048", make_2048},
    {"blackjack", make_blackjack},
    {"kuhnpoker", make_kuhnpoker},
    {"poker", make_poker},
    {"rubiks", make_rubiks},
    {"morpion", make_morpion},
    {"pathwayz", make_pathwayz},
    // clang-format on
};

}  // namespace

std::vector<std::string> game_names() {
  std::vector<std::string> names;
  for (const auto &[name, make] : GAMES) names.emplace_back(name);
  return names;
}

GamePtr make_game(const std::string &name, const Params &params) {
  for (const auto &[known, make] : GAMES)
    if (name == known) return std::make_shared<const Game>(name, make(params));
  throw std::invalid_argument("unknown game \"" + name + "\"");
}

}  // namespace boardlab
