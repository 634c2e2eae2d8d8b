#include "search/select.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "evaluators/evaluator.h"
#include "search/tree_parts.h"

namespace boardlab {

namespace {

// In the formulas below: N are the visits of the node; n, Q and P the visits, mean value and prior of a child; c is
// options.c, the weight of exploration.

using Line = ValueScale::Line;

// 1/n. Two divisions per child would be a good part of a descent.
constexpr std::uint32_t INVERSES = 1024;
constexpr auto INVERSE = [] {
  std::array<double, INVERSES> table{};
  for (std::uint32_t n = 1; n < INVERSES; ++n) table[n] = 1.0 / n;
  return table;
}();
inline double inverse(std::uint32_t n) { return n < INVERSES ? INVERSE[n] : 1.0 / n; }

// The child with the highest score so far. Without a branch that depends on the scores: mispredicted ones would be the
// greater part of a descent.
struct Best {
  std::uint32_t child = 0, lost = 0;
  double score = -std::numeric_limits<double>::infinity();

  void offer(std::uint32_t at, double offered) {
    const bool better = offered > score;
    child = better ? at : child;
    score = better ? offered : score;
  }
  std::uint32_t choice() const { return child ? child : lost; }
};

// Whether a child may be selected; remembers a lost one for the case that there is no other.
template <bool HIDDEN>
inline bool may_select(const TreeParts &tree, const Node &child, std::uint32_t at, Best &best) {
  if (HIDDEN && !tree.worlds.allow(child.action)) return false;
  if (!tree.prover.is_lost(child)) return true;
  best.lost = at;
  return false;
}

// First-play urgency: the Q of a child without a visit.
double unvisited_q(const TreeParts &tree, const Node &node, const Line &q) {
  if (!tree.options.fpu_from_parent) return tree.options.fpu;
  double sum = 0, visits = 0;
  for (const Node &child : tree.nodes.block(node)) {
    sum += child.value_sum;
    visits += child.visits;
  }
  return (visits > 0 ? sum / visits * q.slope + q.shift : 0) - tree.options.fpu;
}

// UCB1 (Auer, Cesa-Bianchi and Fischer 2002; as UCT, Kocsis and Szepesvari 2006):
//   Q + c sqrt(ln N / n)
// with a child without a visit before all others.
template <bool HIDDEN>
std::uint32_t select_ucb1(TreeParts &tree, std::uint32_t at, int player, Rng &) {
  const Node &node = tree.nodes[at];
  const Node *children = &tree.nodes[node.first];
  const Line q = tree.scale.line(player);
  const double c = tree.options.c;
  const double log_visits = std::log(static_cast<double>(std::max<std::uint32_t>(node.visits, 2)));
  Best best;
  for (std::uint32_t i = 0; i < node.count; ++i) {
    const Node &child = children[i];
    if (!may_select<HIDDEN>(tree, child, node.first + i, best)) continue;
    if (!child.visits) return node.first + i;
    const double share = inverse(child.visits);
    best.offer(node.first + i, child.value_sum * share * q.slope + q.shift + c * std::sqrt(log_visits * share));
  }
  return best.choice();
}

// PUCT, equations 1 and 2 of Scheiermann and Konen (2022):
//   Q + c P sqrt(epsilon + sum of n) / (1 + n),  sum of n = N - 1
template <bool HIDDEN>
std::uint32_t select_puct(TreeParts &tree, std::uint32_t at, int player, Rng &) {
  const Node &node = tree.nodes[at];
  const Node *children = &tree.nodes[node.first];
  const Line q = tree.scale.line(player);
  const double root = tree.options.c * std::sqrt(static_cast<double>(node.visits) - 1 + tree.options.epsilon);
  const double unvisited = unvisited_q(tree, node, q);
  Best best;
  for (std::uint32_t i = 0; i < node.count; ++i) {
    const Node &child = children[i];
    const std::uint32_t n = child.visits;
    const double visited = child.value_sum * inverse(n) * q.slope + q.shift;
    const double value = n ? visited : unvisited;
    const double score = value + root * child.prior * inverse(n + 1);
    if (may_select<HIDDEN>(tree, child, node.first + i, best)) best.offer(node.first + i, score);
  }
  return best.choice();
}

// An action's score by its own statistics, and by those of AMAF.
struct RaveScores {
  double own, amaf;
};

double mean_q(const Amaf &amaf, const Line &q) { return amaf.value_sum / amaf.visits * q.slope + q.shift; }

// What the scores of all children of a node have in common.
struct RaveNode {
  Line q;
  double c, unvisited;
  double root, amaf_root;  // PUCT: c sqrt(epsilon + N - 1), by visits and by AMAF's visits
  double log_visits;       // UCB1

  RaveScores puct(const Node &child, const Amaf &amaf) const {
    const double own = child.visits ? child.mean() * q.slope + q.shift : unvisited;
    const double first = amaf.visits ? mean_q(amaf, q) : unvisited;
    return {own + root * child.prior / (1.0 + child.visits), first + amaf_root * child.prior / (1.0 + amaf.visits)};
  }
  // Explores by the action's own visits alone. Statistics without a visit borrow the mean of the others.
  RaveScores ucb1(const Node &child, const Amaf &amaf) const {
    const double own = child.visits ? child.mean() * q.slope + q.shift : mean_q(amaf, q);
    const double first = amaf.visits ? mean_q(amaf, q) : own;
    const double exploration = c * std::sqrt(log_visits / std::max(child.visits, 1u));
    return {own + exploration, first + exploration};
  }
};

// RAVE (Gelly and Silver 2011; algorithms 11, 12 and 14 of Wang 2021):
//   (1 - beta) U + beta U_rave,  beta = sqrt(k / (3 N + k))
// where U is the score by PUCT or UCB1, and U_rave the same score by the AMAF statistics.
template <bool HIDDEN>
std::uint32_t select_rave(TreeParts &tree, std::uint32_t at, int player, Rng &) {
  const TreeOptions &options = tree.options;
  const Node &node = tree.nodes[at];
  const Line q = tree.scale.line(player);
  const double visits = static_cast<double>(node.visits) - (options.puct ? 1 : 0), k = options.equivalence;
  const double beta = std::sqrt(k / (3 * visits + k));
  double amaf_visits = 0;
  for (const Amaf &amaf : tree.nodes.amaf_block(node)) amaf_visits += amaf.visits;
  const RaveNode scores{q,
                        options.c,
                        unvisited_q(tree, node, q),
                        options.c * std::sqrt(visits + options.epsilon),
                        options.c * std::sqrt(amaf_visits + options.epsilon),
                        std::log(std::max(visits, 2.0))};
  Best best;
  for (std::uint32_t i = node.first; i < node.first + node.count; ++i) {
    const Node &child = tree.nodes[i];
    const Amaf &amaf = tree.nodes.amaf(i);
    if (!may_select<HIDDEN>(tree, child, i, best)) continue;
    if (!options.puct && !child.visits && !amaf.visits) return i;
    const RaveScores u = options.puct ? scores.puct(child, amaf) : scores.ucb1(child, amaf);
    best.offer(i, (1 - beta) * u.own + beta * u.amaf);
  }
  return best.choice();
}

// Gumbel below the root (Danihelka et al. 2022, section 5):
//   improved policy - n / (1 + sum of n)
// so that the visits follow the improved policy as closely as they can, without noise.
template <bool HIDDEN>
std::uint32_t select_gumbel(TreeParts &tree, std::uint32_t at, int player, Rng &) {
  GumbelView &view = tree.view;
  view.look_at(tree, at, player);
  softmax(view.logits, 1.0);
  const Node &node = tree.nodes[at];
  double visits = 1;
  for (const double n : view.visits) visits += n;
  Best best;
  for (std::uint32_t i = 0; i < node.count; ++i)
    if (may_select<HIDDEN>(tree, tree.nodes[node.first + i], node.first + i, best))
      best.offer(node.first + i, view.logits[i] - view.visits[i] / visits);
  return best.choice();
}

// Calls visit(child, index) for the children that may be selected. Returns one without a visit, which comes before all
// others, or if there is none 0.
template <bool HIDDEN, class Visit>
std::uint32_t each_choice(const TreeParts &tree, const Node &node, Best &best, const Visit &visit) {
  for (std::uint32_t i = node.first; i < node.first + node.count; ++i) {
    const Node &child = tree.nodes[i];
    if (!may_select<HIDDEN>(tree, child, i, best)) continue;
    if (!child.visits) return i;
    visit(child, i);
  }
  return 0;
}

// Epsilon-greedy: with probability epsilon any child, else the one with the best mean.
template <bool HIDDEN>
std::uint32_t select_epsilon(TreeParts &tree, std::uint32_t at, int, Rng &rng) {
  const bool explores = rng.unit() < tree.options.explore;
  Best best;
  std::uint32_t choices = 0;
  const std::uint32_t unvisited =
      each_choice<HIDDEN>(tree, tree.nodes[at], best, [&](const Node &child, std::uint32_t i) {
        ++choices;
        if (!explores)
          best.offer(i, child.mean());
        else if (rng.below(choices) == 0)  // each of those so far is equally likely
          best.child = i;
      });
  return unvisited ? unvisited : best.choice();
}

// Roulette wheel: in proportion to the means on the scale [0,1]; evenly where all of them are 0.
template <bool HIDDEN>
std::uint32_t select_roulette(TreeParts &tree, std::uint32_t at, int player, Rng &rng) {
  const auto share = [&](const Node &child) { return std::clamp(tree.scale.unit(child.mean(), player), 0.0, 1.0); };
  Best best;
  std::uint32_t choices = 0;
  double sum = 0;
  const std::uint32_t unvisited =
      each_choice<HIDDEN>(tree, tree.nodes[at], best, [&](const Node &child, std::uint32_t i) {
        ++choices;
        const double slot = share(child);
        sum += slot;
        // The last of the slots that are hit is drawn in proportion; until one is above 0, evenly.
        if (sum > 0 ? rng.unit() * sum < slot : rng.below(choices) == 0) best.child = i;
      });
  return unvisited ? unvisited : best.choice();
}

template <bool HIDDEN>
SelectionRule rule_for(const TreeOptions &options, bool is_root) {
  if (options.selection == Selection::EPSILON) return select_epsilon<HIDDEN>;
  if (options.selection == Selection::ROULETTE) return select_roulette<HIDDEN>;
  if (options.gumbel_interior && !is_root) return select_gumbel<HIDDEN>;
  if (options.rave) return select_rave<HIDDEN>;
  return options.puct ? select_puct<HIDDEN> : select_ucb1<HIDDEN>;
}

}  // namespace

SelectionRule rule_at_root(const TreeParts &tree) {
  return tree.worlds.exist() ? rule_for<true>(tree.options, true) : rule_for<false>(tree.options, true);
}

SelectionRule rule_below_root(const TreeParts &tree) {
  return tree.worlds.exist() ? rule_for<true>(tree.options, false) : rule_for<false>(tree.options, false);
}

}  // namespace boardlab
