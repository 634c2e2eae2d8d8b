// The evaluator over a trained n-tuple network.
#pragma once

#include "core/unseen.h"
#include "evaluators/evaluator.h"
#include "ntuple/after_states.h"

namespace boardlab {

// The table of player p was trained on positions that p created. So:
//   action_values  what was paid + step reward + gamma * V(after-state | player to move), for every action;
//   value          the creator's component from its own table, the other's negated in two-player zero-sum games.
//                  Where the position is not an after-state (nature has just moved, or nobody has), the player to
//                  move gets its best action value instead. With three and more players the player to move gets its
//                  best action value, the creator its table's word, and every other one the best action value of its
//                  own next turn, to which all play greedily;
//   answer         for a tree: the best action value as the leaf's value, and the softmax of all as priors.
class NTupleEvaluator final : public Evaluator {
 public:
  NTupleEvaluator(std::shared_ptr<const ntuple::Network> network, int outcome, double gamma)
      : Evaluator(network->game_ptr(), outcome),
        network_(std::move(network)),
        gamma_(gamma),
        after_states_(*network_, outcome),
        view_(after_states_.make_view()),
        legal_(static_cast<std::size_t>(game().max_legal())),
        values_(legal_.size()),
        ahead_(game()),
        unseen_(game(), outcome) {}

  void value(const void *state, Rng &rng, double *out) override;
  void action_values(const void *state, std::span<const Action> actions, Rng &rng, double *out) override;
  void answer(std::span<const Question> questions, Rng &rng) override;
  void begin_decision() override;
  bool has_priors() const override { return true; }
  // tanh, in a game that pays at the end and not less than a point.
  bool stays_in_range() const override {
    const Range range = game().outcome_range(outcome());
    return network_->design().squash && game().is_zero_sum() && !range.loose && range.min <= -1 && range.max >= 1;
  }
  bool looks_ahead() const override { return gamma_ == 1; }
  std::unique_ptr<Evaluator> clone() const override {
    return std::make_unique<NTupleEvaluator>(network_, outcome(), gamma_);
  }

 private:
  // Action values of a puzzle, by the position that the action leads to: twists come back to the same positions all the
  // time, and looking one up is several times faster than reading its weights.
  struct Known {
    std::uint64_t key = 0;  // the position's hash; a decision has its own, so that learned weights count from the next
    double value = 0;
  };
  static constexpr std::size_t KNOWN = 1 << 14;
  // Answers by position, for the same reason: ways through a tree meet again. They are kept one after the other, so
  // that a short search stays in the nearest cache, and found by hash. The priors are kept in 32 bits, as in a tree,
  // `legal_.size()` a position.
  struct Answer {
    std::uint64_t key = 0;
    double best = 0;
    std::uint32_t number = 0;   // of the action that it is the value of
    std::uint32_t actions = 0;  // that were judged
  };
  static constexpr std::size_t ANSWERS = 1 << 14, ANSWERS_BYTES = 1 << 21;

  void judge_actions(const void *state, std::span<const Action> actions, double *out);
  void judge_unknown_actions(const void *state, std::span<const Action> actions, double *out);
  void make_views(std::size_t count);
  // Adds up what was played: the value of the action that leads there.
  double total(ntuple::AfterStates::View &view);
  // Priors made of the action values; returns the best of them.
  Answer best_and_priors(const void *state, std::span<const Action> actions, Rng &rng, std::span<double> priors);
  // Leaves that action in `best_`.
  double best_action_value(const void *state, Rng &rng);
  // Component of `known`, whose value is given; the others as described above.
  void complete(const void *state, int known, double value, double *out);
  // The same with three and more players: `action` is what the player to move does, `value` its value of that.
  void complete_by_playing(const void *state, Action action, double value, Rng &rng, double *out);
  double table_value(const void *state, int player);

  std::shared_ptr<const ntuple::Network> network_;
  double gamma_;
  ntuple::AfterStates after_states_;
  ntuple::AfterStates::View view_;
  std::vector<ntuple::AfterStates::View> views_;
  std::vector<Action> legal_;
  std::vector<double> values_;
  Action best_ = 0;
  StateBuffer ahead_;
  Unseen unseen_;
  std::vector<std::uint32_t> answer_at_;  // by hash; empty for searches that never begin a decision
  std::vector<Answer> answers_;
  std::vector<float> answer_priors_;
  std::uint32_t next_answer_ = 0;
  std::vector<Known> known_;  // empty where it does not pay, and for searches that never begin a decision
  std::vector<std::size_t> unknown_;
  std::vector<std::uint64_t> keys_;
  std::uint64_t decision_ = 0;
};

}  // namespace boardlab
