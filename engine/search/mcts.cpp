#include "search/mcts.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <exception>
#include <mutex>
#include <thread>

namespace boardlab {

MctsSearch::MctsSearch(std::unique_ptr<Evaluator> evaluator, MctsOptions options, std::uint64_t seed)
    : Search(std::move(evaluator), seed),
      options_(options),
      tree_(game_ptr(), evaluator_->outcome(), options.tree),
      leaves_(static_cast<std::size_t>(options.batch)) {
  evaluator_->scales_priors = !options.tree.paper;
  for (int t = 1; t < options.threads; ++t) {
    MctsOptions alone = options;
    alone.threads = 1;
    alone.iterations = options.iterations * (t + 1) / options.threads - options.iterations * t / options.threads;
    helpers_.push_back(std::make_unique<MctsSearch>(evaluator_->clone(), alone, 0));
  }
  options_.iterations = options.iterations / options.threads;
  seed_helpers(seed);
}

void MctsSearch::seed_helpers(std::uint64_t seed) {
  for (std::size_t t = 0; t < helpers_.size(); ++t) helpers_[t]->reset(derive_seed(seed, t + 1));
}

void MctsSearch::reset(std::uint64_t seed) {
  Search::reset(seed);
  tree_.clear();
  seed_helpers(seed);
}

// Algorithm 1 of paper 000, with the recursion unrolled: select, evaluate, expand and back up.
void MctsSearch::iterate(std::int64_t wanted) {
  const bool virtual_loss = options_.batch > 1;
  const std::size_t batch = static_cast<std::size_t>(std::min<std::int64_t>(options_.batch, wanted));
  tree_.make_room();
  questions_.clear();
  for (std::size_t i = 0; i < batch; ++i) {
    tree_.select(leaves_[i], rng, virtual_loss);
    if (!leaves_[i].terminal) questions_.push_back(tree_.question(leaves_[i]));
  }
  if (!questions_.empty()) evaluator_->answer(questions_, rng);
  for (std::size_t i = 0; i < batch; ++i) tree_.back_up(leaves_[i], rng);
  for (std::size_t i = 0; i < batch; ++i) tree_.widen(leaves_[i]);
}

void MctsSearch::act(const void *state, Decision &out) {
  try {
    think(state, out);
  } catch (...) {
    tree_.clear();  // a descent that was never backed up has left its visits and virtual losses behind
    throw;
  }
}

void MctsSearch::think(const void *state, Decision &out) {
  out.prepare(game(), state);
  if (helpers_.empty()) return report(out, grow(state));
  const std::int64_t iterations = grow_together(state);
  const std::vector<Node> own = tree_.root_block();
  for (const auto &helper : helpers_) tree_.absorb_root(helper->tree_);
  report(out, iterations);
  tree_.restore_root(own);
}

// Returns the number of iterations.
std::int64_t MctsSearch::grow(const void *state) {
  using Clock = std::chrono::steady_clock;
  const auto start = Clock::now();
  const auto elapsed = [&start] { return std::chrono::duration<double>(Clock::now() - start).count(); };
  evaluator_->begin_decision();
  // Sequential halving shares the visits out anew; kept ones would count as its own.
  tree_.set_root(state, options_.reuse && options_.tree.gumbel == 0);
  // A node counts its visits in 32 bits, and a kept tree brings some along.
  if (tree_.root().visits > MOST_VISITS / 2) tree_.set_root(state, false);
  tree_.prepare_root(*evaluator_, rng, options_.iterations);
  const std::int64_t most = MOST_VISITS - tree_.root().visits;
  const std::int64_t limit = options_.iterations > 0 ? std::min(options_.iterations, most) : most;
  std::int64_t done = 0, next_look = 1;
  while (done < limit && !tree_.root().exact) {
    iterate(limit - done);
    done += options_.batch;
    if (done < next_look) continue;
    poll();
    const double seconds = elapsed();
    if (options_.seconds > 0 && seconds >= options_.seconds) break;
    // The clock costs a tenth of a fast iteration, so that it is read every 64; after every slow one.
    next_look = done + (seconds < 1e-3 * static_cast<double>(done) ? 64 : 1);
  }
  return std::min(done, limit);
}

// Root parallelisation (Chaslot, Winands and van den Herik 2008): every thread grows a tree of its own, without locks,
// so that the result depends on the number of threads but not on their luck.
std::int64_t MctsSearch::grow_together(const void *state) {
  struct Stopped {};
  std::atomic<bool> stop{false};
  std::atomic<std::int64_t> iterations{0};
  std::exception_ptr failure;
  std::mutex failure_mutex;
  const auto guarded = [&](MctsSearch &search) {
    try {
      iterations += search.grow(state);
    } catch (const Stopped &) {
      search.tree_.clear();
    } catch (...) {
      search.tree_.clear();
      const std::lock_guard lock(failure_mutex);
      if (!failure) failure = std::current_exception();
      stop = true;
    }
  };
  std::vector<std::thread> threads;
  threads.reserve(helpers_.size());
  for (const auto &helper : helpers_) {
    helper->set_poll([&stop] {
      if (stop) throw Stopped{};
    });
    threads.emplace_back([&guarded, &helper] { guarded(*helper); });
  }
  const Poll own = poll;
  set_poll([&] {
    if (stop) throw Stopped{};
    own();
  });
  guarded(*this);
  for (auto &thread : threads) thread.join();
  set_poll(own);
  for (const auto &helper : helpers_) helper->set_poll([] {});
  if (failure) std::rethrow_exception(failure);
  return iterations;
}

// Only the actions that the solver leaves in the running count.
void MctsSearch::report(Decision &out, std::int64_t iterations) {
  const auto nodes = tree_.root_children();
  const auto running = tree_.running();
  children_.assign(out.actions.size(), nullptr);
  for (const Node &child : nodes) {
    const auto at = std::find(out.actions.begin(), out.actions.end(), child.action);
    if (at == out.actions.end()) continue;
    const auto i = static_cast<std::size_t>(at - out.actions.begin());
    if (child.visits) out.values[i] = child.mean();
    if (running.has(child)) children_[i] = &child;
  }
  report_policy(out);
  out.action = out.actions[chosen(out)];
  for (int p = 0; p < game().players(); ++p) out.scores[p] = tree_.root_mean(p);
  out.info.emplace_back("iterations", static_cast<double>(iterations));
  out.info.emplace_back("nodes", static_cast<double>(tree_.node_count()));
  out.info.emplace_back("bytes", static_cast<double>(tree_.bytes()));
  out.info.emplace_back("depth", tree_.deepest());
  if (tree_.root().exact) out.info.emplace_back("proven", 1);
}

void MctsSearch::report_policy(Decision &out) const {
  using Policy = MctsOptions::Policy;
  double visits = 0, sum = 0;
  const Node *first = tree_.root_children().data();
  std::vector<double> improved;
  if (options_.policy == Policy::IMPROVED) improved = tree_.improved_policy();
  for (const Node *child : children_) visits += child ? child->visits : 0;
  for (std::size_t i = 0; i < children_.size(); ++i) {
    const Node *child = children_[i];
    if (!child) continue;
    const auto k = static_cast<std::size_t>(child - first);
    if (options_.policy == Policy::IMPROVED)
      out.policy[i] = improved[k];
    else if (visits == 0)
      out.policy[i] = child->prior;
    else
      out.policy[i] = tree_.policy_weight(options_.policy, k);
    sum += out.policy[i];
  }
  // Nothing but zeros: every value is the worst of the range.
  for (std::size_t i = 0; i < children_.size() && !(sum > 0); ++i) out.policy[i] = children_[i] ? 1 : 0;
  if (!(sum > 0))
    sum = static_cast<double>(std::count_if(children_.begin(), children_.end(), [](auto c) { return c; }));
  for (double &p : out.policy) p /= sum;
}

// Index of the action to play.
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
  // Rank by what was asked for, then by visits, then by value.
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
