// Beam search, for puzzles: games of one player without chance. From the root on, every layer holds the `width`
// positions that the evaluator judges best of all that the layer before leads to, each once and none that was in a beam
// before.
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
  int threads = 1;  // changes nothing but the time
};

// Plans once, from the first state that it is asked about, and then follows its plan; where the game has left the plan,
// or the plan did not reach an end, it plans anew.
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
  // A candidate is the number of its parent in the beam times max_legal plus that of the action among the legal ones.
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

  // Positions are spread over so many sets by their hashes, so that threads work on sets of their own.
  static constexpr std::size_t PARTS = 16;
  static std::size_t part_of(std::uint64_t hash) { return hash >> 60; }
  // States that are judged at once: enough to fill a GPU, few enough to stop soon.
  static constexpr std::size_t BATCH = 1 << 16, BATCH_A_THREAD = 1 << 12;
  // A stretch of states has random numbers of its own, whichever thread judges it.
  static constexpr std::size_t STRETCH = 256;

  BeamOptions options_;
  std::size_t width_, stride_, most_at_once_;
  Workers workers_;
  std::vector<std::unique_ptr<Evaluator>> judges_;  // one a thread, where the evaluator does not batch
  Workers alone_{1};

  std::vector<std::byte> beam_, next_beam_;        // states
  std::vector<std::uint64_t> hashes_;              // of candidates; 0 where there is none
  std::array<HashSet, PARTS> beams_, candidates_;  // hashes of what was in a beam, and of this layer's candidates
  std::vector<Judged> judged_;
  std::vector<std::byte> batch_;
  std::vector<double> values_;
  std::vector<std::vector<Step>> layers_;  // how each state of every beam was reached
  End end_;
  std::mutex end_mutex_;
  std::uint64_t stretches_ = 0, stream_ = 0;

  // What was found.
  Plan plan_;
  std::vector<Action> path_;
  double score_ = 0;
  bool is_solved_ = false;
  std::int64_t nodes_ = 0;
};

}  // namespace boardlab
