// The rules by which a descent selects a child: UCB1, PUCT, RAVE, Gumbel, epsilon-greedy and the roulette wheel.
#pragma once

#include <cstdint>

namespace boardlab {

struct Rng;
struct TreeParts;

// Returns the selected child of the node `at`, where `player` moves; 0 if no child may be selected.
//
// The last two draw from `rng`; the others take the child with the highest score, the first one of equals. All skip
// children that are proven lost, unless all are, and with hidden cards those that are illegal in the descent's world.
using SelectionRule = std::uint32_t (*)(TreeParts &tree, std::uint32_t at, int player, Rng &rng);

// The rules that the tree's options ask for, at the root and below it.
SelectionRule rule_at_root(const TreeParts &tree);
SelectionRule rule_below_root(const TreeParts &tree);

}  // namespace boardlab
