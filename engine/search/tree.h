// The tree of MCTS: select a leaf, hand it out for evaluation, expand it, back its value up.
//
// States are not stored: a descent replays the actions from the root, which costs less than the memory of a million
// states. Nothing here recurses. The parts have files of their own: nodes (node_pool.h), rules of selection (select.h,
// gumbel.h), the scale of values (value_scale.h), proofs (proof.h), AMAF statistics (rave.h), hidden cards
// (hidden_worlds.h).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/game.h"
#include "evaluators/evaluator.h"
#include "search/gumbel.h"
#include "search/leaf.h"
#include "search/node_pool.h"
#include "search/position_finder.h"
#include "search/proof.h"
#include "search/rave.h"
#include "search/root_noise.h"
#include "search/select.h"
#include "search/tree_options.h"
#include "search/tree_parts.h"

namespace boardlab {

class Tree {
 public:
  Tree(GamePtr game, int outcome, TreeOptions options);

  // Makes `state` the root. With `reuse`, keeps the statistics if the state is found a few actions below the present
  // root (the own action, the others' replies, chance). Otherwise the tree starts from nothing.
  void set_root(const void *state, bool reuse);
  void clear();        // forgets everything
  void free_memory();  // forgets everything and returns the memory

  // Descends from the root. `virtual_loss` keeps the next descents from taking the same way before this one is backed
  // up; for several leaves that wait at once.
  void select(Leaf &leaf, Rng &rng, bool virtual_loss);
  // The question to the evaluator about a leaf that is not terminal. `legal` are the leaf's legal actions, if they are
  // known already: the answer must fit this list.
  Question question(Leaf &leaf, std::span<const Action> legal = {}) const;
  // Expands the leaf, if PUCT selects, and adds its value to every node on the way.
  void back_up(Leaf &leaf);
  // Widens the range of the values seen by the nodes on the leaf's way, where the game's own range is loose. Call it
  // when all leaves of a batch are backed up: before that, the means contain virtual losses.
  void widen(const Leaf &leaf);
  // Expands the root before the first iteration, if PUCT needs its priors, and adds noise to them. This is not an
  // iteration. `iterations` is the number that will follow, for Gumbel's schedule; `legal` is as in `question`.
  void prepare_root(Evaluator &evaluator, Rng &rng, std::int64_t iterations = 0, std::span<const Action> legal = {});
  // Whether the next prepare_root adds noise to the priors (if the options have any).
  void set_noise(bool on) { has_noise_ = on; }
  // Drops the children of the least visited nodes until half of the pool is free, if wants_room(). Not while leaves
  // wait for their evaluation. A tree without such calls stops growing when it is full and goes on evaluating leaves.
  void make_room();
  bool wants_room() const;
  // Whether values can be scaled: the game's range is tight, or values of every player were seen.
  bool knows_range() const { return parts_.scale.is_known(); }

  const Node &root() const { return parts_.nodes.root(); }
  // How many leaves may be selected before the first of them is backed up.
  std::int64_t leaves() const { return leaves_at_once(root().visits, options().leaf_visits, options().batch); }
  // The children of the root, in the order of its legal actions when it was expanded.
  std::span<const Node> root_children() const { return parts_.nodes.block(root()); }
  // Their AMAF statistics; none without RAVE.
  std::span<const Amaf> root_amaf() const { return parts_.nodes.amaf_block(root()); }
  // Gumbel's improved policy over the root's children, and the index of the child to play: the best of those that this
  // decision visited most.
  std::vector<double> improved_policy() const { return boardlab::improved_policy(parts_); }
  std::uint32_t gumbel_choice() const { return gumbel_.choice(parts_); }
  // The weight of the i-th child of the root in a policy other than IMPROVED, before the division by their sum.
  double policy_weight(RootPolicy policy, std::size_t i) const;
  // The value of the end of a game: out[players].
  void terminal_value(const void *state, Rng &rng, double *out) const;
  // Replaces outcomes by their ranks, where rewards are ranked.
  void rank(double *values, Rng &rng) const;
  // The mean over the descents since set_root, or the proven value.
  double root_mean(int player) const;
  // With Gumbel: the same over the descents through the i-th child of the root; NaN if there were none.
  double child_mean(std::size_t i, int player) const { return gumbel_.child_mean(parts_, i, player); }
  // Appends the expected line of play that begins with the i-th child of the root: then the reply that proves a value,
  // else the most visited one, and the chance outcome drawn most often. With hidden cards only that child: what follows
  // differs from world to world.
  void add_line(std::size_t i, std::vector<Action> &out) const;
  // A mean value of the player on the scale [0,1].
  double unit(double mean, int player) const { return parts_.scale.unit(mean, player); }
  // The root's children that may still be played, by what the solver has proved.
  Running running() const { return {parts_.prover, parts_.nodes}; }
  // Whether the child of the root is proven to be as bad as possible.
  bool is_lost(const Node &child) const { return parts_.prover.is_lost(child); }
  std::size_t node_count() const { return parts_.nodes.empty() ? 0 : parts_.nodes.size() - 1; }
  std::size_t bytes() const { return parts_.nodes.bytes(); }
  int deepest() const { return deepest_; }

 private:
  static constexpr std::uint32_t ROOT = NodePool::ROOT;

  const TreeOptions &options() const { return parts_.options; }
  std::uint32_t kept_root(const void *state);
  void begin(Leaf &leaf, Rng &rng);
  bool reaches_proof(std::uint32_t at, int owner, Leaf &leaf) const;
  int mover_at(std::uint32_t at, Leaf &leaf, Rng &rng) const;
  std::uint32_t draw_child(std::uint32_t at, const void *state, Rng &rng);
  std::uint32_t choose_child(std::uint32_t at, int player, const void *state, Rng &rng);
  bool expand(std::uint32_t at, int mover, std::span<const Action> actions, Rng &rng);
  void expand(std::uint32_t at, const Leaf &leaf);
  void add_visits(Leaf &leaf, bool virtual_loss);

  GamePtr game_;
  int outcome_;
  TreeParts parts_;
  SelectionRule root_rule_, rule_;
  AmafMarks amaf_;
  GumbelRoot gumbel_;
  RootNoise noise_;
  PositionFinder finder_;
  StateBuffer root_state_;
  double root_sum_[MAX_PLAYERS] = {};  // values of the descents since set_root
  std::int64_t backups_ = 0, backups_at_room_ = 0;
  int deepest_ = 0;
  bool has_noise_ = true;
  std::vector<Action> legal_;
};

}  // namespace boardlab
