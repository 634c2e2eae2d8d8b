// The rules by which a descent selects a child: UCB1, PUCT, RAVE and Gumbel.
//
// All of them skip children that are proven lost, unless all are, and children that are illegal in the descent's world.
// Of equal scores the first wins.
//
//   N      visits of the node            n, Q   visits and mean value of the child
//   P      prior of the child            c      options.c, the weight of exploration
#pragma once

#include <cstdint>

#include "search/tree_options.h"

namespace boardlab {

struct TreeParts;

// Returns the selected child of the node `at`, where `player` moves; 0 if no child may be selected.
using SelectionRule = std::uint32_t (*)(TreeParts &tree, std::uint32_t at, int player);

// Q + c sqrt(ln N / n); children without a visit first (Auer, Cesa-Bianchi and Fischer 2002; Kocsis and Szepesvari
// 2006).
std::uint32_t select_ucb1(TreeParts &tree, std::uint32_t at, int player);

// Q + c P sqrt(epsilon + N - 1) / (1 + n): equations 1 and 2 of Scheiermann and Konen (2022), where N - 1 is the sum of
// the children's visits. A child without a visit has the Q of first-play urgency.
std::uint32_t select_puct(TreeParts &tree, std::uint32_t at, int player);

// (1 - beta) U + beta U_rave, beta = sqrt(k / (3 N + k)): Gelly and Silver (2011), algorithm 11 of Wang (2021). U is
// the score by UCB1 or PUCT, U_rave the same score of the AMAF statistics.
std::uint32_t select_rave(TreeParts &tree, std::uint32_t at, int player);

// improved policy - n / (1 + sum of n): planning at non-root nodes (Danihelka et al. 2022, section 5). The visits
// follow the improved policy as closely as they can.
std::uint32_t select_gumbel(TreeParts &tree, std::uint32_t at, int player);

// The rules that the options ask for, at the root and below it.
SelectionRule rule_at_root(const TreeOptions &options);
SelectionRule rule_below_root(const TreeOptions &options);

}  // namespace boardlab
