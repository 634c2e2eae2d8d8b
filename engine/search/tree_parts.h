// The parts of a search tree that the rules of selection work on.
#pragma once

#include "search/gumbel.h"
#include "search/hidden_worlds.h"
#include "search/node_pool.h"
#include "search/proof.h"
#include "search/tree_options.h"
#include "search/value_scale.h"

namespace boardlab {

struct TreeParts {
  TreeParts(const Game &game, Range range, const TreeOptions &given)
      : options(given),
        nodes(given.max_nodes, {given.rave, given.gumbel > 0}),
        scale(range, game.players(), given),
        prover(game, range, given),
        worlds(game) {}

  TreeOptions options;
  NodePool nodes;
  ValueScale scale;
  Prover prover;
  HiddenWorlds worlds;
  GumbelView view;  // reused by Gumbel's selection, so that a descent allocates nothing
};

}  // namespace boardlab
