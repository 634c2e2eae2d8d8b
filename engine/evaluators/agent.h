// An agent as an evaluator: what a search decides in a position is its judgement of it.
#pragma once

#include <mutex>

#include "search/search.h"

namespace boardlab {

//   value          the decision's scores; where the agent knows none, see below
//   action_values  the decision's values, and for actions without one the value of the position after them
//   priors         the decision's policy
//
// Where an agent gives no scores, its evaluator's judgement of the position after the agent's action counts. An agent
// without an evaluator (random, a player in Python) plays the game, or the round, to its end against itself.
//
// The search begins every question anew, with a seed from the asker's random stream, and sees what the player to move
// may see, so that the answer depends on the position and the stream alone.
class AgentEvaluator final : public Evaluator {
 public:
  // A search that cannot be cloned, one written in Python, answers one clone of the evaluator at a time.
  struct Asked {
    explicit Asked(std::shared_ptr<Search> s) : search(std::move(s)) {}
    std::shared_ptr<Search> search;
    std::mutex mutex;
  };

  // Throws std::invalid_argument where the search must know how a position came about.
  explicit AgentEvaluator(std::shared_ptr<Asked> asked);

  void value(const void *state, Rng &rng, double *out) override;
  void action_values(const void *state, std::span<const Action> actions, Rng &rng, double *out) override;
  void priors(const void *state, std::span<const Action> actions, Rng &rng, double *out) override;
  void answer(std::span<const Question> questions, Rng &rng) override;
  void visit(const std::function<void(Evaluator &)> &see) override {
    Evaluator::visit(see);
    asked_->search->visit_evaluators(see);
  }
  bool has_priors() const override { return true; }
  bool has_policy() const override { return true; }
  std::unique_ptr<Evaluator> clone() const override;

 private:
  // Nature moves on to a player; null where the game or the round ends first, and the outcome is the answer.
  const void *to_player(const void *state, Rng &rng, double *out);
  void decide(const void *state, Rng &rng);
  void act(const void *state);
  void scores(const void *state, Rng &rng, double *out);
  void judge_action(const void *state, Rng &rng, double *out);
  void play_on(const void *state, Rng &rng, double *out);
  void read_policy(std::span<const Action> actions, double *out) const;

  std::shared_ptr<Asked> asked_;
  Decision decision_;
  StateBuffer drawn_, seen_, played_;
};

}  // namespace boardlab
