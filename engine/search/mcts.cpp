#include "search/mcts.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <exception>
#include <mutex>
#include <thread>

#include "core/spin_lock.h"
#include "search/deadline.h"

namespace boardlab {

MctsSearch::MctsSearch(std::unique_ptr<Evaluator> evaluator, MctsOptions options, std::uint64_t seed)
    : Search(std::move(evaluator), seed),
      options_(options),
      tree_(game_ptr(), evaluator_->outcome(), options.tree),
      helpers_(static_cast<std::size_t>(options.threads - 1)) {
  workers_.push_back({evaluator_.get(), &rng, {}, {}});
  for (Helper &helper : helpers_) {
    helper.evaluator = evaluator_->clone();
    workers_.push_back({helper.evaluator.get(), &helper.rng, {}, {}});
  }
  visit_evaluators([&](Evaluator &asked) {
    asked.scales_priors = !options.tree.paper;
    asked.minmax_priors = options.minmax_priors;
  });
  for (Worker &worker : workers_) worker.leaves.resize(static_cast<std::size_t>(options.tree.batch));
  seed_helpers(seed);
}

void MctsSearch::seed_helpers(std::uint64_t seed) {
  for (std::size_t t = 0; t < helpers_.size(); ++t) helpers_[t].rng = Rng(derive_seed(seed, t + 1));
}

void MctsSearch::reset(std::uint64_t seed) {
  Search::reset(seed);
  tree_.clear();
  seed_helpers(seed);
}

// ---- Algorithm 1 of Scheiermann and Konen (2022), without recursion: select; evaluate; expand and back up. ----

void MctsSearch::descend(Worker &worker, std::size_t leaves, bool virtual_loss) {
  for (std::size_t i = 0; i < leaves; ++i) tree_.select(worker.leaves[i], *worker.rng, virtual_loss);
}

void MctsSearch::evaluate(Worker &worker, std::size_t leaves) const {
  worker.questions.clear();
  for (std::size_t i = 0; i < leaves; ++i)
    if (!worker.leaves[i].terminal) worker.questions.push_back(tree_.question(worker.leaves[i]));
  if (!worker.questions.empty()) worker.evaluator->answer(worker.questions, *worker.rng);
}

void MctsSearch::back_up(Worker &worker, std::size_t leaves) {
  for (std::size_t i = 0; i < leaves; ++i) tree_.back_up(worker.leaves[i]);
  for (std::size_t i = 0; i < leaves; ++i) tree_.widen(worker.leaves[i]);
}

void MctsSearch::act(const void *state, Decision &out) {
  try {
    out.prepare(game(), state);
    report(out, grow(state));
  } catch (...) {
    tree_.clear();  // descents that were not backed up have left visits and virtual losses behind
    throw;
  }
}

// Returns the number of iterations.
std::int64_t MctsSearch::grow(const void *state) {
  Deadline deadline(options_.seconds);
  for (const Worker &worker : workers_) worker.evaluator->begin_decision();
  tree_.set_root(state, options_.tree.reuse);
  // A node counts its visits in 32 bits, and a kept tree starts with some.
  if (tree_.root().visits > MOST_VISITS / 2) tree_.set_root(state, false);
  tree_.prepare_root(*evaluator_, rng, options_.iterations);
  const std::int64_t most = MOST_VISITS - tree_.root().visits;
  const std::int64_t limit = options_.iterations > 0 ? std::min(options_.iterations, most) : most;
  return helpers_.empty() ? grow_alone(limit, deadline) : grow_together(limit, deadline);
}

std::int64_t MctsSearch::grow_alone(std::int64_t limit, Deadline &deadline) {
  Worker &worker = workers_.front();
  std::int64_t done = 0;
  while (done < limit && !tree_.root().exact) {
    const auto leaves = static_cast<std::size_t>(std::min(tree_.leaves(), limit - done));
    tree_.make_room();
    descend(worker, leaves, leaves > 1);
    evaluate(worker, leaves);
    back_up(worker, leaves);
    done += static_cast<std::int64_t>(leaves);
    if (!deadline.is_due(done)) continue;
    poll();
    if (deadline.is_over(done)) break;
  }
  return done;
}

// Tree parallelisation (Chaslot, Winands and van den Herik 2008) with one lock. A thread holds it while it backs up its
// last leaves and selects its next ones. Evaluations, the greater part of an iteration, need no lock. Virtual losses
// keep the threads apart.
class MctsSearch::Shared {
 public:
  Shared(MctsSearch &search, std::int64_t limit, std::int64_t done) : search_(search), limit_(limit), done_(done) {}

  // Works until the iterations are done, the root is proven or `stop` is called. Calls `look` after every evaluation.
  template <class Look>
  void work(Worker &worker, Look look) {
    std::size_t waiting = 0;
    while (take_turn(worker, waiting)) {
      search_.evaluate(worker, waiting);
      look();
    }
  }
  void stop() { stop_ = true; }
  std::int64_t done() const { return done_; }  // iterations; read it after all threads have ended

 private:
  // With several leaves per turn, the nodes near the root move less often from one core's cache to another's.
  static constexpr std::int64_t VISITS_A_LEAF = 256, MOST_LEAVES = 8;

  // Backs up the `waiting` leaves and selects the next ones. Returns false at the end.
  bool take_turn(Worker &worker, std::size_t &waiting) {
    Tree &tree = search_.tree_;
    for (;; std::this_thread::yield()) {
      const std::lock_guard lock(lock_);
      search_.back_up(worker, waiting);
      done_ += static_cast<std::int64_t>(waiting);
      in_flight_ -= static_cast<std::int64_t>(waiting);
      waiting = 0;
      const std::int64_t left = limit_ - done_ - in_flight_;
      if (stop_ || left <= 0 || tree.root().exact) return false;
      if (in_flight_ == 0) tree.make_room();
      if (tree.wants_room()) continue;  // until the others' leaves are backed up
      const std::int64_t few = leaves_at_once(tree.root().visits, VISITS_A_LEAF, MOST_LEAVES);
      waiting = static_cast<std::size_t>(std::min(left, std::max(few, tree.leaves())));
      if (worker.leaves.size() < waiting) worker.leaves.resize(waiting);
      search_.descend(worker, waiting, true);
      in_flight_ += static_cast<std::int64_t>(waiting);
      return true;
    }
  }

  MctsSearch &search_;
  SpinLock lock_;
  std::int64_t limit_, done_, in_flight_ = 0;
  std::atomic<bool> stop_{false};
};

std::int64_t MctsSearch::grow_together(std::int64_t limit, Deadline &deadline) {
  // Where values are scaled by those seen, the virtual loss is the least of them, so there must be some.
  std::int64_t done = 0;
  for (; done < limit && done < RANGE_ITERATIONS && !tree_.knows_range() && !tree_.root().exact; ++done) {
    tree_.make_room();
    descend(workers_.front(), 1, false);
    evaluate(workers_.front(), 1);
    back_up(workers_.front(), 1);
  }
  struct GivenUp {};  // another thread has failed
  Shared shared(*this, limit, done);
  std::exception_ptr failure;
  std::mutex failure_mutex;
  std::atomic<bool> failed{false};
  const auto guarded = [&](Worker &worker, auto look) {
    try {
      shared.work(worker, look);
    } catch (const GivenUp &) {
    } catch (...) {
      const std::lock_guard lock(failure_mutex);
      if (!failure) failure = std::current_exception();
      failed = true;
      shared.stop();
    }
  };
  std::vector<std::thread> threads;
  threads.reserve(helpers_.size());
  try {
    for (std::size_t t = 1; t < workers_.size(); ++t) {
      workers_[t].evaluator->poll = [&failed] {
        if (failed) throw GivenUp{};
      };
      threads.emplace_back([&guarded, this, t] { guarded(workers_[t], [] {}); });
    }
  } catch (...) {  // the system refused another thread: end those that run, then throw
    const std::lock_guard lock(failure_mutex);
    failure = std::current_exception();
    failed = true;
    shared.stop();
  }
  std::int64_t turns = 0;
  guarded(workers_.front(), [&] {
    if (!deadline.is_due(++turns)) return;
    poll();
    if (deadline.is_over(turns)) shared.stop();
  });
  for (auto &thread : threads) thread.join();
  for (const Helper &helper : helpers_) helper.evaluator->poll = [] {};
  if (failure) std::rethrow_exception(failure);
  return shared.done();
}

// Counts only the actions that the solver leaves in the running.
void MctsSearch::report(Decision &out, std::int64_t iterations) {
  const auto nodes = tree_.root_children();
  const auto running = tree_.running();
  children_.assign(out.actions.size(), nullptr);
  if (nodes.size() != out.actions.size()) game().contradicts("legal");
  for (const Node &child : nodes) {
    const auto at = std::find(out.actions.begin(), out.actions.end(), child.action);
    if (at == out.actions.end()) game().contradicts("legal");
    const auto i = static_cast<std::size_t>(at - out.actions.begin());
    if (child.visits) out.values[i] = child.mean();
    if (running.has(child)) children_[i] = &child;
  }
  report_policy(out);
  const std::size_t best = chosen(out);
  out.action = out.actions[best];
  if (children_[best]) tree_.add_line(static_cast<std::size_t>(children_[best] - nodes.data()), out.line);
  for (int p = 0; p < game().players(); ++p) out.scores[p] = tree_.root_mean(p);
  // Without the descents that sequential halving spent on actions it then dropped.
  if (options_.tree.gumbel > 0 && children_[best] && !tree_.root().exact) {
    const auto k = static_cast<std::size_t>(children_[best] - nodes.data());
    for (int p = 0; p < game().players() && !std::isnan(tree_.child_mean(k, p)); ++p)
      out.scores[p] = tree_.child_mean(k, p);
  }
  out.info.emplace_back("iterations", static_cast<double>(iterations));
  out.info.emplace_back("nodes", static_cast<double>(tree_.node_count()));
  out.info.emplace_back("bytes", static_cast<double>(tree_.bytes()));
  out.info.emplace_back("depth", tree_.deepest());
  if (tree_.root().exact) out.info.emplace_back("proven", 1);
}

void MctsSearch::report_policy(Decision &out) const {
  double visits = 0, sum = 0;
  const Node *first = tree_.root_children().data();
  std::vector<double> improved;
  if (options_.tree.policy == RootPolicy::IMPROVED) improved = tree_.improved_policy();
  for (const Node *child : children_) visits += child ? child->visits : 0;
  for (std::size_t i = 0; i < children_.size(); ++i) {
    const Node *child = children_[i];
    if (!child) continue;
    const auto k = static_cast<std::size_t>(child - first);
    if (options_.tree.policy == RootPolicy::IMPROVED)
      out.policy[i] = improved[k];
    else if (visits == 0)
      out.policy[i] = child->prior;
    else
      out.policy[i] = tree_.policy_weight(options_.tree.policy, k);
    sum += out.policy[i];
  }
  // All weights are zero if every value is the worst of the range.
  for (std::size_t i = 0; i < children_.size() && !(sum > 0); ++i) out.policy[i] = children_[i] ? 1 : 0;
  if (!(sum > 0))
    sum = static_cast<double>(std::count_if(children_.begin(), children_.end(), [](auto c) { return c; }));
  for (double &p : out.policy) p /= sum;
}

// The index of the action to play.
std::size_t MctsSearch::chosen(const Decision &out) {
  using Choice = MctsOptions::Choice;
  if (options_.choice == Choice::SAMPLE) {
    // Relative to the highest, so that a low temperature does not underflow.
    const double top = *std::max_element(out.policy.begin(), out.policy.end());
    double sum = 0;
    const auto weight = [&](double p) { return std::pow(p / top, 1 / options_.temperature); };
    for (const double p : out.policy) sum += weight(p);
    double u = rng.unit() * sum;
    std::size_t last = 0;
    for (std::size_t i = 0; i < out.policy.size(); ++i) {
      if (out.policy[i] <= 0) continue;
      last = i;
      if ((u -= weight(out.policy[i])) < 0) break;
    }
    return last;
  }
  if (options_.tree.gumbel > 0 && options_.choice == Choice::VISITS) {
    const Node *child = &tree_.root_children()[tree_.gumbel_choice()];
    const auto at = std::find(children_.begin(), children_.end(), child);
    if (at != children_.end()) return static_cast<std::size_t>(at - children_.begin());
  }
  // Ranks by the chosen measure, then by visits, then by value.
  std::size_t best = out.actions.size();
  const auto better = [&](std::size_t a, std::size_t b) {
    const Node &x = *children_[a], &y = *children_[b];
    if ((x.visits > 0) != (y.visits > 0)) return x.visits > 0;
    if (!x.visits) return x.prior > y.prior;
    if (options_.choice == Choice::VALUE && x.mean() != y.mean()) return x.mean() > y.mean();
    if (options_.choice == Choice::POLICY && out.policy[a] != out.policy[b]) return out.policy[a] > out.policy[b];
    return x.visits != y.visits ? x.visits > y.visits : x.mean() > y.mean();
  };
  for (std::size_t i = 0; i < children_.size(); ++i)
    if (children_[i] && (best == out.actions.size() || better(i, best))) best = i;
  return best == out.actions.size() ? 0 : best;
}

}  // namespace boardlab
