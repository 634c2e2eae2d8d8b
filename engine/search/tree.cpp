#include "search/tree.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace boardlab {

Tree::Tree(GamePtr game, int outcome, TreeOptions options)
    : game_(std::move(game)),
      outcome_(outcome),
      options_(options),
      range_(game_->outcome_range(outcome)),
      root_state_(*game_),
      scratch_(static_cast<std::size_t>(game_->max_legal())) {}

void Tree::set_root(const void *state, bool reuse) {
  const Game &game = *game_;
  std::uint32_t found = 0;
  if (reuse && !nodes_.empty() && !game.is_hidden()) {
    // Breadth first through visited nodes, a bounded number of them: the own action and one round of replies. Where
    // several ways of the same length lead to the state, the one that was searched most.
    struct Candidate {
      std::uint32_t node;
      int level;
      StateBuffer state;
    };
    constexpr std::size_t MOST = 4096;
    std::vector<Candidate> queue;
    queue.push_back({ROOT, 0, root_state_});
    int found_level = std::numeric_limits<int>::max();
    for (std::size_t i = 0; i < queue.size() && queue[i].level <= found_level; ++i) {
      const std::uint32_t at = queue[i].node;
      if (game.equal(queue[i].state.data(), state)) {
        if (!found || nodes_[at].visits > nodes_[found].visits) found = at;
        found_level = queue[i].level;
      }
      if (found) continue;
      const Node &node = nodes_[at];
      std::uint32_t child = node.first;
      for (std::uint32_t k = 0; child && queue.size() < MOST; ++k) {
        if (nodes_[child].visits > 0) {
          queue.push_back({child, queue[i].level + 1, queue[i].state});
          game.apply(queue.back().state.data(), nodes_[child].action);
        }
        child = node.count ? (k + 1 < node.count ? child + 1 : 0) : nodes_[child].next;
      }
    }
  }
  if (found == 0) {
    nodes_.assign(2, Node{});
  } else if (found != ROOT) {
    keep_subtree(found);
  }
  game.copy(root_state_.data(), state);
  // Sums for all players are kept at the root only, and start anew with it.
  std::fill(std::begin(root_sum_), std::end(root_sum_), 0.0);
  std::fill(std::begin(low_), std::end(low_), std::numeric_limits<double>::infinity());
  std::fill(std::begin(high_), std::end(high_), -std::numeric_limits<double>::infinity());
  // The kept nodes are compared with new ones, so that the range has to cover them. The root is nobody's choice.
  if (range_.loose)
    for (std::size_t i = ROOT + 1; i < nodes_.size(); ++i) widen(nodes_[i]);
  backups_ = 0;
  deepest_ = 0;
}

// Copies the subtree below `node` to the front of the pool, breadth first, so that blocks stay blocks.
void Tree::keep_subtree(std::uint32_t node) {
  spare_.clear();
  spare_.push_back(Node{});
  spare_.push_back(nodes_[node]);
  spare_[ROOT].next = 0;
  for (std::size_t i = ROOT; i < spare_.size(); ++i) {
    const std::uint32_t first = spare_[i].first;
    if (!first) continue;
    spare_[i].first = static_cast<std::uint32_t>(spare_.size());
    if (spare_[i].count) {
      const auto begin = nodes_.begin() + first;
      spare_.insert(spare_.end(), begin, begin + spare_[i].count);
      continue;
    }
    for (std::uint32_t child = first; child; child = nodes_[child].next) {
      spare_.push_back(nodes_[child]);
      spare_.back().next = nodes_[child].next ? static_cast<std::uint32_t>(spare_.size()) : 0;
    }
  }
  nodes_.swap(spare_);
}

void Tree::select(Leaf &leaf, Rng &rng, bool virtual_loss) {
  const Game &game = *game_;
  if (leaf.state.empty()) leaf.state = StateBuffer(game);
  void *state = leaf.state.data();
  game.copy(state, root_state_.data());
  if (game.is_hidden()) game.determinize(state, game.player(state), rng);
  leaf.path.clear();
  leaf.terminal = false;
  std::uint32_t at = ROOT;
  int owner = 0, depth = 0;
  leaf.path.push_back({ROOT, CHANCE, 0, 0});
  while (true) {
    const int player = game.player(state);
    if (player == TERMINAL) {
      leaf.terminal = true;
      game.outcome(outcome_, state, leaf.value);
      break;
    }
    // The end of a round is a leaf: the next one starts anew, and below it worlds with other hidden cards would not
    // even agree on who moves.
    if (at != ROOT && game.round_over(state)) break;
    if (options_.depth > 0 && depth >= options_.depth) break;
    std::uint32_t child;
    if (player == CHANCE) {
      // A chance node that has never been evaluated is a leaf: an after-state.
      if (nodes_[at].visits == 0 && at != ROOT) break;
      const Action outcome = game.sample_chance(state, rng);
      child = chance_child(at, outcome);
      if (!child) break;
      game.apply(state, outcome);
    } else {
      if (!nodes_[at].count) {
        // PUCT expands with the evaluation; UCT on the second visit, which saves the blocks of most leaves.
        if (options_.puct || (nodes_[at].visits == 0 && at != ROOT)) break;
        const int n = game.legal(state, scratch_.data());
        if (!expand(at, {scratch_.data(), static_cast<std::size_t>(n)}, nullptr, rng)) break;
      }
      child = select_child(nodes_[at], state);
      if (!child) break;
      owner = player;
      game.apply(state, nodes_[child].action);
      ++depth;
    }
    leaf.path.push_back({child, player, owner, 0});
    nodes_[child].owner = static_cast<std::uint32_t>(owner) & 15u;
    at = child;
  }
  deepest_ = std::max(deepest_, depth);
  for (auto &step : leaf.path) {
    Node &node = nodes_[step.node];
    ++node.visits;
    if (!virtual_loss) continue;
    step.loss = range_.loose && std::isfinite(low_[step.owner]) ? low_[step.owner] : range_.min;
    node.value_sum += step.loss;
  }
}

Question Tree::question(Leaf &leaf) {
  const bool at_chance = game_->player(leaf.state.data()) == CHANCE;
  leaf.actions.resize(static_cast<std::size_t>(game_->max_legal()));
  leaf.actions.resize(
      at_chance || !options_.puct ? 0 : static_cast<std::size_t>(game_->legal(leaf.state.data(), leaf.actions.data())));
  leaf.priors.resize(leaf.actions.size());
  return {leaf.state.data(), leaf.actions, leaf.value, options_.puct && !at_chance ? leaf.priors.data() : nullptr};
}

void Tree::back_up(Leaf &leaf, Rng &rng) {
  const std::uint32_t end = leaf.path.back().node;
  if (options_.puct && !leaf.terminal && !leaf.actions.empty() && !nodes_[end].first)
    expand(end, leaf.actions, leaf.priors.data(), rng);
  double value[MAX_PLAYERS];
  std::copy(std::begin(leaf.value), std::end(leaf.value), value);
  const double step_reward = game_->step_reward();
  for (auto step = leaf.path.rbegin(); step != leaf.path.rend(); ++step) {
    if (step->mover >= 0) value[step->mover] += step_reward;
    Node &node = nodes_[step->node];
    node.value_sum += value[step->owner] - step->loss;
  }
  for (int p = 0; p < game_->players(); ++p) root_sum_[p] += value[p];
  ++backups_;
}

void Tree::prepare_root(Evaluator &evaluator, Rng &rng) {
  if (!options_.puct || nodes_[ROOT].first) return;
  Leaf leaf;
  leaf.state = root_state_;
  game_->determinize(leaf.state.data(), game_->player(leaf.state.data()), rng);
  const Question q = question(leaf);
  evaluator.answer({&q, 1}, rng);
  expand(ROOT, leaf.actions, leaf.priors.data(), rng);
  nodes_[ROOT].visits = 1;
}

bool Tree::expand(std::uint32_t at, std::span<const Action> actions, const double *priors, Rng &rng) {
  // The root always has its children: without them there is nothing to choose from.
  if (at != ROOT && nodes_.size() + actions.size() > options_.max_nodes) return false;
  const auto first = static_cast<std::uint32_t>(nodes_.size());
  nodes_.resize(nodes_.size() + actions.size());
  nodes_[at].first = first;
  nodes_[at].count = static_cast<std::uint32_t>(actions.size()) & MOST_CHILDREN;
  Node *children = &nodes_[first];
  for (std::size_t i = 0; i < actions.size(); ++i) {
    children[i].action = actions[i];
    if (priors) children[i].prior = static_cast<float>(priors[i]);
  }
  // UCT tries the actions of a node in random order, PUCT in the order of its priors.
  if (!priors)
    for (std::size_t i = actions.size(); i > 1; --i)
      std::swap(children[i - 1].action, children[rng.below(static_cast<std::uint32_t>(i))].action);
  return true;
}

std::uint32_t Tree::select_child(const Node &node, const void *state) {
  const Node *children = &nodes_[node.first];
  const auto player = static_cast<std::size_t>(game_->player(state));
  double low = range_.min, width = range_.max - range_.min;
  if (range_.loose) {
    low = low_[player];
    width = high_[player] - low_[player];
  }
  const double scale = width > 0 && std::isfinite(width) ? 1 / width : 0;
  std::uint32_t best = 0;
  double best_score = -std::numeric_limits<double>::infinity();
  int legal_count = -1;
  // What a hidden card makes illegal in this world is skipped.
  const auto is_legal = [&](Action a) {
    if (!game_->is_hidden()) return true;
    if (legal_count < 0) legal_count = game_->legal(state, scratch_.data());
    return std::find(scratch_.data(), scratch_.data() + legal_count, a) != scratch_.data() + legal_count;
  };
  if (options_.puct) {
    const double root = options_.c * std::sqrt(static_cast<double>(node.visits) - 1 + options_.epsilon);
    for (std::uint32_t i = 0; i < node.count; ++i) {
      const Node &child = children[i];
      if (!is_legal(child.action)) continue;
      const double q = child.visits && scale > 0 ? 2 * (child.value_sum / child.visits - low) * scale - 1 : 0;
      const double score = q + root * child.prior / (1 + child.visits);
      if (score > best_score) {
        best_score = score;
        best = node.first + i;
      }
    }
    return best;
  }
  const double log_visits = std::log(static_cast<double>(std::max<std::uint32_t>(node.visits, 2)));
  for (std::uint32_t i = 0; i < node.count; ++i) {
    const Node &child = children[i];
    if (!is_legal(child.action)) continue;
    if (!child.visits) return node.first + i;
    const double inverse = 1.0 / child.visits;
    const double q = scale > 0 ? (child.value_sum * inverse - low) * scale : 0.5;
    const double score = q + options_.c * std::sqrt(log_visits * inverse);
    if (score > best_score) {
      best_score = score;
      best = node.first + i;
    }
  }
  return best;
}

std::uint32_t Tree::chance_child(std::uint32_t at, Action outcome) {
  std::uint32_t last = 0;
  for (std::uint32_t child = nodes_[at].first; child; child = nodes_[child].next) {
    if (nodes_[child].action == outcome) return child;
    last = child;
  }
  if (nodes_.size() + 1 > options_.max_nodes) return 0;
  const auto fresh = static_cast<std::uint32_t>(nodes_.size());
  nodes_.emplace_back();
  nodes_[fresh].action = outcome;
  (last ? nodes_[last].next : nodes_[at].first) = fresh;
  return fresh;
}

void Tree::widen(const Leaf &leaf) {
  if (!range_.loose) return;
  for (const auto &step : leaf.path)
    if (step.node != ROOT) widen(nodes_[step.node]);
}

void Tree::widen(const Node &node) {
  if (!node.visits) return;
  const double mean = node.value_sum / node.visits;
  low_[node.owner] = std::min(low_[node.owner], mean);
  high_[node.owner] = std::max(high_[node.owner], mean);
}

std::span<const Node> Tree::root_children() const {
  const Node &r = root();
  return r.count ? std::span<const Node>(&nodes_[r.first], r.count) : std::span<const Node>();
}

}  // namespace boardlab
