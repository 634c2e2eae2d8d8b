#include "search/forest.h"

#include <algorithm>
#include <bit>
#include <chrono>

namespace boardlab {

namespace {

// Passes a known answer to Tree::prepare_root.
class Messenger final : public Evaluator {
 public:
  using RollOut = std::function<void(const Question &)>;
  Messenger(const GamePtr &game, int outcome, const double *value, std::span<const double> priors, RollOut roll_out)
      : Evaluator(game, outcome), value_(value), priors_(priors), roll_out_(std::move(roll_out)) {}
  void answer(std::span<const Question> questions, Rng &) override {
    std::copy_n(value_, game().players(), questions[0].value);
    if (questions[0].priors) std::copy(priors_.begin(), priors_.end(), questions[0].priors);
    roll_out_(questions[0]);
  }
  std::unique_ptr<Evaluator> clone() const override { return nullptr; }

 private:
  const double *value_;
  std::span<const double> priors_;
  RollOut roll_out_;
};

TreeOptions with_priors(TreeOptions options) {
  options.puct = true;
  return options;
}

}  // namespace

Forest::Plot::Plot(const GamePtr &rules, int outcome, const ForestOptions &options, std::uint64_t seed)
    : game{StateBuffer(*rules), Rng(derive_seed(seed, 1)), false, false, {}},
      tree(rules, outcome, with_priors(options.tree)),
      rng(seed) {
  for (int i = 0; i < options.tree.batch; ++i) pending.emplace_back(*rules);
  if (options.rollout_weight > 0) rollout = std::make_unique<RolloutEvaluator>(rules, outcome, 1, 0);
}

Forest::Forest(GamePtr game, int outcome, Inputs inputs, ForestOptions options, std::uint64_t seed)
    : game_(std::move(game)),
      outcome_(outcome),
      options_(options),
      counts_rounds_(game_->table().round_over && !options.tree.ranked),
      encoding_(game_, inputs),
      cache_(*game_, options.cache_bytes),
      workers_(options.threads) {
  plots_.reserve(static_cast<std::size_t>(options.trees));
  for (int i = 0; i < options.trees; ++i) {
    Plot &plot = plots_.emplace_back(game_, outcome, options_, derive_seed(seed, static_cast<std::uint64_t>(i)));
    game_->initial_state(plot.game.state.data(), plot.game.nature);
    settle(plot.game);
  }
  row_of_.resize(capacity());
  if (!cache_.empty()) same_.resize(std::bit_ceil(2 * capacity()));
}

void Forest::for_all(const std::function<void(Plot &)> &task) {
  workers_.run(plots_.size(), [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) task(plots_[i]);
  });
}

// ---- the games ----

void Forest::settle(Current &now) {
  void *state = now.state.data();
  now.is_searched = now.round_ended = false;
  while (true) {
    const int player = game_->player(state);
    if (counts_rounds_ && !now.round_ended && game_->round_over(state)) {
      now.round_ended = true;
      game_->outcome(outcome_, state, now.round_end);
    }
    if (player != CHANCE) break;
    game_->apply(state, game_->sample_chance(state, now.nature));
  }
}

// If rules written in Python throw, no game has changed.
void Forest::change(std::span<const std::size_t> trees, const std::function<void(std::size_t, Current &)> &begin) {
  std::vector<Current> changed;
  changed.reserve(trees.size());
  for (std::size_t k = 0; k < trees.size(); ++k) {
    begin(k, changed.emplace_back(plots_[trees[k]].game));
    settle(changed.back());
  }
  for (std::size_t k = 0; k < trees.size(); ++k) plots_[trees[k]].game = std::move(changed[k]);
}

void Forest::set_state(std::size_t i, const void *state) {
  change({&i, 1}, [&](std::size_t, Current &now) { game_->copy(now.state.data(), state); });
}

void Forest::restart(std::span<const std::size_t> trees, bool training_start) {
  change(trees, [&](std::size_t, Current &now) {
    if (training_start)
      game_->training_start(now.state.data(), now.nature);
    else
      game_->initial_state(now.state.data(), now.nature);
  });
  for (const std::size_t i : trees) plots_[i].tree.clear();
}

void Forest::play(std::span<const std::size_t> trees, std::span<const Action> actions) {
  change(trees, [&](std::size_t k, Current &now) { game_->apply(now.state.data(), actions[k]); });
}

// ---- a search ----

void Forest::forget() {
  for (Plot &plot : plots_) {
    plot.tree.free_memory();
    plot.waiting = 0;
    plot.left = 0;
    plot.at_root = plot.game.is_searched = false;
  }
  rows_ = 0;
}

std::span<const Node> Forest::root_children(std::size_t i) const {
  return plots_[i].game.is_searched ? plots_[i].tree.root_children() : std::span<const Node>();
}

std::int64_t Forest::shared() const {
  std::int64_t sum = duplicates_;
  for (const Plot &plot : plots_) sum += plot.cache_hits;
  return sum;
}

// Finds the state to ask about and its legal actions; true when the cache or the rules answer already.
bool Forest::take_up(Plot &plot, Pending &p, bool is_root) {
  const void *leaf = is_root ? plot.game.state.data() : p.leaf.state.data();
  LeafRow &position = p.position;
  if (!position.take(*game_, leaf, counts_rounds_, plot.rng)) {
    if (!position.is_beyond_chance()) game_->contradicts("apply");
    plot.tree.terminal_value(position.asked(), plot.rng, p.leaf.value);  // the end of the game or of the round
    return true;
  }
  position.find_legal(*game_);
  p.priors.resize(position.legal().size());
  if (cache_.empty()) return false;
  p.hash = game_->hash(position.asked());
  if (!cache_.find(p.hash, position.asked(), p.leaf.value, p.priors)) return false;
  add_score(p);
  ++plot.cache_hits;
  return true;
}

// Expands the root with its answer and adds noise to the priors.
void Forest::plant(Plot &plot) {
  Pending &p = plot.pending[0];
  Messenger messenger(game_, outcome_, p.leaf.value, p.priors,
                      [&](const Question &question) { roll_out(plot, question); });
  plot.tree.prepare_root(messenger, plot.rng, plot.left, p.position.legal());
  plot.at_root = false;
  plot.waiting = 0;
}

void Forest::ask_root(Plot &plot) {
  plot.tree.set_root(plot.game.state.data(), options_.tree.reuse);
  plot.game.is_searched = true;
  plot.at_root = true;
  plot.pending[0].answered = false;
  if (!plot.tree.root_children().empty() || take_up(plot, plot.pending[0], true))
    plant(plot);
  else
    plot.waiting = 1;
}

// Descends until leaves wait for an evaluation or no iterations are left.
void Forest::advance(Plot &plot) {
  while (!plot.at_root && plot.left > 0 && !plot.tree.root().exact) {
    plot.tree.make_room();
    const auto leaves = static_cast<std::size_t>(std::min(plot.tree.leaves(), plot.left));
    for (std::size_t i = 0; i < leaves; ++i) plot.tree.select(plot.pending[i].leaf, plot.rng, leaves > 1);
    bool is_waiting = false;
    for (std::size_t i = 0; i < leaves; ++i) {
      Pending &p = plot.pending[i];
      p.answered = p.leaf.terminal || take_up(plot, p, false);
      is_waiting = is_waiting || !p.answered;
    }
    plot.waiting = leaves;
    if (is_waiting) return;
    finish(plot);
  }
}

// Backs up the leaves, which all have their answers.
void Forest::finish(Plot &plot) {
  for (std::size_t i = 0; i < plot.waiting; ++i) {
    Pending &p = plot.pending[i];
    if (!p.leaf.terminal) {
      const bool is_beyond_chance = p.position.is_beyond_chance();
      const Question q = plot.tree.question(p.leaf, is_beyond_chance ? std::span<const Action>() : p.position.legal());
      if (is_beyond_chance != !q.priors) game_->contradicts("player");
      if (q.priors) std::copy(p.priors.begin(), p.priors.end(), q.priors);
      roll_out(plot, q);
    }
  }
  for (std::size_t i = 0; i < plot.waiting; ++i) plot.tree.back_up(plot.pending[i].leaf);
  for (std::size_t i = 0; i < plot.waiting; ++i) plot.tree.widen(plot.pending[i].leaf);
  plot.left -= static_cast<std::int64_t>(plot.waiting);
  plot.waiting = 0;
}

// Mixes the leaf's value with that of a rollout.
void Forest::roll_out(Plot &plot, const Question &question) {
  if (!plot.rollout) return;
  double rolled[MAX_PLAYERS];
  const Question asked{question.state, {}, rolled, nullptr, question.played};
  plot.rollout->answer({&asked, 1}, plot.rng);
  plot.tree.rank(rolled, plot.rng);
  const double weight = options_.rollout_weight;
  for (int p = 0; p < game_->players(); ++p) question.value[p] = (1 - weight) * question.value[p] + weight * rolled[p];
}

void Forest::policy(std::size_t i, double *row) const {
  const auto children = root_children(i);
  const Tree &tree = plots_[i].tree;
  if (children.empty()) return;
  if (options_.tree.policy == RootPolicy::IMPROVED) {
    const auto improved = tree.improved_policy();
    for (std::size_t k = 0; k < children.size(); ++k) row[children[k].action] = improved[k];
    return;
  }
  double sum = 0, visits = 0;
  for (std::size_t k = 0; k < children.size(); ++k) {
    sum += row[children[k].action] = tree.policy_weight(options_.tree.policy, k);
    visits += children[k].visits;
  }
  for (const Node &child : children) {
    if (visits == 0)
      row[child.action] = child.prior;
    else if (sum > 0)
      row[child.action] /= sum;
    else  // every value is the worst possible
      row[child.action] = 1.0 / static_cast<double>(children.size());
  }
}

void Forest::read(Plot &plot, const Answers &answers) {
  for (std::size_t i = 0; i < plot.waiting; ++i) {
    Pending &p = plot.pending[i];
    if (p.answered) continue;
    answers.read(*game_, p.row, p.position.mover(), p.position.legal(), p.leaf.value, p.priors.data());
  }
}

void Forest::add_score(Pending &p) const {
  if (counts_rounds_) add_score_so_far(*game_, outcome_, p.position.asked(), p.leaf.value);
}

void Forest::add_scores(Plot &plot) const {
  for (std::size_t i = 0; i < plot.waiting; ++i)
    if (!plot.pending[i].answered) add_score(plot.pending[i]);
}

std::size_t Forest::start(const std::int64_t *iterations, const bool *noise, std::byte *inputs, bool *legal) {
  if (rows_) forget();  // a search that was not finished
  for (std::size_t i = 0; i < plots_.size(); ++i) {
    Plot &plot = plots_[i];
    plot.left = game_->player(plot.game.state.data()) < 0 ? 0 : iterations[i];
    plot.tree.set_noise(noise[i]);
  }
  try {
    for_all([this](Plot &plot) {
      if (plot.left <= 0) return;
      ask_root(plot);
      advance(plot);
    });
    return collect(inputs, legal);
  } catch (...) {  // rules written in Python may throw
    forget();
    throw;
  }
}

std::size_t Forest::step(const Answers &answers, std::byte *inputs, bool *legal) {
  const auto back_up = [&](Plot &plot) {
    if (!plot.waiting) return;
    read(plot, answers);
    add_scores(plot);
    plot.at_root ? plant(plot) : finish(plot);
  };
  try {
    if (cache_.empty()) {
      for_all([&](Plot &plot) {
        back_up(plot);
        advance(plot);
      });
    } else {
      for_all([&](Plot &plot) { read(plot, answers); });
      for (std::size_t row = 0; row < rows_; ++row) {
        const Pending &p = *row_of_[row];
        // Without the score so far, which is known exactly.
        cache_.store(p.hash, p.position.asked(), p.leaf.value, p.priors);
      }
      for_all([&](Plot &plot) {
        add_scores(plot);
        if (plot.waiting) plot.at_root ? plant(plot) : finish(plot);
        advance(plot);
      });
    }
    return collect(inputs, legal);
  } catch (...) {
    forget();
    throw;
  }
}

// Assigns rows to the waiting leaves, equal positions the same one, and writes them.
std::size_t Forest::collect(std::byte *inputs, bool *legal) {
  rows_ = 0;
  std::fill(same_.begin(), same_.end(), 0);
  for (Plot &plot : plots_)
    for (std::size_t i = 0; i < plot.waiting; ++i) {
      Pending &p = plot.pending[i];
      if (p.answered) continue;
      if (!same_.empty()) {
        std::size_t at = p.hash & (same_.size() - 1);
        for (; same_[at]; at = (at + 1) & (same_.size() - 1)) {
          const Pending &other = *row_of_[same_[at] - 1];
          if (other.hash == p.hash && game_->equal(other.position.asked(), p.position.asked())) break;
        }
        if (same_[at]) {
          p.row = same_[at] - 1;
          ++duplicates_;
          continue;
        }
        same_[at] = static_cast<std::uint32_t>(rows_ + 1);
      }
      p.row = rows_;
      row_of_[rows_++] = &p;
    }
  evaluations_ += static_cast<std::int64_t>(rows_);
  const auto begin_writing = std::chrono::steady_clock::now();
  workers_.run(rows_, [&](std::size_t begin, std::size_t end) {
    for (std::size_t row = begin; row < end; ++row) {
      const Pending &p = *row_of_[row];
      encoding_.write(p.position.asked(), p.position.legal(), inputs + row * encoding_.row_bytes(),
                      legal + row * encoding_.actions());
    }
  });
  encode_seconds_ += std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_writing).count();
  return rows_;
}

}  // namespace boardlab
