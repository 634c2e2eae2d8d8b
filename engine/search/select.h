// The rules by which a descent selects a child: UCB1, PUCT, RAVE and Gumbel.
#pragma once

#include <cstdint>

namespace boardlab {

struct TreeParts;

// Returns the selected child of the node `at`, where `player` moves; 0 if no child may be selected.
//
// Every rule takes the child with the highest score, the first one of equals. It skips children that are proven lost,
// unless all are, and with hidden cards those that are illegal in the descent's world.
using SelectionRule = std::uint32_t (*)(TreeParts &tree, std::uint32_t at, int player);

// The rules that the tree's options ask for, at the root and below it.
SelectionRule rule_at_root(const TreeParts &tree);
SelectionRule rule_below_root(const TreeParts &tree);

}  // namespace boardlab
