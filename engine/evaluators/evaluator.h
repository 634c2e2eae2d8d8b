// Evaluators judge positions. A search asks one of three questions, the cheapest that it needs.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "core/game.h"
#include "core/workers.h"

namespace boardlab {

struct Played {
  int player;
  Action action;
};

// One leaf of a tree with room for the answer: value and priors together, as PUCT needs them.
struct Question {
  const void *state;
  std::span<const Action> actions;  // the legal ones; empty at a chance node
  double *value;                    // [players]
  double *priors;                   // [actions], or null when the search has no use for them
  // Where a rollout writes the players' actions, for RAVE; null otherwise.
  std::vector<Played> *played = nullptr;
};

// Values are expected final outcomes (paid so far + still to come, step rewards still to come included) in the
// units of the outcome: the game's score or a named reward. In a game with rounds: at the end of the round. A
// state is never terminal; it may be a chance node, which is an after-state.
//
// A subclass answers value() or action_values() at least; each has a default made from the other. An evaluator may
// keep scratch memory, so it belongs to one thread: clone() makes another that shares what was learned.
class Evaluator {
 public:
  Evaluator(GamePtr game, int outcome) : game_(std::move(game)), outcome_(outcome), child_(*game_) {
    actions_.resize(static_cast<std::size_t>(game_->max_legal()));
  }
  virtual ~Evaluator() = default;

  const Game &game() const { return *game_; }
  const GamePtr &game_ptr() const { return game_; }
  int outcome() const { return outcome_; }

  // out[players]. Default: the value of the best action for the player to move.
  virtual void value(const void *state, Rng &rng, double *out);
  // out[actions]: each action's value for the player to move. Default: values of the positions they lead to.
  virtual void action_values(const void *state, std::span<const Action> actions, Rng &rng, double *out);
  // out[actions]: a distribution. Default: softmax of the action values, scaled to [-1, 1].
  virtual void priors(const void *state, std::span<const Action> actions, Rng &rng, double *out);
  // Answers several leaves; nets judge them as one batch. Default: one after the other.
  virtual void answer(std::span<const Question> questions, Rng &rng);

  // The values of many states that belong to players, [state_size] bytes each, out[states][players]. Default: one after
  // the other. An evaluator that `batches` may let the workers help with what is not the judging itself; of the others
  // every thread asks a clone of its own.
  virtual void values(std::span<const std::byte> states, Workers &workers, Rng &rng, double *out);
  virtual bool batches() const { return false; }

  // Called when a search starts a new decision: what was remembered during the last one may be out of date.
  virtual void begin_decision() {}

  // Called when a new game begins: forgets what later answers would depend on.
  virtual void reset() {}

  // Calls `see` with this evaluator and all that it asks.
  virtual void visit(const std::function<void(Evaluator &)> &see) { see(*this); }

  // Whether its priors are more than uniform: then a tree search uses PUCT instead of UCB1.
  virtual bool has_priors() const { return false; }
  // Whether its priors are a policy of its own, not made of values.
  virtual bool has_policy() const { return false; }
  // Whether no value ever leaves the outcome's range: then a search may prune by what is possible at all.
  virtual bool stays_in_range() const { return false; }
  // Whether action_values() equals value() of the positions after the actions, but is quicker.
  virtual bool looks_ahead() const { return false; }
  virtual std::unique_ptr<Evaluator> clone() const = 0;

  // Called now and then by an evaluator that works long; throws to stop it.
  Poll poll = [] {};

  // Whether action values are scaled before they become priors; a search that needs raw ones turns it off.
  bool scales_priors = true;
  // Whether priors are the action values mapped from the outcome's range to [0, 1] instead of their softmax (GBG's
  // UseSoftMax = false). As there, they do not add up to 1.
  bool minmax_priors = false;
  // Action values become priors in place: scaled to [-1, 1], then softmax at temperature 1, a distribution; or min-max.
  void values_to_priors(std::span<double> values) const;

  // The value of any state, terminal ones included.
  void judge(const void *state, Rng &rng, double *out) {
    if (game_->player(state) == TERMINAL)
      game_->outcome(outcome_, state, out);
    else
      value(state, rng, out);
  }

 private:
  GamePtr game_;
  int outcome_;
  StateBuffer child_;
  std::vector<Action> actions_;
};

// Softmax in place, with the usual shift against overflow.
void softmax(std::span<double> x, double temperature);

// Mean outcome of random playouts; `depth` actions at most, or to the end (0). In a game with rounds the end is that of
// the round, unless `whole_game` is set: later rounds of random players tell nothing about this one.
class RolloutEvaluator final : public Evaluator {
 public:
  RolloutEvaluator(GamePtr game, int outcome, int rollouts, int depth, bool whole_game = false)
      : Evaluator(std::move(game), outcome),
        rollouts_(rollouts),
        depth_(depth),
        whole_game_(whole_game),
        state_(this->game()) {}
  void value(const void *state, Rng &rng, double *out) override;
  bool stays_in_range() const override { return true; }
  void answer(std::span<const Question> questions, Rng &rng) override;
  std::unique_ptr<Evaluator> clone() const override {
    return std::make_unique<RolloutEvaluator>(game_ptr(), outcome(), rollouts_, depth_, whole_game_);
  }

 private:
  static constexpr std::int64_t ACTIONS_A_POLL = 1 << 20;  // some tens of milliseconds

  int playout(std::vector<Played> *played, Rng &rng);
  void mean_outcome(const void *state, std::vector<Played> *played, Rng &rng, double *out);

  int rollouts_, depth_;
  bool whole_game_;
  StateBuffer state_;
  std::vector<Action> legal_;
  std::vector<Played> played_;
  std::int64_t actions_since_poll_ = 0;
};

// The score so far: 0 for an unfinished game that pays at the end. For searches that reach the end.
class PaidEvaluator final : public Evaluator {
 public:
  using Evaluator::Evaluator;
  void value(const void *state, Rng &, double *out) override { game().outcome(outcome(), state, out); }
  bool stays_in_range() const override { return true; }
  std::unique_ptr<Evaluator> clone() const override { return std::make_unique<PaidEvaluator>(game_ptr(), outcome()); }
};

// The mean (1 - weight) * first + weight * second of two evaluators' values, with the first one's priors. With a
// rollout as the second: WRo of Wang et al. (2021), and with weight 1 their Rollout.
class MixEvaluator final : public Evaluator {
 public:
  // Throws std::invalid_argument where the two judge different games or outcomes.
  MixEvaluator(std::unique_ptr<Evaluator> first, std::unique_ptr<Evaluator> second, double weight);
  void value(const void *state, Rng &rng, double *out) override;
  void action_values(const void *state, std::span<const Action> actions, Rng &rng, double *out) override;
  void priors(const void *state, std::span<const Action> actions, Rng &rng, double *out) override;
  void answer(std::span<const Question> questions, Rng &rng) override;
  void values(std::span<const std::byte> states, Workers &workers, Rng &rng, double *out) override;
  bool batches() const override { return first_->batches() || second_->batches(); }
  void begin_decision() override {
    first_->begin_decision();
    second_->begin_decision();
  }
  void visit(const std::function<void(Evaluator &)> &see) override {
    Evaluator::visit(see);
    first_->visit(see);
    second_->visit(see);
  }
  bool has_priors() const override { return first_->has_priors(); }
  bool has_policy() const override { return first_->has_policy(); }
  std::unique_ptr<Evaluator> clone() const override {
    return std::make_unique<MixEvaluator>(first_->clone(), second_->clone(), weight_);
  }

 private:
  std::unique_ptr<Evaluator> first_, second_;
  double weight_;
  std::vector<Question> questions_;
  std::vector<double> values_;
};

// Exact values from the game's own solver, where it has one.
class SolverEvaluator final : public Evaluator {
 public:
  using Evaluator::Evaluator;
  void value(const void *state, Rng &rng, double *out) override;
  bool stays_in_range() const override { return true; }
  std::unique_ptr<Evaluator> clone() const override { return std::make_unique<SolverEvaluator>(game_ptr(), outcome()); }
};

}  // namespace boardlab
