#include "tabular/game_tree.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace boardlab::tabular {

namespace {

constexpr int PATHS = 1000;  // of the estimate
constexpr std::size_t DEEPEST = 4096;

// The actions of a player, or the outcomes of chance with their probabilities.
struct Children {
  explicit Children(const Game &game)
      : actions(static_cast<std::size_t>(game.max_legal())), probabilities(actions.size()) {}
  int list(const Game &game, const void *state, int player) {
    if (player == CHANCE) return game.chance(state, actions.data(), probabilities.data());
    const int n = game.legal(state, actions.data());
    std::fill_n(probabilities.begin(), n, 1.0);
    return n;
  }
  std::vector<Action> actions;
  std::vector<double> probabilities;
};

// The states of a level of the tree, one after the other.
class Level {
 public:
  explicit Level(const Game &game) : stride_((game.state_size() + 15) / 16) {}
  void *add() {
    words_.resize(words_.size() + stride_);
    return &words_[words_.size() - stride_];
  }
  void *at(std::size_t i) { return &words_[i * stride_]; }

 private:
  struct alignas(16) Word {
    std::uint64_t bits[2] = {0, 0};
  };
  std::size_t stride_;
  std::vector<Word> words_;
};

void check_start(const Game &game) {
  StateBuffer first(game), other(game);
  Rng rng(0);
  game.initial_state(first.data(), rng);
  for (std::uint64_t seed = 1; seed < 8; ++seed) {
    Rng another(seed);
    game.initial_state(other.data(), another);
    if (!game.equal(first.data(), other.data()))
      throw std::invalid_argument(game.name() + " begins in a position that is drawn at random, so that it is no " +
                                  "single tree; sample it instead (sampling=\"external\")");
  }
}

}  // namespace

double estimate_nodes(const GamePtr &game_ptr, double enough, std::uint64_t seed, const Poll &poll) {
  const Game &game = *game_ptr;
  const Situations situations(game_ptr, nullptr);
  Children children(game);
  StateBuffer state(game);
  Rng rng(seed);
  double sum = 0;
  for (int path = 0; path < PATHS; ++path) {
    poll();
    game.initial_state(state.data(), rng);
    double product = 1, nodes = 1;
    bool is_begun = false;
    for (std::size_t depth = 0; depth < DEEPEST; ++depth) {
      const int player = game.player(state.data());
      if (situations.is_end(state.data(), player, is_begun)) break;
      const int n = children.list(game, state.data(), player);
      product *= n;
      nodes += product;
      is_begun = is_begun || player != CHANCE;
      game.apply(state.data(), children.actions[rng.below(static_cast<std::uint32_t>(n))]);
    }
    sum += nodes;
    if (sum / PATHS > enough) break;  // whatever the other paths have
  }
  return sum / PATHS;
}

GameTree::GameTree(const GamePtr &game, const BucketsPtr &buckets, int outcome, std::uint64_t most_nodes,
                   const Poll &poll)
    : game_(game) {
  check_start(*game);
  build(buckets, outcome, std::min<std::uint64_t>(most_nodes, UINT32_MAX), poll);
  for (int p = 0; p < players(); ++p) {
    std::vector<std::uint32_t> before(nodes.size(), 0);  // own decisions on the way
    std::uint32_t most = 0;
    for (std::size_t i = 1; i < nodes.size(); ++i) {
      const Node &parent = nodes[nodes[i].parent];
      before[i] = before[nodes[i].parent] + (parent.player == p);
      most = std::max(most, before[i]);
    }
    std::vector<std::uint32_t> begins(most + 2, 0), order(nodes.size());
    for (const std::uint32_t n : before) ++begins[most - n + 1];
    for (std::size_t n = 1; n < begins.size(); ++n) begins[n] += begins[n - 1];
    std::vector<std::uint32_t> next = begins;
    for (std::size_t i = nodes.size(); i-- > 0;) order[next[most - before[i]]++] = static_cast<std::uint32_t>(i);
    orders_.push_back(std::move(order));
    layers_.push_back(std::move(begins));
  }
}

void GameTree::build(const BucketsPtr &buckets, int outcome, std::uint64_t most_nodes, const Poll &poll) {
  const Game &g = *game_;
  Situations situations(game_, buckets);
  Children children(g);
  std::unordered_map<std::uint64_t, std::uint32_t> known;
  const auto width = static_cast<std::size_t>(players());
  // What a node's way says of a player: its last decision, which is the same for all nodes of a set, or the player
  // forgets; and its step rewards.
  struct Past {
    std::uint32_t set = UINT32_MAX, action = 0;
    double paid = 0;
  };
  std::vector<Past> past(width), next_past, set_past;  // [nodes][players], [sets]
  std::vector<bool> begun{false}, next_begun;          // whether a player has acted
  Level level(g), next(g);
  Rng rng(0);
  g.initial_state(level.add(), rng);
  nodes.push_back({0, 0, 0, 0, 0, 0, 1.0});
  labels.push_back(-1);
  for (std::size_t begin = 0, depth = 0; begin < nodes.size(); ++depth) {
    if (depth > DEEPEST)
      throw std::invalid_argument(g.name() + " can go on for more than " + std::to_string(DEEPEST) +
                                  " actions, too many for a tree");
    const std::size_t end = nodes.size();
    next = Level(g);
    next_past.clear();
    next_begun.clear();
    for (std::size_t i = begin; i < end; ++i) {
      if (i % 1024 == 0) poll();
      const std::size_t k = i - begin;
      const Past *mine = &past[k * width];
      const int player = g.player(level.at(k));
      if (situations.is_end(level.at(k), player, begun[k])) {
        nodes[i].player = TERMINAL;
        nodes[i].set = static_cast<std::uint32_t>(scores.size() / width);
        double out[MAX_PLAYERS];
        g.outcome(outcome, level.at(k), out);
        for (std::size_t p = 0; p < width; ++p) scores.push_back(out[p] + mine[p].paid);
        continue;
      }
      const int n = children.list(g, level.at(k), player);
      nodes[i].player = player;
      nodes[i].first = static_cast<std::uint32_t>(nodes.size());
      nodes[i].count = static_cast<std::uint32_t>(n);
      if (nodes.size() + static_cast<std::size_t>(n) > most_nodes)
        throw std::invalid_argument("the tree of " + g.name() + " has more than " + std::to_string(most_nodes) +
                                    " nodes");
      for (int c = 0; c < n; ++c) {
        const auto index = static_cast<std::size_t>(c);
        nodes.push_back(
            {static_cast<std::uint32_t>(i), 0, 0, 0, 0, static_cast<std::uint32_t>(c), children.probabilities[index]});
        labels.push_back(children.actions[index]);
        void *child = next.add();
        g.copy(child, level.at(k));
        g.apply(child, children.actions[index]);
        next_past.insert(next_past.end(), mine, mine + width);
        next_begun.push_back(begun[k] || player != CHANCE);
      }
      if (player == CHANCE) continue;
      const auto p = static_cast<std::size_t>(player);
      const auto [found, is_new] =
          known.try_emplace(situations.key(level.at(k), player), static_cast<std::uint32_t>(sets.size()));
      nodes[i].set = found->second;
      if (is_new) {
        sets.push_back({found->first, static_cast<std::uint32_t>(i), static_cast<std::uint32_t>(strategy_size_),
                        static_cast<std::uint32_t>(n), player});
        set_past.push_back(mine[p]);
        strategy_size_ += static_cast<std::size_t>(n);
      }
      const Set &set = sets[found->second];
      const auto first = labels.begin() + nodes[set.node].first;
      if (set.player != player || set.count != static_cast<std::uint32_t>(n) ||
          !std::equal(first, first + n, labels.begin() + nodes[i].first))
        g.contradicts("legal");
      if (set_past[found->second].set != mine[p].set || set_past[found->second].action != mine[p].action)
        throw std::invalid_argument(g.name() + ": player " + std::to_string(player) +
                                    " forgets what it did: positions that look alike to it followed different actions "
                                    "of its own; sample the game instead (sampling=\"external\")");
      for (std::size_t c = 0; c < static_cast<std::size_t>(n); ++c) {
        Past &after = next_past[next_past.size() - (static_cast<std::size_t>(n) - c) * width + p];
        after = {found->second, static_cast<std::uint32_t>(c), after.paid + g.step_reward()};
      }
    }
    begin = end;
    std::swap(level, next);
    std::swap(past, next_past);
    std::swap(begun, next_begun);
  }
}

std::vector<double> GameTree::values(const double *strategy) const {
  std::vector<double> reach(nodes.size()), out(static_cast<std::size_t>(players()), 0);
  reach[0] = 1;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    if (i > 0) reach[i] = reach[nodes[i].parent] * weight(nodes[i], strategy);
    if (nodes[i].player != TERMINAL) continue;
    for (int p = 0; p < players(); ++p) out[static_cast<std::size_t>(p)] += reach[i] * score(nodes[i], p);
  }
  return out;
}

double GameTree::best_response(int player, const double *strategy) const {
  std::vector<double> reach(nodes.size()), value(nodes.size()), action_values(strategy_size_, 0);
  reach[0] = 1;  // by the others and chance
  for (std::size_t i = 1; i < nodes.size(); ++i)
    reach[i] = reach[nodes[i].parent] * (nodes[nodes[i].parent].player == player ? 1 : weight(nodes[i], strategy));
  const auto p = static_cast<std::size_t>(player);
  const std::vector<std::uint32_t> &order = orders_[p], &begins = layers_[p];
  for (std::size_t layer = 0; layer + 1 < begins.size(); ++layer) {
    // All nodes of a set have the same number of own decisions before them; what follows is in earlier layers.
    for (std::uint32_t k = begins[layer]; k < begins[layer + 1]; ++k) {
      const Node &node = nodes[order[k]];
      if (node.player != player) continue;
      for (std::uint32_t c = 0; c < node.count; ++c)
        action_values[sets[node.set].first + c] += reach[order[k]] * value[node.first + c];
    }
    for (std::uint32_t k = begins[layer]; k < begins[layer + 1]; ++k) {
      const std::uint32_t i = order[k];
      const Node &node = nodes[i];
      if (node.player == TERMINAL) {
        value[i] = score(node, player);
      } else if (node.player == player) {
        const double *row = &action_values[sets[node.set].first];
        value[i] = value[node.first + static_cast<std::uint32_t>(std::max_element(row, row + node.count) - row)];
      } else {
        value[i] = 0;
        for (std::uint32_t c = node.first; c < node.first + node.count; ++c)
          value[i] += weight(nodes[c], strategy) * value[c];
      }
    }
  }
  return value[0];
}

double GameTree::nash_conv(const double *strategy) const {
  double sum = 0;
  const std::vector<double> now = values(strategy);
  for (int p = 0; p < players(); ++p) sum += best_response(p, strategy) - now[static_cast<std::size_t>(p)];
  return sum;
}

std::vector<Action> GameTree::path(std::uint32_t node) const {
  std::vector<Action> actions;
  for (; node; node = nodes[node].parent) actions.push_back(labels[node]);
  std::reverse(actions.begin(), actions.end());
  return actions;
}

}  // namespace boardlab::tabular
