// Alpha-beta over any evaluator, for two-player zero-sum games without chance: iterative deepening with principal
// variation search, optional Multi-ProbCut, and exact solving near the end of the game.
#pragma once

#include "core/workers.h"
#include "evaluators/endgame.h"
#include "search/principal.h"
#include "search/prob_cut.h"
#include "search/search.h"

namespace boardlab {

struct AlphaBetaOptions {
  int depth = 4;                            // actions
  double seconds = 0;                       // per decision, solving included; 0 = no limit
  bool exact = false;                       // find the value of every root action, not only of the best
  int solve_below = 0;                      // solve the position when at most this many actions are left; 0 = never
  int wld_below = 0;                        // solve for win, loss or draw only; for outcomes other than the score
  std::int64_t solve_nodes = 0;             // limit of a solution; after that it searches as usual
  std::shared_ptr<const ProbCut> prob_cut;  // null: full width
  std::size_t table_bytes = 64u << 20;
  int threads = 1;  // that search together; solving uses one
};

class AlphaBetaSearch final : public Search {
 public:
  // Throws std::invalid_argument for a game that alpha-beta cannot play.
  AlphaBetaSearch(std::unique_ptr<Evaluator> evaluator, AlphaBetaOptions options, std::uint64_t seed);
  void act(const void *state, Decision &out) override;
  void reset(std::uint64_t seed) override;
  std::unique_ptr<Search> clone() const override {
    return std::make_unique<AlphaBetaSearch>(evaluator_->clone(), options_, 0);
  }

 private:
  // The root of one iteration.
  struct Root {
    const void *state;
    std::vector<std::size_t> order;  // of the actions, the best of the last iteration first
    std::size_t best;
    PrincipalVariation::Found found;
  };
  // What another thread needs: it searches the same root and shares what it finds through the table.
  struct Helper {
    std::unique_ptr<Evaluator> evaluator;
    std::unique_ptr<PrincipalVariation> search;
    Root root;
    std::vector<double> values;
  };
  void prepare_helpers(const Root &root, std::uint64_t seed);
  // Calls `search(search, root, values)` in every thread; the calling thread's result counts.
  template <class SearchRoot>
  void together(Root &root, Decision &out, SearchRoot search);
  static void search_all(PrincipalVariation &search, Root &root, int depth, const std::vector<Action> &actions,
                         std::vector<double> &values);
  static void search_best(PrincipalVariation &search, Root &root, int depth, double alpha, double beta,
                          const std::vector<Action> &actions, std::vector<double> &values);
  void deepen(Root &root, Decision &out);
  bool solve(const void *state, Decision &out);
  bool solve_who_wins(const void *state, Decision &out);
  double solving_deadline() const;

  AlphaBetaOptions options_;
  PrincipalVariation search_;
  std::vector<Helper> helpers_;
  Workers workers_;
  std::optional<EndgameSolver> solver_, winner_;
  double deadline_ = PrincipalVariation::INFINITE;  // of the decision
  std::int64_t solving_nodes_ = 0;                  // spent on solving in this decision
  StateBuffer child_;
};

}  // namespace boardlab
