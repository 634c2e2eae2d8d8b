// A search picks an action by asking an evaluator about positions ahead.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "evaluators/evaluator.h"

namespace boardlab {

// What a search found out. Vectors keep their memory from one decision to the next.
struct Decision {
  Action action = -1;
  std::vector<Action> actions;      // the legal ones
  std::vector<double> policy;       // [actions], sums to 1
  std::vector<double> values;       // [actions] for the player to move; NaN where the search knows none
  double scores[MAX_PLAYERS] = {};  // the position's value for every player; NaN where unknown
  std::vector<Action> line;  // what is expected to be played from here on, the action first; empty: no more than that
  std::vector<std::pair<std::string, double>> info;  // iterations, nodes, depth ...

  // Legal actions, an all-zero policy, unknown values.
  void prepare(const Game &game, const void *state);
  // The place of a legal action; throws BrokenRules where the rules called another list legal when it was found.
  std::size_t index_of(const Game &game, Action wanted) const;
  // Chooses the best value, uniformly among equals, and puts the policy on the equals; of all actions, or of those
  // that `allowed` marks.
  void choose_best_value(Rng &rng, const std::vector<bool> *allowed = nullptr);
};

class Search {
 public:
  Search(GamePtr game, std::uint64_t seed) : rng(seed), game_(std::move(game)) {}
  Search(std::unique_ptr<Evaluator> evaluator, std::uint64_t seed)
      : rng(seed), evaluator_(std::move(evaluator)), game_(evaluator_->game_ptr()) {}
  virtual ~Search() = default;

  // `state` belongs to a player, not to chance, and is not terminal. Hidden parts are concealed.
  virtual void act(const void *state, Decision &out) = 0;
  // Is shown every position of a match, from the first one on and before it is asked about one. Only some must know how
  // a position came about. Never called where something is hidden.
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
  Evaluator *evaluator() { return evaluator_.get(); }  // null for a search that asks none
  // All that it asks, those of other threads included.
  virtual void visit_evaluators(const std::function<void(Evaluator &)> &see) {
    if (evaluator_) evaluator_->visit(see);
  }

  // Called now and then while it thinks, by the evaluator too; throws to stop it.
  void set_poll(const Poll &p) {
    poll = p;
    if (evaluator_) evaluator_->poll = p;
  }

 protected:
  Poll poll = [] {};
  Rng rng;
  std::unique_ptr<Evaluator> evaluator_;  // null for a search that asks none

 private:
  GamePtr game_;
};

// For searches that recurse: throws BrokenRules before the stack ends. Depth is bounded, but nature may move again and
// again without an end, and so may players in a search to the end of a game that has none.
inline void check_plies(const Game &game, std::size_t ply) {
  constexpr std::size_t MOST_PLIES = 4096;
  if (ply > MOST_PLIES)
    throw BrokenRules(game.name() + ": a search went through " + std::to_string(MOST_PLIES) +
                      " actions and chance outcomes without reaching its depth or the end of the game");
}

// A uniformly random legal action.
class RandomSearch final : public Search {
 public:
  using Search::Search;
  void act(const void *state, Decision &out) override;
  std::unique_ptr<Search> clone() const override { return std::make_unique<RandomSearch>(game_ptr(), 0); }
};

// The action with the best action value, random among equals. In a puzzle (one player, no chance) it does not go back
// to any of the last `memory` positions while another action is there: a player that judges a position always alike
// would go in circles for ever.
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
  std::vector<std::uint64_t> visited_;  // hashes of the positions in which it moved, the latest last
  std::vector<bool> allowed_;
  std::uint64_t expected_ = 0;  // of the position that its last action led to
};

// The action with the highest prior: the raw opinion of a policy.
class PolicySearch final : public Search {
 public:
  using Search::Search;
  void act(const void *state, Decision &out) override;
  std::unique_ptr<Search> clone() const override { return std::make_unique<PolicySearch>(evaluator_->clone(), 0); }
};

// Flat Monte Carlo (paper 003, Algorithm 8): the evaluator is asked about the positions after each action, in turn,
// `iterations` times in all or until the `seconds` are over (0 = no limit), and the best mean wins. Every action is
// tried once at least.
class MonteCarloSearch final : public Search {
 public:
  MonteCarloSearch(std::unique_ptr<Evaluator> evaluator, std::int64_t iterations, double seconds, std::uint64_t seed)
      : Search(std::move(evaluator), seed), iterations_(iterations), seconds_(seconds), child_(game()) {}
  void act(const void *state, Decision &out) override;
  std::unique_ptr<Search> clone() const override {
    return std::make_unique<MonteCarloSearch>(evaluator_->clone(), iterations_, seconds_, 0);
  }

 private:
  std::int64_t iterations_;
  double seconds_;
  StateBuffer child_;
};

}  // namespace boardlab
