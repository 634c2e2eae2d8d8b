// The options of the MCTS tree. Ranges, defaults for users and help texts are declared in
// boardlab/search/tree_options.py.
#pragma once

#include <algorithm>
#include <cstdint>

namespace boardlab {

// How many leaves of a tree wait for their evaluation at once: one per `visits_a_leaf` visits of the root, from 1 to
// `most`; with 0 always `most`. Waiting leaves know nothing of each other, which costs strength in a small tree.
constexpr std::int64_t leaves_at_once(std::int64_t visits, std::int64_t visits_a_leaf, std::int64_t most) {
  return visits_a_leaf == 0 ? most : std::clamp(visits / visits_a_leaf, std::int64_t{1}, most);
}

// What a search reports as its policy: the visits of the root's actions, their mean values or RAVE's mean values on the
// scale [0,1], over their sum; or Gumbel's improved policy.
enum class RootPolicy { VISITS, VALUE, RAVE, IMPROVED };

// How a descent selects: by the formula of UCB1, PUCT, RAVE or Gumbel; the best mean, or with probability `explore` any
// action (epsilon-greedy); or in proportion to the means on the scale [0,1] (the roulette wheel of Swiechowski et al.
// 2015).
enum class Selection { FORMULA, EPSILON, ROULETTE };

struct TreeOptions {
  Selection selection = Selection::FORMULA;
  double explore = 0.2;
  int batch = 1;                 // the most leaves evaluated together, kept apart by virtual loss
  std::int64_t leaf_visits = 0;  // visits of the root per leaf, see leaves_at_once
  bool puct = false;             // PUCT with the evaluator's priors, else UCB1
  double c = 1.0;                // exploration: c_puct over values in [-1,1], or UCB1's constant over values in [0,1]
  double epsilon = 1e-8;         // under PUCT's square root: priors count before the first visit
  int depth = 0;                 // no descent below this many actions; 0 = no limit
  std::uint32_t max_nodes = 1u << 24;  // when the pool is full, make_room() drops the least visited
  // Back up proven values as proven (MCTS-Solver, Winands, Bjornsson and Saito 2008) where that is sound: two players,
  // scores that add up to zero, nothing random or hidden.
  bool solver = true;
  bool reuse = true;                       // keep the subtree of the actions played
  RootPolicy policy = RootPolicy::VISITS;  // the policy to report
  // First-play urgency: PUCT's value of an action before its first visit, on the scale [-1,1]: `fpu` itself, or the
  // mean value of the actions visited so far minus `fpu`.
  double fpu = 0;
  bool fpu_from_parent = false;
  // Dirichlet noise on the root's priors: P <- (1 - fraction) P + fraction Dir(alpha); alpha 0 = none.
  double noise_alpha = 0;
  double noise_fraction = 0.25;
  // Exactly algorithm 1 of Scheiermann and Konen (2022): values are not scaled, and step rewards are off.
  bool paper = false;
  // RAVE (Gelly and Silver 2011; algorithms 11, 12, 14 of Wang 2021): selection mixes each action's own score U with
  // that of its AMAF statistics, (1 - beta) U + beta U_rave, beta = sqrt(equivalence / (3 N + equivalence)).
  bool rave = false;
  double equivalence = 1000;
  bool rave_of_all = false;    // later actions of the other players count too, as Wang's formula says
  bool rave_rollouts = false;  // the rollout's actions count too (WRoRa)
  // Actions considered by Gumbel root selection with sequential halving (Danihelka et al. 2022); 0 = off.
  int gumbel = 0;
  double c_visit = 50, c_scale = 1;
  bool gumbel_interior = false;  // also select below the root by the improved policy, else by PUCT
  // Ranked reward (Laterre et al. 2018): instead of its outcome, the end of a game is worth 1 above the threshold, -1
  // below it and a random sign at it. A threshold of NaN always gives a random sign. Step rewards are off.
  bool ranked = false;
  double threshold = 0;
};

}  // namespace boardlab
