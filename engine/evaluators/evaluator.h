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

}  // namespace boardlab
