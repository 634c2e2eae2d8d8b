#include "search/tree.h"

#include <algorithm>
#include <iterator>

namespace boardlab {

Tree::Tree(GamePtr game, int outcome, TreeOptions options)
    : game_(std::move(game)),
      outcome_(outcome),
      parts_(*game_, options.ranked ? Range{-1, 1, false} : game_->outcome_range(outcome), options),
      root_rule_(rule_at_root(parts_)),
      rule_(rule_below_root(parts_)),
      amaf_(*game_, options),
      root_state_(*game_),
      legal_(static_cast<std::size_t>(game_->max_legal())) {}

void Tree::clear() {
  parts_.nodes.clear();
  noise_.forget();
}

void Tree::free_memory() {
  clear();
  parts_.nodes.free_memory();
  finder_.free_memory();
}

// ---- the root ----

void Tree::set_root(const void *state, bool reuse) {
  NodePool &nodes = parts_.nodes;
  if (!nodes.empty()) noise_.remove(nodes);
  const std::uint32_t kept = reuse && !nodes.empty() && !parts_.worlds.exist() ? kept_root(state) : 0;
  if (!kept)
    nodes.plant();
  else if (kept != ROOT)
    nodes.keep_subtree(kept, 0);
  nodes.reopen();
  game_->copy(root_state_.data(), state);
  Node &root = nodes.root();
  // A proven root must still show the action that proves it.
  if (root.exact && !parts_.prover.proof(nodes, root)) root.exact = 0;
  if (root.exact && root.owner == 1) root.value_sum = -root.value_sum;
  root.owner = 0;
  std::fill(std::begin(root_sum_), std::end(root_sum_), 0.0);
  parts_.scale.reset();
  // The range has to cover the kept nodes: they are compared with new ones. The root is nobody's choice.
  if (parts_.scale.is_loose())
    for (std::uint32_t i = ROOT + 1; i < nodes.size(); ++i) parts_.scale.widen(nodes[i]);
  backups_ = backups_at_room_ = 0;
  deepest_ = 0;
}

std::uint32_t Tree::kept_root(const void *state) {
  const std::uint32_t found = finder_.find(*game_, parts_.nodes, root_state_.data(), state);
  const Node &node = parts_.nodes[found];
  if (!found || !node.first) return found;
  // If a user's `apply` contradicts itself, nature or another player may have moved from this node.
  return node.count && static_cast<int>(node.mover) == game_->player(state) ? found : 0;
}

void Tree::prepare_root(Evaluator &evaluator, Rng &rng, std::int64_t iterations, std::span<const Action> legal) {
  gumbel_.end();
  if (!options().puct) return;
  NodePool &nodes = parts_.nodes;
  if (!nodes.root().first) {
    Leaf leaf;
    leaf.state = root_state_;
    game_->determinize(leaf.state.data(), game_->player(leaf.state.data()), rng);
    const Question q = question(leaf, legal);
    evaluator.answer({&q, 1}, rng);
    expand(ROOT, leaf);
    nodes.root().visits = 1;
  }
  if (options().gumbel > 0) gumbel_.begin(parts_, game_->players(), iterations, rng);
  if (has_noise_ && options().noise_alpha > 0) noise_.add(nodes, options(), rng);
}

bool Tree::wants_room() const {
  // Not at every iteration: a root with more actions than the pool has nodes leaves nothing to drop.
  const auto pause = static_cast<std::int64_t>(parts_.nodes.size() / 4);
  return parts_.nodes.is_full() && backups_ >= backups_at_room_ + pause;
}

void Tree::make_room() {
  if (!wants_room()) return;
  parts_.nodes.halve();
  parts_.nodes.reopen();
  backups_at_room_ = backups_;
}

// ---- select ----

void Tree::select(Leaf &leaf, Rng &rng, bool virtual_loss) {
  begin(leaf, rng);
  void *state = leaf.state.data();
  int owner = 0, depth = 0;
  for (std::uint32_t at = ROOT; !reaches_proof(at, owner, leaf);) {
    const int player = mover_at(at, leaf, rng);
    if (player == TERMINAL || (options().depth > 0 && depth >= options().depth)) break;
    const bool is_chance = player == CHANCE;
    const std::uint32_t child = is_chance ? draw_child(at, state, rng) : choose_child(at, player, state, rng);
    if (!child) break;
    if (!is_chance) owner = player;
    depth += !is_chance;
    Node &node = parts_.nodes[child];
    // Written only where it changes: a write to a part of a word delays the next read of the whole.
    if (static_cast<int>(node.owner) != owner) node.owner = static_cast<std::uint32_t>(owner) & 7u;
    game_->apply(state, node.action);
    leaf.path.push_back({child, player, owner, 0});
    at = child;
  }
  deepest_ = std::max(deepest_, depth);
  add_visits(leaf, virtual_loss);
}

void Tree::begin(Leaf &leaf, Rng &rng) {
  if (leaf.state.empty()) leaf.state = StateBuffer(*game_);
  void *state = leaf.state.data();
  game_->copy(state, root_state_.data());
  if (parts_.worlds.exist()) game_->determinize(state, game_->player(state), rng);
  leaf.terminal = false;
  leaf.path.clear();
  leaf.path.push_back({ROOT, CHANCE, 0, 0});
}

// The next three are inline because a descent calls them at every step.

// Whether the descent ends at a proven node, whose value the leaf then has.
inline bool Tree::reaches_proof(std::uint32_t at, int owner, Leaf &leaf) const {
  const Node &node = parts_.nodes[at];
  if (!node.exact || at == ROOT) return false;
  leaf.terminal = true;
  leaf.value[owner] = node.mean();
  leaf.value[1 - owner] = -leaf.value[owner];
  return true;
}

// The player who moves at the node or CHANCE; TERMINAL where the descent ends, at the end of the game or of a round.
inline int Tree::mover_at(std::uint32_t at, Leaf &leaf, Rng &rng) const {
  const Node &node = parts_.nodes[at];
  // A node with children knows who moves, unless that depends on hidden cards.
  if (node.count && !parts_.worlds.exist()) return static_cast<int>(node.mover);
  const void *state = leaf.state.data();
  const int player = game_->player(state);
  if (player == TERMINAL) {
    leaf.terminal = true;
    terminal_value(state, rng, leaf.value);
  }
  // The end of a round is a leaf: the next round starts afresh, and in other worlds another player might begin it.
  return player != TERMINAL && at != ROOT && game_->round_over(state) ? TERMINAL : player;
}

// A chance node without a visit is a leaf: an after-state.
std::uint32_t Tree::draw_child(std::uint32_t at, const void *state, Rng &rng) {
  if (parts_.nodes[at].visits == 0 && at != ROOT) return 0;
  return parts_.nodes.chance_child(at, game_->sample_chance(state, rng));
}

inline std::uint32_t Tree::choose_child(std::uint32_t at, int player, const void *state, Rng &rng) {
  const Node &node = parts_.nodes[at];
  if (!node.count) {
    // PUCT expands with the evaluation, UCT on the second visit, which saves the blocks of most leaves.
    if (options().puct || (node.visits == 0 && at != ROOT)) return 0;
    const auto n = static_cast<std::size_t>(game_->legal(state, legal_.data()));
    if (!expand(at, player, {legal_.data(), n}, rng)) return 0;
  }
  if (parts_.worlds.exist()) {
    parts_.worlds.enter(*game_, state);
    if (at != ROOT) parts_.worlds.complete(parts_.nodes, at);
  }
  if (at != ROOT) return rule_(parts_, at, player, rng);
  const std::uint32_t scheduled = gumbel_.next(parts_);
  return scheduled ? scheduled : root_rule_(parts_, at, player, rng);
}

void Tree::add_visits(Leaf &leaf, bool virtual_loss) {
  for (auto &step : leaf.path) {
    Node &node = parts_.nodes[step.node];
    // The mean of a proven node stays the same while the leaf waits.
    if (node.exact || virtual_loss) {
      step.loss = node.exact ? node.mean() : parts_.scale.least(step.owner);
      node.value_sum += step.loss;
    }
    ++node.visits;
  }
}

// ---- evaluate ----

Question Tree::question(Leaf &leaf, std::span<const Action> legal) const {
  leaf.mover = game_->player(leaf.state.data());
  if (leaf.mover == TERMINAL) game_->contradicts("apply");
  const bool has_priors = options().puct && leaf.mover != CHANCE;
  if (!has_priors) {
    leaf.actions.clear();
  } else if (!legal.empty()) {
    leaf.actions.assign(legal.begin(), legal.end());
  } else {
    leaf.actions.resize(static_cast<std::size_t>(game_->max_legal()));
    leaf.actions.resize(static_cast<std::size_t>(game_->legal(leaf.state.data(), leaf.actions.data())));
  }
  leaf.priors.resize(leaf.actions.size());
  leaf.played.clear();
  return {leaf.state.data(), leaf.actions, leaf.value, has_priors ? leaf.priors.data() : nullptr,
          options().rave_rollouts ? &leaf.played : nullptr};
}

void Tree::terminal_value(const void *state, Rng &rng, double *out) const {
  game_->outcome(outcome_, state, out);
  rank(out, rng);
}

void Tree::rank(double *values, Rng &rng) const {
  if (!options().ranked) return;
  for (int p = 0; p < game_->players(); ++p) {
    if (values[p] > options().threshold)
      values[p] = 1;
    else if (values[p] < options().threshold)
      values[p] = -1;
    else
      values[p] = rng.below(2) ? 1 : -1;
  }
}

// ---- expand ----

// UCT: the actions of a node are tried in random order.
bool Tree::expand(std::uint32_t at, int mover, std::span<const Action> actions, Rng &rng) {
  if (actions.empty()) game_->contradicts("player");  // nature moves where a player did
  if (!parts_.nodes.add_block(at, mover, actions, nullptr)) return false;
  Node *children = &parts_.nodes[parts_.nodes[at].first];
  for (std::size_t i = actions.size(); i > 1; --i)
    std::swap(children[i - 1].action, children[rng.below(static_cast<std::uint32_t>(i))].action);
  return true;
}

// PUCT: with the evaluator's priors.
void Tree::expand(std::uint32_t at, const Leaf &leaf) {
  if (leaf.actions.empty()) game_->contradicts("player");
  if (parts_.nodes.add_block(at, leaf.mover, leaf.actions, leaf.priors.data()))
    parts_.nodes.set_own_value(at, leaf.value[leaf.mover]);
}

// ---- back up ----

void Tree::back_up(Leaf &leaf) {
  NodePool &nodes = parts_.nodes;
  if (parts_.worlds.exist()) parts_.worlds.follow(nodes, leaf.path);
  const std::uint32_t end = leaf.path.back().node;
  if (options().puct && !leaf.terminal && !leaf.actions.empty() && !nodes[end].first) expand(end, leaf);
  if (options().rave) amaf_.begin(nodes, leaf);
  const double step_reward = options().paper || options().ranked ? 0 : game_->step_reward();
  double value[MAX_PLAYERS];
  std::copy(std::begin(leaf.value), std::end(leaf.value), value);
  bool is_proven = parts_.prover.is_proven(leaf);
  for (auto step = leaf.path.rbegin(); step != leaf.path.rend(); ++step) {
    Node &node = nodes[step->node];
    if (step->mover >= 0) {
      value[step->mover] += step_reward;
      if (options().rave) {
        amaf_.mark(step->mover, node.action);
        amaf_.add(nodes, std::next(step)->node, step->mover, value[step->mover]);
      }
    }
    if (is_proven || node.exact) {
      const bool is_known = step == leaf.path.rbegin() && leaf.terminal;
      if (!is_known) is_proven = parts_.prover.prove(nodes, node, value);
      if (is_proven) {
        node.exact = 1;
        node.value_sum = value[step->owner] * node.visits;
        continue;
      }
    }
    node.value_sum += value[step->owner] - step->loss;
  }
  for (int p = 0; p < game_->players(); ++p) root_sum_[p] += value[p];
  if (options().gumbel > 0 && leaf.path.size() > 1) gumbel_.add(leaf.path[1].node - nodes.root().first, value);
  ++backups_;
}

void Tree::widen(const Leaf &leaf) {
  if (!parts_.scale.is_loose()) return;
  for (const auto &step : leaf.path)
    if (step.node != ROOT) parts_.scale.widen(parts_.nodes[step.node]);
}

// ---- report ----

double Tree::policy_weight(RootPolicy policy, std::size_t i) const {
  const Node &child = root_children()[i];
  const int player = static_cast<int>(root().mover);
  // Evaluators may go beyond the range, and the children of other nodes beyond the range of the values seen.
  const auto weight = [&](double mean) { return std::clamp(unit(mean, player), 0.0, 1.0); };
  if (policy == RootPolicy::VISITS) return child.visits;
  if (policy == RootPolicy::VALUE) return child.visits ? weight(child.mean()) : 0;
  const Amaf &amaf = root_amaf()[i];
  return amaf.visits ? weight(amaf.value_sum / amaf.visits) : 0;
}

double Tree::root_mean(int player) const {
  if (root().exact) return player == 0 ? root().mean() : -root().mean();
  return root_sum_[player] / static_cast<double>(backups_);
}

void Tree::add_line(std::size_t i, std::vector<Action> &out) const {
  const Node *at = &root_children()[i];
  out.push_back(at->action);
  if (parts_.worlds.exist()) return;
  while ((at = parts_.prover.expected_child(parts_.nodes, *at))) out.push_back(at->action);
}

}  // namespace boardlab
