// A search picks an action by asking an evaluator about positions ahead.
#pragma once

#include <array>
#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/workers.h"
#include "evaluators/evaluator.h"

namespace boardlab {

// The result of a search. Vectors keep their memory from one decision to the next.
struct Decision {
  Action action = -1;
  std::vector<Action> actions;      // legal
  std::vector<double> policy;       // [actions], sums to 1
  std::vector<double> values;       // [actions], for the player to move; NaN if unknown
  double scores[MAX_PLAYERS] = {};  // the position's value for every player; NaN if unknown
  std::vector<Action> line;         // the expected continuation, starting with the action; empty if unknown
  std::vector<std::pair<std::string, double>> info;  // iterations, nodes, depth ...

  // Resets to the state's legal actions, an all-zero policy and unknown values.
  void prepare(const Game &game, const void *state);
  // The index of a legal action. Throws BrokenRules if the rules first named another list of legal actions.
  std::size_t index_of(const Game &game, Action wanted) const;
  // Chooses an action with the best value, uniformly among equals, and spreads the policy over the equals; of all
  // actions, or of those that `allowed` marks.
  void choose_best_value(Rng &rng, const std::vector<bool> *allowed = nullptr);
};

class Search {
 public:
  Search(GamePtr game, std::uint64_t seed) : rng(seed), game_(std::move(game)) {}
  Search(std::unique_ptr<Evaluator> evaluator, std::uint64_t seed)
      : rng(seed), evaluator_(std::move(evaluator)), game_(evaluator_->game_ptr()) {}
  virtual ~Search() = default;

  // A player must be to move in `state`. Hidden parts are concealed.
  virtual void act(const void *state, Decision &out) = 0;
  // Called with every position of a match, from the first one on, before `act` is called with it. For searches that
  // must know how a position came about. Never called in games with hidden cards.
  virtual void follow(const void * /*state*/) {}
  // Whether it plays by what follow() showed it, not by the position alone.
  virtual bool needs_history() const { return false; }
  // Forgets the game played so far and starts a new random stream.
  virtual void reset(std::uint64_t seed) {
    rng = Rng(seed);
    visit_evaluators([](Evaluator &asked) { asked.reset(); });
  }
  virtual std::unique_ptr<Search> clone() const = 0;

  const Game &game() const { return *game_; }
  const GamePtr &game_ptr() const { return game_; }
  Evaluator *evaluator() { return evaluator_.get(); }  // null if the search uses none
  // Visits all evaluators in use, those of other threads included.
  virtual void visit_evaluators(const std::function<void(Evaluator &)> &see) {
    if (evaluator_) evaluator_->visit(see);
  }

  // Called now and then during a search, by the evaluator too; throws to stop it.
  void set_poll(const Poll &p) {
    poll = p;
    if (evaluator_) evaluator_->poll = p;
  }

 protected:
  Poll poll = [] {};
  Rng rng;
  std::unique_ptr<Evaluator> evaluator_;  // null if the search uses none

 private:
  GamePtr game_;
};

// For searches that recurse: throws BrokenRules before the stack overflows. Depth is bounded, but chance events may
// follow each other without end, and so may actions in a search to the end of a game that has none.
inline void check_plies(const Game &game, std::size_t ply) {
  constexpr std::size_t MOST_PLIES = 4096;
  if (ply > MOST_PLIES)
    throw BrokenRules(game.name() + ": a search went through " + std::to_string(MOST_PLIES) +
                      " actions and chance outcomes without reaching its depth or the end of the game");
}

// Plays a uniformly random legal action.
class RandomSearch final : public Search {
 public:
  using Search::Search;
  void act(const void *state, Decision &out) override;
  std::unique_ptr<Search> clone() const override { return std::make_unique<RandomSearch>(game_ptr(), 0); }
};

// Plays the action with the best action value, random among equals. In a puzzle (one player, no chance) it does not go
// back to any of the last `memory` positions while there is another action: a player with fixed values would walk in
// circles for ever.
class GreedySearch final : public Search {
 public:
  GreedySearch(std::unique_ptr<Evaluator> evaluator, std::int64_t memory, std::uint64_t seed)
      : Search(std::move(evaluator), seed),
        memory_(game().players() == 1 && !game().has_chance() && !game().is_hidden() ? memory : 0),
        child_(game()) {}
  void act(const void *state, Decision &out) override;
  void reset(std::uint64_t seed) override {
    Search::reset(seed);
    visited_.clear();
  }
  std::unique_ptr<Search> clone() const override {
    return std::make_unique<GreedySearch>(evaluator_->clone(), memory_, 0);
  }

 private:
  void avoid_visited(const void *state, Decision &out);

  std::int64_t memory_;
  StateBuffer child_;
  std::vector<std::uint64_t> visited_;  // hashes of the positions it moved in, the latest last
  std::vector<bool> allowed_;
  std::uint64_t expected_ = 0;  // hash of the position its last action led to
};

// Plays the action with the highest prior, or one drawn from the priors: the policy without a search.
class PolicySearch final : public Search {
 public:
  PolicySearch(std::unique_ptr<Evaluator> evaluator, bool samples, std::uint64_t seed)
      : Search(std::move(evaluator), seed), samples_(samples) {}
  void act(const void *state, Decision &out) override;
  std::unique_ptr<Search> clone() const override {
    return std::make_unique<PolicySearch>(evaluator_->clone(), samples_, 0);
  }

 private:
  bool samples_;
};

// Flat Monte Carlo (algorithm 8 of Wang 2021): evaluates the positions after each action in turn, `iterations` times in
// all or until the `seconds` are over (0 = no limit), and plays the action with the best mean. Every action is tried at
// least once by each thread. Threads share the iterations evenly; each has a random stream of its own, so the same seed
// and number of threads give the same result.
class MonteCarloSearch final : public Search {
 public:
  MonteCarloSearch(std::unique_ptr<Evaluator> evaluator, std::int64_t iterations, double seconds, std::uint64_t seed,
                   int threads = 1);
  void act(const void *state, Decision &out) override;
  void visit_evaluators(const std::function<void(Evaluator &)> &see) override {
    Search::visit_evaluators(see);
    for (const auto &helper : helpers_) helper->visit(see);
  }
  std::unique_ptr<Search> clone() const override {
    return std::make_unique<MonteCarloSearch>(evaluator_->clone(), iterations_, seconds_, 0,
                                              static_cast<int>(helpers_.size()) + 1);
  }

 private:
  // What a thread has found out about the actions.
  struct Tried {
    std::vector<std::array<double, MAX_PLAYERS>> sums;
    std::vector<double> counts;
    std::int64_t done = 0;
  };
  void try_actions(const void *state, const std::vector<Action> &actions, Evaluator &evaluator, Rng &rng,
                   std::int64_t limit, std::size_t thread, Tried &tried);

  std::int64_t iterations_;
  double seconds_;
  std::vector<std::unique_ptr<Evaluator>> helpers_;  // of the other threads
  Workers workers_;
  std::atomic<bool> failed_{false};  // a thread has thrown: the others stop
};

}  // namespace boardlab
