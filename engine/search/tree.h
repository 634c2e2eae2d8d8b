// The tree of MCTS: select a leaf, hand it out for evaluation, expand it, back its value up.
//
// One struct is both node and edge: a Node holds the statistics of the action that leads to it. Children of a
// player's node are one block, created together; children of a chance node are a list that grows with the outcomes
// that were drawn. States are not stored: a descent replays the actions from the root, which is cheaper than the
// memory of a million states. Nothing here recurses.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "core/game.h"
#include "evaluators/evaluator.h"
#include "search/gumbel.h"
#include "search/tree_options.h"

namespace boardlab {

struct Node {
  Action action = -1;       // the action or chance outcome that leads here
  std::uint32_t first = 0;  // first child, 0 = none
  std::uint32_t next = 0;   // next sibling below a chance node
  std::uint32_t visits = 0;
  double value_sum = 0;  // for the player who chose the action (below chance: the last player who chose)
  float prior = 0;
  std::uint32_t count : 25 = 0;  // children in the block at `first`; 0 at a chance node
  std::uint32_t owner : 3 = 0;   // whose value `value_sum` is
  // The mean is the position's proven value (MCTS-Solver). With hidden cards nothing is proven, and it says that the
  // node has moved to `next`.
  std::uint32_t exact : 1 = 0;
  std::uint32_t mover : 3 = 0;  // who chooses among the children of the block

  double mean() const { return value_sum / visits; }
};
static_assert(sizeof(Node) == 32);

// All moves as first (RAVE): what became of the descents in which this action was played here or later.
struct Amaf {
  double value_sum = 0;
  std::uint32_t visits = 0;
};

// A descent that waits for its evaluation. Reused: its vectors keep their memory.
struct Leaf {
  struct Step {
    std::uint32_t node;
    int mover;    // who moved into it, or CHANCE
    int owner;    // whose value the node keeps
    double loss;  // virtual loss to take back
  };
  StateBuffer state;
  std::vector<Step> path;
  std::vector<Action> actions;
  std::vector<double> priors;
  std::vector<Played> played;  // by the rollout, where RAVE wants it
  double value[MAX_PLAYERS] = {};
  int mover = CHANCE;     // who moves in `state`; known once there is a question about it
  bool terminal = false;  // the value is known already: the end of the game, or proven
};

class Tree {
 public:
  Tree(GamePtr game, int outcome, TreeOptions options);

  // Makes `state` the root. With `reuse`, keeps the statistics if the state is found a few actions below the
  // present root (the own action, the others' replies, chance); if it is not, the tree starts anew.
  void set_root(const void *state, bool reuse);
  void clear() {  // forgets everything
    nodes_.clear();
    clean_priors_.clear();
  }
  void free_memory();  // the same, and gives the memory back

  // Descends from the root. `virtual_loss` discourages the next descents from taking the same way before this
  // one is backed up; use it when several leaves wait at once.
  void select(Leaf &leaf, Rng &rng, bool virtual_loss);
  // Leaf's question for the evaluator; not to be asked when leaf.terminal. `legal` are the leaf's legal actions where
  // somebody has asked for them already: what was answered for these fits no other list.
  Question question(Leaf &leaf, std::span<const Action> legal = {}) const;
  // Expands the leaf (where it is time) and adds its value to every node on the way.
  void back_up(Leaf &leaf, Rng &rng);
  // Widens the tree's own range by the nodes on the leaf's way, where the game's range is loose. To be called when
  // all leaves of a batch are backed up: before that, virtual losses are among the means.
  void widen(const Leaf &leaf);
  // Expands the root before the first iteration when the priors are needed, which is not an iteration, and puts noise
  // on its priors.
  // `iterations` is how many will follow, for Gumbel's schedule; `legal` as in `question`.
  void prepare_root(Evaluator &evaluator, Rng &rng, std::int64_t iterations = 0, std::span<const Action> legal = {});
  // Whether the next prepare_root puts noise on the priors (if the options have any).
  void set_noise(bool on) { noise_ = on; }
  // When the pool is full: cuts off what is below the least visited nodes until half of it is free. Not while leaves
  // wait for their evaluation. A tree for which this is not called stops growing and goes on evaluating leaves.
  void make_room();
  // Whether the next make_room has something to do.
  bool wants_room() const {
    // A root with more actions than the pool has nodes leaves no room to make; so not at every iteration.
    return full_ && backups_ >= backups_at_room_ + static_cast<std::int64_t>(nodes_.size() / 4);
  }
  // Whether values can be scaled: the game's range is tight, or there is a least value for every player.
  bool knows_range() const {
    return !range_.loose || std::all_of(low_, low_ + game_->players(), [](double low) { return std::isfinite(low); });
  }

  const Node &root() const { return nodes_[ROOT]; }
  // How many leaves may be selected before the first of them is backed up.
  std::int64_t leaves() const { return leaves_at_once(root().visits, options_.leaf_visits, options_.batch); }
  // Children of the root in the order of its legal actions as the tree knows them.
  std::span<const Node> root_children() const;
  // Their AMAF statistics, with RAVE only.
  std::span<const Amaf> root_amaf() const;
  // Gumbel's improved policy over the root's children, and the index of the child to play: the best of those that this
  // decision visited most.
  std::vector<double> improved_policy() const;
  std::uint32_t gumbel_choice() const;
  // Share of the i-th child of the root in a policy, before it is divided by the sum of all; not for IMPROVED.
  double policy_weight(RootPolicy policy, std::size_t i) const;
  // What the end of a game is worth here: out[players].
  void terminal_value(const void *state, Rng &rng, double *out) const;
  // Outcomes become their ranks, where rewards are ranked.
  void rank(double *values, Rng &rng) const;
  // Mean over the descents since set_root, or the proven value.
  double root_mean(int player) const;
  // With Gumbel: the same over the descents through the i-th child of the root; NaN where there were none.
  double child_mean(std::size_t i, int player) const;
  // The line of play that begins with the i-th child of the root: below it the reply that proves its value, else the
  // one that was visited most, and of nature's outcomes the one that was drawn most often. With hidden cards no more
  // than that child: what follows is another thing in every world.
  void add_line(std::size_t i, std::vector<Action> &out) const;
  // A mean value of the player on the scale [0,1] that selection uses.
  double unit(double mean, int player) const;
  // The root's children that are left in the running where the solver has proved something: not those proven lost or
  // proven worse than another, and once the root is proven only its best.
  struct Running {
    const Tree *tree;
    const Node *best_proven = nullptr;
    bool all_lost = true;
    bool has(const Node &child) const {
      if (!child.exact) return !tree->root().exact;
      return child.mean() >= best_proven->mean() - tree->slack_ && (all_lost || !tree->is_lost(child));
    }
  };
  Running running() const {
    Running found{this};
    for (const Node &child : root_children()) {
      if (child.exact && (!found.best_proven || child.mean() > found.best_proven->mean())) found.best_proven = &child;
      found.all_lost = found.all_lost && is_lost(child);
    }
    return found;
  }
  // Whether the visited child of the root is proven to be as bad as can be.
  bool is_lost(const Node &child) const { return child.exact && child.mean() <= range_.min + slack_; }
  std::size_t node_count() const { return nodes_.empty() ? 0 : nodes_.size() - 1; }
  std::size_t bytes() const {
    return nodes_.size() * sizeof(Node) + amaf_.size() * sizeof(Amaf) + own_values_.size() * sizeof(double);
  }
  int deepest() const { return deepest_; }

 private:
  static constexpr std::uint32_t ROOT = 1;                        // 0 means none
  static constexpr Action SPARE = -2;                             // a place for a child behind its siblings
  static constexpr std::uint32_t MOST_CHILDREN = (1u << 25) - 1;  // Game refuses tables with more

  // Where a value of the player lies in the range: (value - low) * scale is in [0,1]; scale 0 while nothing is known.
  struct Scale {
    double low, scale;
  };
  Scale scale_of(int player) const;

  std::uint32_t find(const void *state);
  bool expand(std::uint32_t node, int mover, std::span<const Action> actions, const double *priors, Rng &rng);
  // Q is the mean times `slope` plus `shift`, on the scale of the exploration constant.
  struct Line {
    double slope, shift;
  };
  Line q_line(int player) const;
  double unvisited_q(const Node &node, const Line &q) const;
  void complete(std::uint32_t at);
  bool move_children(std::uint32_t at, std::uint32_t places);
  bool is_legal(Action action) const;
  std::uint32_t select_child(std::uint32_t at, int player);
  template <bool HIDDEN>
  std::uint32_t select_puct_child(const Node &node, const Line &q);
  std::uint32_t select_rave_child(const Node &node, int player);
  std::uint32_t select_gumbel_child(std::uint32_t at, int player);
  std::uint32_t best_gumbel_child(std::uint32_t visits) const;
  void look_at(std::uint32_t node, int player, GumbelView &view) const;
  void add_amaf(std::uint32_t node, int player, double value);
  std::uint32_t &mark(int player, Action action) {
    return marks_[static_cast<std::size_t>(action) +
                  (options_.rave_of_all ? 0 : static_cast<std::size_t>(player * game_->action_count()))];
  }
  std::uint32_t chance_child(std::uint32_t node, Action outcome);
  const Node *proof(const Node &node) const;
  const Node *expected_child(const Node &node) const;
  void widen(const Node &node);
  // Copies the subtree below `node` to the front of the pool; nodes with fewer visits than that lose their children.
  void keep_subtree(std::uint32_t node, std::uint32_t least_visits);
  void add_noise(Rng &rng);
  void remove_noise();

  GamePtr game_;
  int outcome_;
  TreeOptions options_;
  Range range_;
  bool solver_;
  double slack_;  // by which proven values may differ and be the same: a mean is a quotient
  std::vector<Node> nodes_, spare_;
  StateBuffer root_state_;
  double root_sum_[MAX_PLAYERS] = {};
  std::int64_t backups_ = 0;
  double low_[MAX_PLAYERS], high_[MAX_PLAYERS];  // the tree's own range, where the game's is loose
  Line lines_[MAX_PLAYERS];                      // by player, as the ranges are now
  int deepest_ = 0;
  bool full_ = false, noise_ = true;
  std::int64_t backups_at_room_ = 0;
  std::vector<Action> scratch_;  // with hidden cards: the legal actions where a descent is, in its world
  std::ptrdiff_t legal_count_ = 0;
  // RAVE: parallel to nodes_, and a mark for every action of the descent that is backed up.
  std::vector<Amaf> amaf_, spare_amaf_;
  std::vector<std::uint32_t> marks_;
  std::uint32_t epoch_ = 0;
  // Gumbel: the evaluator's own word on every node for who moves there, parallel to nodes_; the root's noise, the
  // sums of its children's values since set_root ([child][player]), their visits before this decision, and those since
  // then that a child must have to be chosen next.
  std::vector<double> own_values_, spare_own_values_;
  std::vector<double> gumbels_, child_sums_;
  std::vector<std::uint32_t> kept_visits_;
  GumbelSchedule schedule_;
  mutable GumbelView view_;
  mutable std::vector<double> logits_;
  std::vector<float> clean_priors_;  // of the root, while there is noise on them
  // The search for a new root: positions in one block of bytes.
  struct Candidate {
    std::uint32_t node;
    int level;
  };
  std::vector<Candidate> candidates_;
  std::vector<std::byte> candidate_states_;
};

}  // namespace boardlab
