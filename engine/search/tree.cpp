#include "search/tree.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "core/distributions.h"

namespace boardlab {

Tree::Tree(GamePtr game, int outcome, TreeOptions options)
    : game_(std::move(game)),
      outcome_(outcome),
      options_(options),
      range_(options.ranked ? Range{-1, 1, false} : game_->outcome_range(outcome)),
      solver_(options.solver && game_->players() == 2 && game_->is_zero_sum() && !game_->has_chance() &&
              !game_->is_hidden() && game_->step_reward() == 0),
      slack_(range_.loose ? 0 : 1e-9 * (range_.max - range_.min)),
      root_state_(*game_),
      scratch_(static_cast<std::size_t>(game_->max_legal())) {
  if (options_.rave)
    marks_.resize(static_cast<std::size_t>(game_->action_count() * (options_.rave_of_all ? 1 : game_->players())));
}

// The node that stands for `state`, 0 = none. Breadth first through visited nodes, a bounded number of them: the own
// action and one round of replies. Where several ways of the same length lead there, the one that was searched most.
std::uint32_t Tree::find(const void *state) {
  const Game &game = *game_;
  constexpr std::size_t MOST = 4096;
  const std::size_t stride = (game.state_size() + 15) / 16 * 16;
  candidates_.clear();
  candidate_states_.resize(stride);
  candidates_.push_back({ROOT, 0});
  game.copy(candidate_states_.data(), root_state_.data());
  std::uint32_t found = 0;
  int found_level = std::numeric_limits<int>::max();
  for (std::size_t i = 0; i < candidates_.size() && candidates_[i].level <= found_level; ++i) {
    const auto [at, level] = candidates_[i];
    if (game.equal(candidate_states_.data() + i * stride, state)) {
      if (!found || nodes_[at].visits > nodes_[found].visits) found = at;
      found_level = level;
    }
    if (found) continue;
    const Node &node = nodes_[at];
    std::uint32_t child = node.first;
    for (std::uint32_t k = 0; child && candidates_.size() < MOST; ++k) {
      if (nodes_[child].visits > 0) {
        candidates_.push_back({child, level + 1});
        candidate_states_.resize(candidates_.size() * stride);
        void *next = candidate_states_.data() + (candidates_.size() - 1) * stride;
        game.copy(next, candidate_states_.data() + i * stride);
        game.apply(next, nodes_[child].action);
      }
      child = node.count ? (k + 1 < node.count ? child + 1 : 0) : nodes_[child].next;
    }
  }
  return found;
}

void Tree::free_memory() {
  clear();
  for (auto *nodes : {&nodes_, &spare_}) nodes->shrink_to_fit();
  for (auto *amaf : {&amaf_, &spare_amaf_}) *amaf = {};
  for (auto *values : {&own_values_, &spare_own_values_}) *values = {};
  candidates_ = {};
  candidate_states_ = {};
}

void Tree::set_root(const void *state, bool reuse) {
  std::uint32_t found = 0;
  if (!nodes_.empty()) remove_noise();
  if (reuse && !nodes_.empty() && !game_->is_hidden()) found = find(state);
  // Rules whose `apply` is not a function can lead to a player's position through a node that nature or another player
  // had to move from.
  if (found && nodes_[found].first &&
      (!nodes_[found].count || static_cast<int>(nodes_[found].mover) != game_->player(state)))
    found = 0;
  if (found == 0) {
    nodes_.assign(2, Node{});
    if (options_.rave) amaf_.assign(2, Amaf{});
    if (options_.gumbel > 0) own_values_.assign(2, 0.0);
  } else if (found != ROOT) {
    keep_subtree(found, 0);
  }
  game_->copy(root_state_.data(), state);
  Node &root = nodes_[ROOT];
  // A root that is known as proven must still show the action that proves it.
  if (root.exact && !proof(root)) root.exact = 0;
  if (root.exact && root.owner == 1) root.value_sum = -root.value_sum;
  root.owner = 0;
  // Sums for all players are kept at the root only, and start anew with it.
  std::fill(std::begin(root_sum_), std::end(root_sum_), 0.0);
  std::fill(std::begin(low_), std::end(low_), std::numeric_limits<double>::infinity());
  std::fill(std::begin(high_), std::end(high_), -std::numeric_limits<double>::infinity());
  for (int p = 0; p < game_->players(); ++p) lines_[p] = q_line(p);
  // The kept nodes are compared with new ones, so that the range has to cover them. The root is nobody's choice.
  if (range_.loose)
    for (std::size_t i = ROOT + 1; i < nodes_.size(); ++i) widen(nodes_[i]);
  backups_ = 0;
  backups_at_room_ = 0;
  full_ = false;
  deepest_ = 0;
}

// Breadth first, so that blocks stay blocks.
void Tree::keep_subtree(std::uint32_t node, std::uint32_t least_visits) {
  spare_.clear();
  spare_.push_back(Node{});
  spare_.push_back(nodes_[node]);
  spare_[ROOT].next = 0;
  if (options_.rave) {
    spare_amaf_.assign(2, Amaf{});
    spare_amaf_[ROOT] = amaf_[node];
  }
  if (options_.gumbel > 0) {
    spare_own_values_.assign(2, 0.0);
    spare_own_values_[ROOT] = own_values_[node];
  }
  for (std::size_t i = ROOT; i < spare_.size(); ++i) {
    const std::uint32_t first = spare_[i].first;
    if (!first) continue;
    if (i != ROOT && spare_[i].visits < least_visits) {
      spare_[i].first = 0;
      spare_[i].count = 0;
      continue;
    }
    spare_[i].first = static_cast<std::uint32_t>(spare_.size());
    if (spare_[i].count) {
      const auto begin = nodes_.begin() + first;
      spare_.insert(spare_.end(), begin, begin + spare_[i].count);
      // Of no meaning in a block, but one of rules that contradict themselves may have a list hanging from it.
      for (auto child = spare_.end() - spare_[i].count; child != spare_.end(); ++child) child->next = 0;
      if (options_.rave)
        spare_amaf_.insert(spare_amaf_.end(), amaf_.begin() + first, amaf_.begin() + first + spare_[i].count);
      if (options_.gumbel > 0)
        spare_own_values_.insert(spare_own_values_.end(), own_values_.begin() + first,
                                 own_values_.begin() + first + spare_[i].count);
      continue;
    }
    for (std::uint32_t child = first; child; child = nodes_[child].next) {
      spare_.push_back(nodes_[child]);
      if (options_.rave) spare_amaf_.push_back(amaf_[child]);
      if (options_.gumbel > 0) spare_own_values_.push_back(own_values_[child]);
      spare_.back().next = nodes_[child].next ? static_cast<std::uint32_t>(spare_.size()) : 0;
    }
  }
  nodes_.swap(spare_);
  amaf_.swap(spare_amaf_);
  own_values_.swap(spare_own_values_);
}

void Tree::make_room() {
  if (!wants_room()) return;
  if (game_->is_hidden()) keep_subtree(ROOT, 0);  // without the places that children have moved from
  for (std::uint32_t least = 2; nodes_.size() > options_.max_nodes / 2 && least / 2 <= nodes_[ROOT].visits; least *= 2)
    keep_subtree(ROOT, least);
  backups_at_room_ = backups_;
  full_ = false;
}

void Tree::select(Leaf &leaf, Rng &rng, bool virtual_loss) {
  const Game &game = *game_;
  if (leaf.state.empty()) leaf.state = StateBuffer(game);
  void *state = leaf.state.data();
  game.copy(state, root_state_.data());
  const bool hidden = game.is_hidden();
  if (hidden) game.determinize(state, game.player(state), rng);
  leaf.path.clear();
  leaf.terminal = false;
  std::uint32_t at = ROOT;
  int owner = 0, depth = 0;
  leaf.path.push_back({ROOT, CHANCE, 0, 0});
  while (true) {
    if (nodes_[at].exact && at != ROOT) {
      leaf.terminal = true;
      leaf.value[owner] = nodes_[at].mean();
      leaf.value[1 - owner] = -leaf.value[owner];
      break;
    }
    // A node with children says itself who moves, unless that depends on hidden cards.
    int player = nodes_[at].mover;
    if (hidden || !nodes_[at].count) {
      player = game.player(state);
      if (player == TERMINAL) {
        leaf.terminal = true;
        terminal_value(state, rng, leaf.value);
        break;
      }
      // The end of a round is a leaf: the next one starts anew, and below it worlds with other hidden cards would not
      // even agree on who moves.
      if (at != ROOT && game.round_over(state)) break;
    }
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
        if (!expand(at, player, {scratch_.data(), static_cast<std::size_t>(n)}, nullptr, rng)) break;
      }
      if (hidden) {
        legal_count_ = game.legal(state, scratch_.data());
        if (at != ROOT) complete(at);
      }
      child = at == ROOT && !schedule_.is_over() ? best_gumbel_child(schedule_.next()) : 0;
      if (!child) child = select_child(at, player);
      if (!child) break;
      owner = player;
      game.apply(state, nodes_[child].action);
      ++depth;
    }
    leaf.path.push_back({child, player, owner, 0});
    nodes_[child].owner = static_cast<std::uint32_t>(owner) & 7u;
    at = child;
  }
  deepest_ = std::max(deepest_, depth);
  for (auto &step : leaf.path) {
    Node &node = nodes_[step.node];
    if (node.exact) {  // what is proven stays so while the leaf waits
      step.loss = node.mean();
      node.value_sum += step.loss;
      ++node.visits;
      continue;
    }
    ++node.visits;
    if (!virtual_loss) continue;
    step.loss = range_.loose && std::isfinite(low_[step.owner]) ? low_[step.owner] : range_.min;
    node.value_sum += step.loss;
  }
}

Question Tree::question(Leaf &leaf, std::span<const Action> legal) const {
  leaf.mover = game_->player(leaf.state.data());
  if (leaf.mover == TERMINAL) game_->contradicts("apply");
  const bool at_chance = leaf.mover == CHANCE;
  if (at_chance || !options_.puct) {
    leaf.actions.clear();
  } else if (!legal.empty()) {
    leaf.actions.assign(legal.begin(), legal.end());
  } else {
    leaf.actions.resize(static_cast<std::size_t>(game_->max_legal()));
    leaf.actions.resize(static_cast<std::size_t>(game_->legal(leaf.state.data(), leaf.actions.data())));
  }
  leaf.priors.resize(leaf.actions.size());
  leaf.played.clear();
  return {leaf.state.data(), leaf.actions, leaf.value, options_.puct && !at_chance ? leaf.priors.data() : nullptr,
          options_.rave_rollouts ? &leaf.played : nullptr};
}

// The child that proves the node: as good as can be, or the best when all are proven; null = not proven.
const Node *Tree::proof(const Node &node) const {
  const Node *best = nullptr;
  bool all = true;
  for (std::uint32_t i = 0; i < node.count; ++i) {
    const Node &child = nodes_[node.first + i];
    if (!child.exact) {
      all = false;
      continue;
    }
    if (!range_.loose && child.mean() >= range_.max - slack_) return &child;
    if (!best || child.mean() > best->mean()) best = &child;
  }
  return all ? best : nullptr;
}

// Null where nothing below the node was visited.
const Node *Tree::expected_child(const Node &node) const {
  if (const Node *best = node.exact ? proof(node) : nullptr) return best;
  const Node *best = nullptr;
  const auto better = [this](const Node &a, const Node &b) {
    if (is_lost(a) != is_lost(b)) return is_lost(b);
    return a.visits != b.visits ? a.visits > b.visits : a.mean() > b.mean();
  };
  std::uint32_t child = node.first;
  for (std::uint32_t k = 0; child; ++k) {
    const Node &seen = nodes_[child];
    if (seen.visits && (!best || better(seen, *best))) best = &seen;
    child = node.count ? (k + 1 < node.count ? child + 1 : 0) : seen.next;
  }
  return best;
}

void Tree::add_line(std::size_t i, std::vector<Action> &out) const {
  const Node *at = &root_children()[i];
  out.push_back(at->action);
  if (game_->is_hidden()) return;
  while ((at = expected_child(*at))) out.push_back(at->action);
}

void Tree::back_up(Leaf &leaf, Rng &rng) {
  if (game_->is_hidden())
    for (auto &step : leaf.path)
      while (nodes_[step.node].exact) step.node = nodes_[step.node].next;
  const std::uint32_t end = leaf.path.back().node;
  if (options_.puct && !leaf.terminal && !leaf.actions.empty() && !nodes_[end].first)
    if (expand(end, leaf.mover, leaf.actions, leaf.priors.data(), rng) && options_.gumbel > 0)
      own_values_[end] = leaf.value[leaf.mover];
  double value[MAX_PLAYERS];
  std::copy(std::begin(leaf.value), std::end(leaf.value), value);
  const double step_reward = options_.paper || options_.ranked ? 0 : game_->step_reward();
  // A reward of the game need not add up to zero where its scores do.
  bool proven = solver_ && leaf.terminal && value[0] + value[1] == 0;
  if (options_.rave) {
    if (++epoch_ == 0) {  // wrapped: old marks would look new
      std::fill(marks_.begin(), marks_.end(), 0u);
      epoch_ = 1;
    }
    if (!leaf.terminal && !leaf.played.empty()) {
      for (const auto [player, action] : leaf.played) mark(player, action) = epoch_;
      if (leaf.mover >= 0) add_amaf(end, leaf.mover, value[leaf.mover]);
    }
  }
  for (auto step = leaf.path.rbegin(); step != leaf.path.rend(); ++step) {
    Node &node = nodes_[step->node];
    if (step->mover >= 0) {
      value[step->mover] += step_reward;
      if (options_.rave) {
        mark(step->mover, node.action) = epoch_;
        add_amaf(std::next(step)->node, step->mover, value[step->mover]);
      }
    }
    if (proven || node.exact) {
      if (step != leaf.path.rbegin() || !leaf.terminal) {
        const Node *best = proof(node);
        proven = best != nullptr;
        if (best) {
          value[best->owner] = best->mean();
          value[1 - best->owner] = -best->mean();
        }
      }
      if (proven) {
        node.exact = 1;
        node.value_sum = value[step->owner] * node.visits;
        continue;
      }
    }
    node.value_sum += value[step->owner] - step->loss;
  }
  for (int p = 0; p < game_->players(); ++p) root_sum_[p] += value[p];
  if (!child_sums_.empty() && leaf.path.size() > 1) {
    const std::size_t child = leaf.path[1].node - nodes_[ROOT].first;
    double *sums = &child_sums_[child * static_cast<std::size_t>(game_->players())];
    for (int p = 0; p < game_->players(); ++p) sums[p] += value[p];
  }
  ++backups_;
}

void Tree::terminal_value(const void *state, Rng &rng, double *out) const {
  game_->outcome(outcome_, state, out);
  rank(out, rng);
}

void Tree::rank(double *values, Rng &rng) const {
  if (!options_.ranked) return;
  for (int p = 0; p < game_->players(); ++p) {
    if (values[p] > options_.threshold)
      values[p] = 1;
    else if (values[p] < options_.threshold)
      values[p] = -1;
    else
      values[p] = rng.below(2) ? 1 : -1;
  }
}

// Every child whose action was played here or later has seen this value (algorithm 11, lines 18 to 20).
void Tree::add_amaf(std::uint32_t node, int player, double value) {
  const std::uint32_t first = nodes_[node].first;
  for (std::uint32_t i = 0; i < nodes_[node].count; ++i) {
    if (mark(player, nodes_[first + i].action) != epoch_) continue;
    amaf_[first + i].value_sum += value;
    ++amaf_[first + i].visits;
  }
}

void Tree::prepare_root(Evaluator &evaluator, Rng &rng, std::int64_t iterations, std::span<const Action> legal) {
  schedule_ = {};
  if (!options_.puct) return;
  if (!nodes_[ROOT].first) {
    Leaf leaf;
    leaf.state = root_state_;
    game_->determinize(leaf.state.data(), game_->player(leaf.state.data()), rng);
    const Question q = question(leaf, legal);
    evaluator.answer({&q, 1}, rng);
    expand(ROOT, leaf.mover, leaf.actions, leaf.priors.data(), rng);
    nodes_[ROOT].visits = 1;
    if (options_.gumbel > 0) own_values_[ROOT] = leaf.value[leaf.mover];
  }
  if (options_.gumbel > 0) {
    const auto considered = std::min<std::uint32_t>(nodes_[ROOT].count, static_cast<std::uint32_t>(options_.gumbel));
    schedule_ = {considered, iterations};
    gumbels_.resize(nodes_[ROOT].count);
    for (double &g : gumbels_) g = draw_gumbel(rng);
    child_sums_.assign(nodes_[ROOT].count * static_cast<std::size_t>(game_->players()), 0.0);
    kept_visits_.clear();
    for (const Node &child : root_children()) kept_visits_.push_back(child.visits);
  }
  if (noise_ && options_.noise_alpha > 0) add_noise(rng);
}

void Tree::add_noise(Rng &rng) {
  const Node &root = nodes_[ROOT];
  std::vector<double> noise(root.count);
  double sum = 0;
  for (double &x : noise) sum += x = draw_gamma(options_.noise_alpha, rng);
  if (!(sum > 0)) {  // a tiny alpha: all on one action, where rounding left nothing
    noise[rng.below(root.count)] = 1;
    sum = 1;
  }
  clean_priors_.resize(root.count);
  for (std::uint32_t i = 0; i < root.count; ++i) {
    Node &child = nodes_[root.first + i];
    clean_priors_[i] = child.prior;
    child.prior =
        static_cast<float>((1 - options_.noise_fraction) * child.prior + options_.noise_fraction * noise[i] / sum);
  }
}

void Tree::remove_noise() {
  for (std::size_t i = 0; i < clean_priors_.size(); ++i) nodes_[nodes_[ROOT].first + i].prior = clean_priors_[i];
  clean_priors_.clear();
}

bool Tree::expand(std::uint32_t at, int mover, std::span<const Action> actions, const double *priors, Rng &rng) {
  if (actions.empty()) game_->contradicts("player");  // nature moves where a player did
  // The root always has its children: without them there is nothing to choose from.
  if (at != ROOT && nodes_.size() + actions.size() > options_.max_nodes) {
    full_ = true;
    return false;
  }
  const auto first = static_cast<std::uint32_t>(nodes_.size());
  nodes_.resize(nodes_.size() + actions.size());
  if (options_.rave) amaf_.resize(nodes_.size());
  if (options_.gumbel > 0) own_values_.resize(nodes_.size());
  nodes_[at].first = first;
  nodes_[at].count = static_cast<std::uint32_t>(actions.size()) & MOST_CHILDREN;
  nodes_[at].mover = static_cast<std::uint32_t>(mover) & 7u;
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

Tree::Scale Tree::scale_of(int player) const {
  double low = range_.min, high = range_.max;
  if (range_.loose) {
    low = low_[player];
    high = high_[player];
  }
  const double width = high - low;
  return {low, width > 0 && std::isfinite(width) ? 1 / width : 0};
}

double Tree::unit(double mean, int player) const {
  const auto [low, scale] = scale_of(player);
  return scale > 0 ? (mean - low) * scale : 0.5;
}

// What a hidden card makes illegal in this world is skipped.
bool Tree::is_legal(Action action) const {
  const auto end = scratch_.begin() + legal_count_;
  return std::find(scratch_.begin(), end, action) != end;
}

// Worlds with other hidden cards allow other actions: those that the node lacks become children, too. How likely they
// are nobody has said: as likely as the others on the mean. Where a block has no room left its children move; a leaf
// that waits may be on its way through one of them, and finds where it went.
void Tree::complete(std::uint32_t at) {
  const std::uint32_t first = nodes_[at].first, count = nodes_[at].count;
  const auto is_known = [&](Action action) {
    for (std::uint32_t i = 0; i < count; ++i)
      if (nodes_[first + i].action == action) return true;
    return false;
  };
  const auto end = scratch_.begin() + legal_count_;
  const auto missing = std::partition(scratch_.begin(), end, is_known);
  if (missing == end) return;
  float priors = 0;
  for (std::uint32_t i = 0; i < count; ++i) priors += nodes_[first + i].prior;
  const auto wanted = count + static_cast<std::uint32_t>(end - missing);
  const bool has_room = std::size_t{first} + wanted <= nodes_.size() &&
                        std::all_of(&nodes_[first + count], &nodes_[first] + wanted,
                                    [](const Node &place) { return place.action == SPARE; });
  if (!has_room && !move_children(at, 2 * wanted)) return;
  Node *fresh = &nodes_[nodes_[at].first + count];
  for (auto action = missing; action != end; ++action, ++fresh) {
    *fresh = Node{};
    fresh->action = *action;
    fresh->prior = priors / static_cast<float>(count);
  }
  nodes_[at].count = wanted & MOST_CHILDREN;
}

// The children of a node move to a block of that many places, of which the rest are spare.
bool Tree::move_children(std::uint32_t at, std::uint32_t places) {
  const std::uint32_t first = nodes_[at].first, count = nodes_[at].count;
  const std::size_t moved = nodes_.size(), size = moved + places;
  if (size > options_.max_nodes) {
    full_ = true;
    return false;
  }
  nodes_.resize(size);
  if (options_.rave) amaf_.resize(size);
  if (options_.gumbel > 0) own_values_.resize(size);
  for (std::uint32_t i = 0; i < count; ++i) {
    Node &old = nodes_[first + i];
    nodes_[moved + i] = old;
    old.exact = 1;
    old.next = static_cast<std::uint32_t>(moved) + i;
    if (options_.rave) amaf_[moved + i] = amaf_[first + i];
    if (options_.gumbel > 0) own_values_[moved + i] = own_values_[first + i];
  }
  for (std::size_t i = moved + count; i < size; ++i) nodes_[i].action = SPARE;
  nodes_[at].first = static_cast<std::uint32_t>(moved);
  return true;
}

namespace {

// 1/n: two divisions a child are a good part of a descent.
constexpr std::uint32_t INVERSES = 1024;
constexpr auto INVERSE = [] {
  std::array<double, INVERSES> table{};
  for (std::uint32_t n = 1; n < INVERSES; ++n) table[n] = 1.0 / n;
  return table;
}();
inline double inverse(std::uint32_t n) { return n < INVERSES ? INVERSE[n] : 1.0 / n; }

}  // namespace

Tree::Line Tree::q_line(int player) const {
  if (options_.paper) return {1, 0};
  const auto [low, scale] = scale_of(player);
  if (!(scale > 0)) return {0, options_.puct ? 0 : 0.5};
  return options_.puct ? Line{2 * scale, -2 * low * scale - 1} : Line{scale, -low * scale};
}

double Tree::unvisited_q(const Node &node, const Line &q) const {
  if (!options_.fpu_from_parent) return options_.fpu;
  double sum = 0, visits = 0;
  for (std::uint32_t i = 0; i < node.count; ++i) {
    sum += nodes_[node.first + i].value_sum;
    visits += nodes_[node.first + i].visits;
  }
  return (visits > 0 ? sum / visits * q.slope + q.shift : 0) - options_.fpu;
}

// Equations 1 and 2 of Scheiermann and Konen (2022). Nothing here is a branch that depends on the values: mispredicted
// ones would be the greater part of a descent.
template <bool HIDDEN>
std::uint32_t Tree::select_puct_child(const Node &node, const Line &q) {
  const Node *children = &nodes_[node.first];
  const double root = options_.c * std::sqrt(static_cast<double>(node.visits) - 1 + options_.epsilon);
  const double unvisited = unvisited_q(node, q);
  std::uint32_t best = 0, lost = 0;
  double best_score = -std::numeric_limits<double>::infinity();
  for (std::uint32_t i = 0; i < node.count; ++i) {
    const Node &child = children[i];
    if (HIDDEN && !is_legal(child.action)) continue;
    const std::uint32_t n = child.visits;
    const double visited = child.value_sum * inverse(n) * q.slope + q.shift;
    const double value = n ? visited : unvisited;
    const double score = value + root * child.prior * inverse(n + 1);
    if (is_lost(child)) {
      lost = node.first + i;
      continue;
    }
    const bool better = score > best_score;
    best = better ? node.first + i : best;
    best_score = better ? score : best_score;
  }
  return best ? best : lost;
}

// PUCT, UCB1, RAVE's mixture or Gumbel's improved policy. What is proven lost is skipped, unless all is.
std::uint32_t Tree::select_child(std::uint32_t at, int player) {
  if (options_.gumbel_interior && at != ROOT) return select_gumbel_child(at, player);
  const Node &node = nodes_[at];
  if (options_.rave) return select_rave_child(node, player);
  const Line q = lines_[player];
  const bool hidden = game_->is_hidden();
  if (options_.puct) return hidden ? select_puct_child<true>(node, q) : select_puct_child<false>(node, q);
  const Node *children = &nodes_[node.first];
  std::uint32_t best = 0, lost = 0;
  double best_score = -std::numeric_limits<double>::infinity();
  const double log_visits = std::log(static_cast<double>(std::max<std::uint32_t>(node.visits, 2)));
  for (std::uint32_t i = 0; i < node.count; ++i) {
    const Node &child = children[i];
    if (is_lost(child)) {
      lost = node.first + i;
      continue;
    }
    if (hidden && !is_legal(child.action)) continue;
    if (!child.visits) return node.first + i;
    const double share = inverse(child.visits);
    const double score = child.value_sum * share * q.slope + q.shift + options_.c * std::sqrt(log_visits * share);
    if (score > best_score) {
      best_score = score;
      best = node.first + i;
    }
  }
  return best ? best : lost;
}

// (1 - beta) U + beta U_rave. UCB1 explores by the action's own visits alone; an action without any borrows the value
// of its AMAF statistics.
std::uint32_t Tree::select_rave_child(const Node &node, int player) {
  const Line q = lines_[player];
  const double visits = static_cast<double>(node.visits) - (options_.puct ? 1 : 0), k = options_.equivalence;
  const double beta = std::sqrt(k / (3 * visits + k)), unvisited = unvisited_q(node, q);
  double rave_visits = 0;
  for (std::uint32_t i = 0; i < node.count; ++i) rave_visits += amaf_[node.first + i].visits;
  const double root = options_.c * std::sqrt(visits + options_.epsilon);
  const double rave_root = options_.c * std::sqrt(rave_visits + options_.epsilon);
  const double log_visits = std::log(std::max(visits, 2.0));
  std::uint32_t best = 0, lost = 0;
  double best_score = -std::numeric_limits<double>::infinity();
  for (std::uint32_t i = 0; i < node.count; ++i) {
    const Node &child = nodes_[node.first + i];
    const Amaf &amaf = amaf_[node.first + i];
    if (is_lost(child)) {
      lost = node.first + i;
      continue;
    }
    if (game_->is_hidden() && !is_legal(child.action)) continue;
    if (!options_.puct && !child.visits && !amaf.visits) return node.first + i;
    double own = child.visits ? child.mean() * q.slope + q.shift : unvisited;
    double rave = amaf.visits ? amaf.value_sum / amaf.visits * q.slope + q.shift : options_.puct ? unvisited : own;
    if (options_.puct) {
      own += root * child.prior / (1.0 + child.visits);
      rave += rave_root * child.prior / (1.0 + amaf.visits);
    } else {
      if (!child.visits) own = rave;
      const double exploration = options_.c * std::sqrt(log_visits / std::max(child.visits, 1u));
      own += exploration;
      rave += exploration;
    }
    const double score = (1 - beta) * own + beta * rave;
    if (score > best_score) {
      best_score = score;
      best = node.first + i;
    }
  }
  return best ? best : lost;
}

void Tree::look_at(std::uint32_t at, int player, GumbelView &view) const {
  const Node &node = nodes_[at];
  view.c_visit = options_.c_visit;
  view.c_scale = options_.c_scale;
  view.value = std::clamp(unit(own_values_[at], player), 0.0, 1.0);  // it may be beyond what the nodes have seen
  view.priors.resize(node.count);
  view.visits.resize(node.count);
  view.means.resize(node.count);
  for (std::uint32_t i = 0; i < node.count; ++i) {
    const Node &child = nodes_[node.first + i];
    view.priors[i] = child.prior;
    view.visits[i] = child.visits;
    view.means[i] = child.visits ? unit(child.mean(), player) : 0;
  }
}

// Planning at non-root nodes (Danihelka et al. 2022, section 5), without noise: the visits follow the improved policy
// as closely as they can.
std::uint32_t Tree::select_gumbel_child(std::uint32_t at, int player) {
  look_at(at, player, view_);
  completed_logits(view_, logits_);
  softmax(logits_, 1.0);
  const Node &node = nodes_[at];
  double visits = 1;
  for (const double n : view_.visits) visits += n;
  std::uint32_t best = 0, lost = 0;
  double best_score = -std::numeric_limits<double>::infinity();
  for (std::uint32_t i = 0; i < node.count; ++i) {
    const Node &child = nodes_[node.first + i];
    if (is_lost(child)) {
      lost = node.first + i;
      continue;
    }
    if (game_->is_hidden() && !is_legal(child.action)) continue;
    const double score = logits_[i] - view_.visits[i] / visits;
    if (score > best_score) {
      best_score = score;
      best = node.first + i;
    }
  }
  return best ? best : lost;
}

// The best of gumbel + logit + sigma(completed Q) among the children with so many visits in this decision.
std::uint32_t Tree::best_gumbel_child(std::uint32_t visits) const {
  look_at(ROOT, static_cast<int>(root().mover), view_);
  completed_logits(view_, logits_);
  const Node &root = nodes_[ROOT];
  std::uint32_t best = 0;
  for (std::uint32_t i = 0; i < root.count; ++i)
    if (nodes_[root.first + i].visits - kept_visits_[i] == visits &&
        (!best || gumbels_[i] + logits_[i] > gumbels_[best - root.first] + logits_[best - root.first]))
      best = root.first + i;
  return best;
}

std::uint32_t Tree::gumbel_choice() const {
  std::uint32_t most = 0;
  const auto children = root_children();
  for (std::size_t i = 0; i < children.size(); ++i) most = std::max(most, children[i].visits - kept_visits_[i]);
  return best_gumbel_child(most) - nodes_[ROOT].first;
}

std::vector<double> Tree::improved_policy() const {
  look_at(ROOT, static_cast<int>(root().mover), view_);
  std::vector<double> policy;
  completed_logits(view_, policy);
  softmax(policy, 1.0);
  return policy;
}

double Tree::policy_weight(RootPolicy policy, std::size_t i) const {
  const Node &child = root_children()[i];
  const int player = static_cast<int>(root().mover);
  if (policy == RootPolicy::VISITS) return child.visits;
  // Evaluators may go beyond the range; and where it is what nodes have seen so far, other nodes' actions may.
  if (policy == RootPolicy::VALUE) return child.visits ? std::clamp(unit(child.mean(), player), 0.0, 1.0) : 0;
  const Amaf amaf = root_amaf()[i];
  return amaf.visits ? std::clamp(unit(amaf.value_sum / amaf.visits, player), 0.0, 1.0) : 0;
}

std::uint32_t Tree::chance_child(std::uint32_t at, Action outcome) {
  std::uint32_t last = 0;
  for (std::uint32_t child = nodes_[at].first; child; child = nodes_[child].next) {
    if (nodes_[child].action == outcome) return child;
    last = child;
  }
  if (nodes_.size() + 1 > options_.max_nodes) {
    full_ = true;
    return 0;
  }
  const auto fresh = static_cast<std::uint32_t>(nodes_.size());
  nodes_.emplace_back();
  if (options_.rave) amaf_.emplace_back();
  if (options_.gumbel > 0) own_values_.emplace_back();
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
  // The usual case, without a division.
  if (node.value_sum > low_[node.owner] * node.visits && node.value_sum < high_[node.owner] * node.visits) return;
  const double mean = node.mean();
  low_[node.owner] = std::min(low_[node.owner], mean);
  high_[node.owner] = std::max(high_[node.owner], mean);
  lines_[node.owner] = q_line(node.owner);
}

double Tree::root_mean(int player) const {
  if (root().exact) return player == 0 ? root().mean() : -root().mean();
  return root_sum_[player] / static_cast<double>(backups_);
}

double Tree::child_mean(std::size_t i, int player) const {
  const Node &child = root_children()[i];
  if (child.exact) return player == static_cast<int>(child.owner) ? child.mean() : -child.mean();
  const std::size_t at = i * static_cast<std::size_t>(game_->players()) + static_cast<std::size_t>(player);
  return child_sums_[at] / (child.visits - kept_visits_[i]);
}

std::span<const Amaf> Tree::root_amaf() const {
  return options_.rave ? std::span<const Amaf>(&amaf_[root().first], root().count) : std::span<const Amaf>();
}

std::span<const Node> Tree::root_children() const {
  const Node &r = root();
  return r.count ? std::span<const Node>(&nodes_[r.first], r.count) : std::span<const Node>();
}

}  // namespace boardlab
