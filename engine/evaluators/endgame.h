// Exact values near the end of two-player zero-sum games without chance: the game's own solver where it has one, else
// principal variation search to the end of the game.
#pragma once

#include <memory>
#include <optional>

#include "search/principal.h"

namespace boardlab {

class EndgameSolver {
 public:
  struct Solution {
    double scores[MAX_PLAYERS];
    Action action;  // one that leads to them
    std::int64_t nodes;
  };

  // Throws std::invalid_argument for a game of another kind.
  EndgameSolver(GamePtr game, int outcome, std::size_t table_bytes);
  // False when it would take more than `node_limit` positions, or longer than to `deadline` of the clock
  // PrincipalVariation::now; `out.nodes` are then those that were spent. `state` belongs to a player.
  bool solve(const void *state, std::int64_t node_limit, const Poll &poll, Solution &out,
             double deadline = PrincipalVariation::INFINITE);
  // The line of play of a solution that was just found, for the player to move; the action alone where the game's own
  // solver has found it.
  void add_line(const Solution &solution, int player, std::vector<Action> &out) {
    if (by_search_)
      search_->add_line(solution.action, PrincipalVariation::TO_THE_END, solution.scores[player], out);
    else
      out.push_back(solution.action);
  }
  void clear() {
    if (search_) search_->clear();
  }

 private:
  bool ask_game(const void *state, std::int64_t node_limit, const Poll &poll, double deadline, bl_solution &out);

  GamePtr game_;
  int outcome_;
  std::size_t table_bytes_;
  std::optional<PrincipalVariation> search_;  // made when it is needed
  bool by_search_ = false;                    // the last solution
};

// Another evaluator, with exact values where at most `below` actions are left and `nodes` positions suffice.
class EndgameEvaluator final : public Evaluator {
 public:
  EndgameEvaluator(std::unique_ptr<Evaluator> inner, int below, std::int64_t nodes)
      : Evaluator(inner->game_ptr(), inner->outcome()),
        inner_(std::move(inner)),
        below_(below),
        nodes_(nodes),
        solver_(game_ptr(), outcome(), 4u << 20) {
    inner_->poll = [this] { poll(); };
  }
  void value(const void *state, Rng &rng, double *out) override;
  void action_values(const void *state, std::span<const Action> actions, Rng &rng, double *out) override;
  void priors(const void *state, std::span<const Action> actions, Rng &rng, double *out) override;
  void answer(std::span<const Question> questions, Rng &rng) override;
  void begin_decision() override { inner_->begin_decision(); }
  void reset() override { solver_.clear(); }
  void visit(const std::function<void(Evaluator &)> &see) override {
    Evaluator::visit(see);
    inner_->visit(see);
  }
  bool has_priors() const override { return inner_->has_priors(); }
  bool has_policy() const override { return inner_->has_policy(); }
  bool stays_in_range() const override { return inner_->stays_in_range(); }
  std::unique_ptr<Evaluator> clone() const override {
    return std::make_unique<EndgameEvaluator>(inner_->clone(), below_, nodes_);
  }

 private:
  bool is_near_end(const void *state, int sooner) const { return game().moves_left(state) - sooner <= below_; }

  std::unique_ptr<Evaluator> inner_;
  int below_;
  std::int64_t nodes_;
  EndgameSolver solver_;
};

}  // namespace boardlab
