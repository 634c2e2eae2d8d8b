#include "search/proof.h"

#include <limits>

namespace boardlab {

Prover::Prover(const Game &game, Range range, const TreeOptions &options)
    : is_on_(options.solver && game.players() == 2 && game.is_zero_sum() && !game.has_chance() && !game.is_hidden() &&
             game.step_reward() == 0),
      slack_(range.loose ? 0 : 1e-9 * (range.max - range.min)),
      lost_(range.min + slack_),
      // No value is known to be the best possible in a loose range: a comparison with NaN is false.
      won_(range.loose ? std::numeric_limits<double>::quiet_NaN() : range.max - slack_) {}

const Node *Prover::proof(const NodePool &nodes, const Node &node) const {
  const Node *best = nullptr;
  bool all = true;
  for (const Node &child : nodes.block(node)) {
    if (!child.exact) {
      all = false;
      continue;
    }
    if (child.mean() >= won_) return &child;
    if (!best || child.mean() > best->mean()) best = &child;
  }
  return all ? best : nullptr;
}

bool Prover::prove(const NodePool &nodes, const Node &node, double *value) const {
  const Node *best = proof(nodes, node);
  if (!best) return false;
  value[best->owner] = best->mean();
  value[1 - best->owner] = -best->mean();
  return true;
}

const Node *Prover::expected_child(const NodePool &nodes, const Node &node) const {
  if (const Node *best = node.exact ? proof(nodes, node) : nullptr) return best;
  const auto better = [this](const Node &a, const Node &b) {
    if (is_lost(a) != is_lost(b)) return is_lost(b);
    return a.visits != b.visits ? a.visits > b.visits : a.mean() > b.mean();
  };
  const Node *best = nullptr;
  for (std::uint32_t at = node.first; at; at = nodes.next_child(node, at)) {
    const Node &child = nodes[at];
    if (child.visits && (!best || better(child, *best))) best = &child;
  }
  return best;
}

Running::Running(const Prover &prover, const NodePool &nodes) : prover_(&prover), is_root_proven_(nodes.root().exact) {
  for (const Node &child : nodes.block(nodes.root())) {
    if (child.exact && (!best_proven_ || child.mean() > best_proven_->mean())) best_proven_ = &child;
    all_lost_ = all_lost_ && prover.is_lost(child);
  }
}

bool Running::has(const Node &child) const {
  if (!child.exact) return !is_root_proven_;
  return prover_->is_as_good(child, *best_proven_) && (all_lost_ || !prover_->is_lost(child));
}

}  // namespace boardlab
