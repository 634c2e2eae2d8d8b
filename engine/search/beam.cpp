#include "search/beam.h"

#include <algorithm>
#include <stdexcept>

namespace boardlab {

BeamSearch::BeamSearch(std::unique_ptr<Evaluator> the_evaluator, BeamOptions options, std::uint64_t seed)
    : Search(std::move(the_evaluator), seed),
      options_(options),
      width_(static_cast<std::size_t>(options.width)),
      stride_(static_cast<std::size_t>(game().max_legal())),
      most_at_once_(evaluator_->batches() ? BATCH : BATCH_A_THREAD * static_cast<std::size_t>(options.threads)),
      workers_(options.threads),
      plan_(game()) {
  if (game().players() != 1 || game().has_chance() || game().is_hidden())
    throw std::invalid_argument("beam plans games of one player without chance; " + game().name() +
                                (game().players() != 1 ? " has more players" : " has chance") +
                                ": use mcts, mc or rhea");
  if (width_ * stride_ > UINT32_MAX)
    throw std::invalid_argument("a beam of " + std::to_string(width_) + " positions with up to " +
                                std::to_string(stride_) + " actions is too wide; use at most " +
                                std::to_string(UINT32_MAX / stride_));
  if (!evaluator_->batches())
    for (std::size_t t = 1; t < workers_.count(); ++t) judges_.push_back(evaluator_->clone());
}

void BeamSearch::reset(std::uint64_t seed) {
  Search::reset(seed);
  plan_.forget();
}

void BeamSearch::act(const void *state, Decision &out) {
  out.prepare(game(), state);
  if (!plan_.leads_through(state)) make_plan(state);
  plan_.tell(score_, out);
  out.info.emplace_back("solved", is_solved_);
  out.info.emplace_back("length", static_cast<double>(plan_.length()));
  out.info.emplace_back("nodes", static_cast<double>(nodes_));
}

void BeamSearch::make_plan(const void *state) {
  plan_.forget();
  evaluator_->begin_decision();
  for (const auto &judge : judges_) judge->begin_decision();
  const std::size_t size = game().state_size();
  const auto *root = static_cast<const std::byte *>(state);
  const auto depth = static_cast<std::size_t>(options_.depth > 0 ? options_.depth : game().horizon());
  const Range range = game().outcome_range(evaluator_->outcome());
  const double step = game().step_reward();
  nodes_ = 0;
  stretches_ = 0;
  stream_ = rng.next();
  is_solved_ = false;
  path_.clear();
  layers_.clear();
  for (HashSet &part : beams_) part.clear();
  beam_.assign(root, root + size);
  const std::uint64_t hash = game().hash(root);
  beams_[part_of(hash)].insert(hash);
  while (layers_.size() < depth) {
    const auto length = static_cast<double>(layers_.size() + 1);
    expand();
    if (end_.is_there && (!is_solved_ || end_.outcome + step * length > score_)) {
      is_solved_ = true;
      score_ = end_.outcome + step * length;
      trace(end_.candidate / stride_);
      std::vector<Action> legal(stride_);
      path_.push_back(action_of(end_.candidate, legal));
    }
    // Nothing later can be better: even a loose range is a bound.
    if (is_solved_ && step <= 0 && range.max + step * (length + 1) <= score_) break;
    if (is_solved_ && layers_.size() + 1 == depth) break;
    drop_known();
    judge();
    if (judged_.empty()) break;
    keep_best();
    if (is_solved_) continue;
    // No end was found: plan to the best position of the last layer.
    const auto best = std::max_element(judged_.begin(), judged_.end(),
                                       [](const Judged &a, const Judged &b) { return a.value < b.value; });
    score_ = static_cast<double>(best->value) + step * length;
    trace(static_cast<std::size_t>(best - judged_.begin()));
  }
  if (path_.empty()) {  // every action leads to a position visited before
    path_.resize(stride_);
    game().legal(state, path_.data());
    path_.resize(1);
    double outcome[MAX_PLAYERS];
    evaluator_->judge(state, rng, outcome);
    score_ = outcome[0];
  }
  plan_.set(state, path_);
}

Action BeamSearch::action_of(Candidate candidate, std::vector<Action> &legal) const {
  const auto count = static_cast<std::size_t>(game().legal(state_at(candidate / stride_), legal.data()));
  if (candidate % stride_ >= count) game().contradicts("legal");
  return legal[candidate % stride_];
}

Action BeamSearch::play(Candidate candidate, void *child, std::vector<Action> &legal) const {
  const Action action = action_of(candidate, legal);
  game().copy(child, state_at(candidate / stride_));
  game().apply(child, action);
  if (game().player(child) == TERMINAL) game().contradicts("apply");  // candidates are not terminal
  return action;
}

// Finds the hashes of all positions that the beam leads to, and the best end, the first of equals. States are not kept:
// playing an action again costs less time than the memory for all of them.
void BeamSearch::expand() {
  const std::size_t size = game().state_size(), parents = beam_.size() / size;
  hashes_.resize(parents * stride_);
  end_ = {};
  poll();
  workers_.run(parents, [&](std::size_t begin, std::size_t end) {
    std::vector<Action> legal(stride_);
    StateBuffer child(game());
    double outcome[MAX_PLAYERS];
    for (std::size_t p = begin; p < end; ++p) {
      const auto n = static_cast<std::size_t>(game().legal(state_at(p), legal.data()));
      std::uint64_t *hashes = &hashes_[p * stride_];
      std::fill(hashes + n, hashes + stride_, 0);
      for (std::size_t k = 0; k < n; ++k) {
        game().copy(child.data(), state_at(p));
        game().apply(child.data(), legal[k]);
        hashes[k] = 0;
        if (game().player(child.data()) != TERMINAL) {
          const std::uint64_t hash = game().hash(child.data());
          hashes[k] = hash + (hash == 0);
          continue;
        }
        game().outcome(evaluator_->outcome(), child.data(), outcome);
        const auto candidate = static_cast<Candidate>(p * stride_ + k);
        const std::lock_guard lock(end_mutex_);
        if (!end_.is_there || outcome[0] > end_.outcome || (outcome[0] == end_.outcome && candidate < end_.candidate))
          end_ = {true, outcome[0], candidate};
      }
    }
  });
}

// Keeps the first of equal positions, and none that was in a beam before.
void BeamSearch::drop_known() {
  poll();
  workers_.run(PARTS, [&](std::size_t first, std::size_t last) {
    for (std::size_t part = first; part < last; ++part) candidates_[part].clear();
    for (std::uint64_t &hash : hashes_) {
      const std::size_t part = part_of(hash);
      if (hash == 0 || part < first || part >= last) continue;
      if (beams_[part].contains(hash) || !candidates_[part].insert(hash)) hash = 0;
    }
  });
  judged_.clear();
  for (std::size_t i = 0; i < hashes_.size(); ++i)
    if (hashes_[i]) judged_.push_back({0, static_cast<Candidate>(i)});
}

void BeamSearch::judge() {
  const std::size_t size = game().state_size();
  batch_.resize(std::min(most_at_once_, judged_.size()) * size);
  values_.resize(std::min(most_at_once_, judged_.size()));
  for (std::size_t from = 0; from < judged_.size(); from += most_at_once_) {
    const std::size_t count = std::min(most_at_once_, judged_.size() - from);
    poll();
    workers_.run(count, [&](std::size_t begin, std::size_t end) {
      std::vector<Action> legal(stride_);
      for (std::size_t i = begin; i < end; ++i) play(judged_[from + i].candidate, &batch_[i * size], legal);
    });
    judge_states(count);
    for (std::size_t i = 0; i < count; ++i) judged_[from + i].value = static_cast<float>(values_[i]);
  }
  nodes_ += static_cast<std::int64_t>(judged_.size());
}

// Evaluates the states of batch_ into values_.
void BeamSearch::judge_states(std::size_t count) {
  const std::size_t size = game().state_size(), stretches = (count + STRETCH - 1) / STRETCH;
  if (evaluator_->batches()) {
    Rng stream(derive_seed(stream_, stretches_++));
    return evaluator_->values({batch_.data(), count * size}, workers_, stream, values_.data());
  }
  workers_.run(workers_.count(), [&](std::size_t thread, std::size_t) {
    Evaluator &judge = thread == 0 ? *evaluator_ : *judges_[thread - 1];
    for (std::size_t i = stretches * thread / workers_.count(); i < stretches * (thread + 1) / workers_.count(); ++i) {
      Rng stream(derive_seed(stream_, stretches_ + i));
      const std::size_t begin = i * STRETCH, n = std::min(STRETCH, count - begin);
      judge.values({&batch_[begin * size], n * size}, alone_, stream, &values_[begin]);
    }
  });
  stretches_ += stretches;
}

// Makes the best candidates the next beam. Ties are broken by a hash: their order would favour the children of the
// first states in the beam.
void BeamSearch::keep_best() {
  const auto is_better = [](const Judged &a, const Judged &b) {
    if (a.value != b.value) return a.value > b.value;
    return a.candidate * 0x9E3779B1u < b.candidate * 0x9E3779B1u;
  };
  if (judged_.size() > width_) {
    std::nth_element(judged_.begin(), judged_.begin() + static_cast<std::ptrdiff_t>(width_), judged_.end(), is_better);
    judged_.resize(width_);
  }
  const std::size_t size = game().state_size();
  next_beam_.resize(judged_.size() * size);
  layers_.emplace_back(judged_.size());
  std::vector<Step> &steps = layers_.back();
  workers_.run(judged_.size(), [&](std::size_t begin, std::size_t end) {
    std::vector<Action> legal(stride_);
    for (std::size_t i = begin; i < end; ++i) {
      const Candidate candidate = judged_[i].candidate;
      const Action action = play(candidate, &next_beam_[i * size], legal);
      steps[i] = {static_cast<std::uint32_t>(candidate / stride_), action};
    }
  });
  workers_.run(PARTS, [&](std::size_t first, std::size_t last) {
    for (const Judged &kept : judged_) {
      const std::uint64_t hash = hashes_[kept.candidate];
      const std::size_t part = part_of(hash);
      if (part >= first && part < last) beams_[part].insert(hash);
    }
  });
  beam_.swap(next_beam_);
}

// The actions that lead to state `at` of the present beam.
void BeamSearch::trace(std::size_t at) {
  path_.clear();
  for (std::size_t layer = layers_.size(); layer > 0; --layer) {
    const Step &step = layers_[layer - 1][at];
    path_.push_back(step.action);
    at = step.parent;
  }
  std::reverse(path_.begin(), path_.end());
}

}  // namespace boardlab
