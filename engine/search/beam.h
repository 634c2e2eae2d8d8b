// Beam search for puzzles: games of one player without chance. Every layer holds the `width` positions with the best
// values among those that the layer before leads to, each once, and none that was in a beam before.
#pragma once

#include <array>
#include <memory>
#include <mutex>

#include "core/hash_set.h"
#include "search/plan.h"
#include "search/search.h"

namespace boardlab {

struct BeamOptions {
  std::int64_t width = 1000;
  int depth = 0;    // layers; 0 = the game's horizon
  int threads = 1;  // does not change the result
};

// Plans at its first decision and then follows the plan. Makes a new one if the game leaves the plan or the plan does
// not reach the end of the game.
class BeamSearch final : public Search {
 public:
  // Throws std::invalid_argument for a game that it cannot plan.
  BeamSearch(std::unique_ptr<Evaluator> evaluator, BeamOptions options, std::uint64_t seed);
  void act(const void *state, Decision &out) override;
  void reset(std::uint64_t seed) override;
  void visit_evaluators(const std::function<void(Evaluator &)> &see) override {
    Search::visit_evaluators(see);
    for (const auto &judge : judges_) judge->visit(see);
  }
  std::unique_ptr<Search> clone() const override {
    return std::make_unique<BeamSearch>(evaluator_->clone(), options_, 0);
  }

 private:
  // A candidate is the index of its parent in the beam times max_legal, plus the index of the legal action.
  using Candidate = std::uint32_t;
  struct Step {
    std::uint32_t parent;
    Action action;
  };
  struct Judged {
    float value;
    Candidate candidate;
  };
  struct End {
    bool is_there = false;
    double outcome = 0;
    Candidate candidate = 0;
  };

  void make_plan(const void *state);
  void expand();
  void drop_known();
  void judge();
  void judge_states(std::size_t count);
  void keep_best();
  void trace(std::size_t at);
  const std::byte *state_at(std::size_t i) const { return beam_.data() + i * game().state_size(); }
  Action action_of(Candidate candidate, std::vector<Action> &legal) const;
  // Plays the candidate on a copy of its parent.
  Action play(Candidate candidate, void *child, std::vector<Action> &legal) const;

  // Positions are divided into this many sets by their hashes, so that each thread works on sets of its own.
  static constexpr std::size_t PARTS = 16;
  static std::size_t part_of(std::uint64_t hash) { return hash >> 60; }
  // States evaluated at once: enough to fill a GPU, few enough to stop soon.
  static constexpr std::size_t BATCH = 1 << 16, BATCH_A_THREAD = 1 << 12;
  // States that share a random stream, so that results do not depend on the thread that evaluates them.
  static constexpr std::size_t STRETCH = 256;

  BeamOptions options_;
  std::size_t width_, stride_, most_at_once_;
  Workers workers_;
  std::vector<std::unique_ptr<Evaluator>> judges_;  // one per thread, unless the evaluator batches
  Workers alone_{1};

  std::vector<std::byte> beam_, next_beam_;        // states
  std::vector<std::uint64_t> hashes_;              // of candidates; 0 = none
  std::array<HashSet, PARTS> beams_, candidates_;  // hashes of all beams so far, and of this layer's candidates
  std::vector<Judged> judged_;
  std::vector<std::byte> batch_;
  std::vector<double> values_;
  std::vector<std::vector<Step>> layers_;  // how the states of every beam were reached
  End end_;
  std::mutex end_mutex_;
  std::uint64_t stretches_ = 0, stream_ = 0;

  // The result.
  Plan plan_;
  std::vector<Action> path_;
  double score_ = 0;
  bool is_solved_ = false;
  std::int64_t nodes_ = 0;
};

}  // namespace boardlab
