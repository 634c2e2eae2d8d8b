#include "games/registry.h"

#include <utility>

namespace boardlab {

namespace {

using Make = bl_game (*)(const Params &);

constexpr std::pair<const char *, Make> GAMES[] = {
#define BOARDLAB_LIST(name) {#name, make_##name},
    BOARDLAB_GAMES(BOARDLAB_LIST)
#undef BOARDLAB_LIST
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
