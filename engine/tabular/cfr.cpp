#include "tabular/cfr.h"

#include <cmath>

namespace boardlab::tabular {

void CfrLearner::discount(std::int64_t t) {
  const auto step = static_cast<double>(t);
  const auto kept = [step](double power) { return std::pow(step, power) / (std::pow(step, power) + 1); };
  const double positive = kept(settings_.alpha), negative = kept(settings_.beta);
  const double average = std::pow(step / (step + 1), settings_.gamma);
  for (std::size_t i = 0; i < table_->actions.size(); ++i) {
    table_->regrets[i] *= table_->regrets[i] > 0 ? positive : negative;
    table_->sums[i] *= average;
  }
}

TreeCfr::TreeCfr(GameTreePtr tree, RegretTablePtr table, const CfrSettings &settings, std::uint64_t seed)
    : CfrLearner(std::move(table), settings, seed),
      tree_(std::move(tree)),
      strategy_(tree_->strategy_size()),
      own_(tree_->nodes.size()),
      others_(own_.size()),
      value_(own_.size()) {
  for (const GameTree::Set &set : tree_->sets) {
    const auto first = tree_->labels.begin() + tree_->nodes[set.node].first;
    const std::vector<Action> legal(first, first + set.count);
    table_->enter(set.key, legal);
  }
  restore();
}

void TreeCfr::restore() {
  if (table_->sets() != tree_->sets.size() || table_->actions.size() != strategy_.size())
    throw std::invalid_argument("the table has other information sets than the game");
  for (std::size_t i = 0; i < tree_->sets.size(); ++i) {
    if (table_->keys[i] != tree_->sets[i].key || table_->first(i) != tree_->sets[i].first)
      throw std::invalid_argument("the table has other information sets than the game");
  }
  match_all();
}

void TreeCfr::match_all() {
  for (std::size_t i = 0; i < tree_->sets.size(); ++i) table_->match(i, &strategy_[tree_->sets[i].first]);
}

std::int64_t TreeCfr::train(std::int64_t iterations, const std::function<bool()> &stop) {
  const auto nodes = static_cast<std::int64_t>(tree_->nodes.size()) * tree_->players();
  std::int64_t done = 0, since = 0;
  while (done < iterations) {
    for (int p = 0; p < tree_->players(); ++p) update(p);
    ++done;
    ++iterations_done;
    nodes_done += nodes;
    if (settings_.variant == CfrSettings::Variant::DISCOUNTED) {
      discount(iterations_done);
      match_all();  // the same strategy but for rounding, and the one of a resumed run
    }
    if ((since += nodes) >= 1 << 20) {
      since = 0;
      if (stop && stop()) break;
    }
  }
  return done;
}

// One walk: probabilities down, values up, regrets and the average strategy of the player.
void TreeCfr::update(int player) {
  const GameTree &tree = *tree_;
  RegretTable &table = *table_;
  const std::size_t n = tree.nodes.size();
  own_[0] = others_[0] = 1;
  for (std::size_t i = 0; i < n; ++i) {
    const GameTree::Node &node = tree.nodes[i];
    if (node.player == TERMINAL) continue;
    const double own = own_[i], others = others_[i];
    const std::uint32_t end = node.first + node.count;
    if (node.player == CHANCE) {
      for (std::uint32_t c = node.first; c < end; ++c) {
        own_[c] = own;
        others_[c] = others * tree.nodes[c].probability;
      }
      continue;
    }
    const double *row = &strategy_[tree.sets[node.set].first];
    for (std::uint32_t c = node.first; c < end; ++c) {
      own_[c] = node.player == player ? own * *row : own;
      others_[c] = node.player == player ? others : others * *row;
      ++row;
    }
  }
  for (std::size_t i = n; i-- > 0;) {
    const GameTree::Node &node = tree.nodes[i];
    if (node.player == TERMINAL) {
      value_[i] = tree.score(node, player);
      continue;
    }
    double value = 0;
    if (node.player == CHANCE) {
      for (std::uint32_t c = node.first; c < node.first + node.count; ++c)
        value += tree.nodes[c].probability * value_[c];
    } else {
      const std::uint32_t first = tree.sets[node.set].first;
      for (std::uint32_t c = 0; c < node.count; ++c) value += strategy_[first + c] * value_[node.first + c];
      if (node.player == player)
        for (std::uint32_t c = 0; c < node.count; ++c)
          table.regrets[first + c] += others_[i] * (value_[node.first + c] - value);
    }
    value_[i] = value;
  }
  const bool is_plus = settings_.variant == CfrSettings::Variant::PLUS;
  const double weight = is_plus ? static_cast<double>(iterations_done + 1) : 1;
  for (std::size_t s = 0; s < tree.sets.size(); ++s) {
    const GameTree::Set &set = tree.sets[s];
    if (set.player != player) continue;
    for (std::uint32_t a = set.first; a < set.first + set.count; ++a) {
      table.sums[a] += weight * own_[set.node] * strategy_[a];
      if (is_plus) table.regrets[a] = std::max(table.regrets[a], 0.0);
    }
    table.match(s, &strategy_[set.first]);
  }
}

}  // namespace boardlab::tabular
