#include "search/gumbel.h"

#include <algorithm>
#include <cmath>

#include "core/distributions.h"
#include "evaluators/evaluator.h"
#include "search/tree_parts.h"

namespace boardlab {

GumbelSchedule::GumbelSchedule(std::uint32_t considered, std::int64_t simulations)
    : considered_(considered),
      in_phase_(considered),
      simulations_(simulations),
      left_(considered > 0 ? simulations : 0),
      phases_(static_cast<std::int64_t>(std::max(1.0, std::ceil(std::log2(static_cast<double>(considered)))))) {
  if (left_ > 0) rounds_left_ = rounds();
}

std::int64_t GumbelSchedule::rounds() const { return std::max<std::int64_t>(1, simulations_ / (phases_ * in_phase_)); }

std::uint32_t GumbelSchedule::next() {
  const std::uint32_t visits = visits_;
  --left_;
  if (++in_round_ == in_phase_) {
    in_round_ = 0;
    ++visits_;
    if (--rounds_left_ == 0) {
      in_phase_ = std::max(std::min(2u, considered_), in_phase_ / 2);
      rounds_left_ = rounds();
    }
  }
  return visits;
}

void GumbelView::look_at(const TreeParts &tree, std::uint32_t at, int player) {
  const auto children = tree.nodes.block(tree.nodes[at]);
  c_visit = tree.options.c_visit;
  c_scale = tree.options.c_scale;
  // It may lie beyond the range of the values seen in the tree.
  value = std::clamp(tree.scale.unit(tree.nodes.own_value(at), player), 0.0, 1.0);
  priors.resize(children.size());
  visits.resize(children.size());
  means.resize(children.size());
  for (std::size_t i = 0; i < children.size(); ++i) {
    priors[i] = children[i].prior;
    visits[i] = children[i].visits;
    means[i] = children[i].visits ? tree.scale.unit(children[i].mean(), player) : 0;
  }
  complete();
}

void GumbelView::complete() {
  double sum = 0, most = 0, prior = 0, weighted = 0;
  for (std::size_t i = 0; i < priors.size(); ++i) {
    sum += visits[i];
    most = std::max(most, visits[i]);
    if (visits[i] <= 0) continue;
    prior += priors[i];
    weighted += priors[i] * means[i];
  }
  const double mean = prior > 0 ? weighted / prior : value;
  const double mixed = (value + sum * mean) / (1 + sum);
  logits.resize(priors.size());
  for (std::size_t i = 0; i < logits.size(); ++i) {
    const double q = visits[i] > 0 ? means[i] : mixed;
    logits[i] = std::log(std::max(priors[i], 1e-30)) + (c_visit + most) * c_scale * q;
  }
}

void GumbelRoot::begin(const TreeParts &tree, int players, std::int64_t simulations, Rng &rng) {
  const auto children = tree.nodes.block(tree.nodes.root());
  const auto count = static_cast<std::uint32_t>(children.size());
  schedule_ = {std::min(count, static_cast<std::uint32_t>(tree.options.gumbel)), simulations};
  players_ = players;
  gumbels_.resize(count);
  for (double &g : gumbels_) g = draw_gumbel(rng);
  sums_.assign(count * static_cast<std::size_t>(players), 0.0);
  kept_visits_.clear();
  for (const Node &child : children) kept_visits_.push_back(child.visits);
}

std::uint32_t GumbelRoot::next(TreeParts &tree) {
  if (schedule_.is_over()) return 0;
  tree.view.look_at(tree, NodePool::ROOT, static_cast<int>(tree.nodes.root().mover));
  return best(tree, tree.view, schedule_.next());
}

void GumbelRoot::add(std::size_t i, const double *value) {
  for (int p = 0; p < players_; ++p)
    sums_[i * static_cast<std::size_t>(players_) + static_cast<std::size_t>(p)] += value[p];
}

// The highest gumbel + logit + sigma(completed Q) among the children with this many visits in this decision; 0 = none.
std::uint32_t GumbelRoot::best(const TreeParts &tree, const GumbelView &view, std::uint32_t visits) const {
  const Node &root = tree.nodes.root();
  std::uint32_t best = 0;
  for (std::uint32_t i = 0; i < root.count; ++i) {
    if (tree.nodes[root.first + i].visits - kept_visits_[i] != visits) continue;
    const std::uint32_t known = best - root.first;
    if (!best || gumbels_[i] + view.logits[i] > gumbels_[known] + view.logits[known]) best = root.first + i;
  }
  return best;
}

std::uint32_t GumbelRoot::choice(const TreeParts &tree) const {
  const Node &root = tree.nodes.root();
  std::uint32_t most = 0;
  for (std::uint32_t i = 0; i < root.count; ++i)
    most = std::max(most, tree.nodes[root.first + i].visits - kept_visits_[i]);
  GumbelView view;
  view.look_at(tree, NodePool::ROOT, static_cast<int>(root.mover));
  return best(tree, view, most) - root.first;
}

double GumbelRoot::child_mean(const TreeParts &tree, std::size_t i, int player) const {
  const Node &child = tree.nodes.block(tree.nodes.root())[i];
  if (child.exact) return player == static_cast<int>(child.owner) ? child.mean() : -child.mean();
  const std::size_t at = i * static_cast<std::size_t>(players_) + static_cast<std::size_t>(player);
  return sums_[at] / (child.visits - kept_visits_[i]);
}

std::vector<double> improved_policy(const TreeParts &tree) {
  GumbelView view;
  view.look_at(tree, NodePool::ROOT, static_cast<int>(tree.nodes.root().mover));
  softmax(view.logits, 1.0);
  return view.logits;
}

}  // namespace boardlab
