// Principal variation search (Marsland and Campbell 1982): the core of alpha-beta, exact solving and full-width search
// in two-player zero-sum games. Any evaluator values the leaves; a search to the end of the game needs none. Chance
// nodes are searched by Star1 (Ballard 1983).
#pragma once

#include <atomic>
#include <deque>
#include <limits>
#include <memory>
#include <vector>

#include "evaluators/evaluator.h"
#include "search/transpositions.h"

namespace boardlab {

class ProbCut;

// Whether alpha-beta and exact solving fit the game. A game with a step reward is not zero-sum on the way: only the
// mover is paid.
inline bool is_two_player_zero_sum(const Game &game) {
  return game.players() == 2 && game.is_zero_sum() && !game.has_chance() && !game.is_hidden() &&
         game.step_reward() == 0;
}

class PrincipalVariation {
 public:
  static constexpr double INFINITE = std::numeric_limits<double>::infinity();
  static constexpr int TO_THE_END = 30000;  // as a depth, which falls on the way: the table prefers deeper entries
  static constexpr int CUT = -1;            // as a height

  // A value for the player to move, fail soft: at or below alpha it is an upper bound, at or above beta a lower one.
  // The height is the number of actions to the farthest end of the game that the value rests on (1 after chance alone,
  // the least depth at which chance nodes are not evaluated), or CUT if it rests on the evaluator. A value that is not
  // cut is proven and holds for every depth from its height on.
  struct Found {
    double value;
    int height;
  };
  struct OutOfBudget {};  // thrown when nodes or time are used up

  PrincipalVariation(GamePtr game, int outcome, std::size_t table_bytes)
      : game_(std::move(game)),
        outcome_(outcome),
        table_(std::make_shared<Transpositions<Entry>>(table_bytes)),
        history_(2 * static_cast<std::size_t>(game_->action_count())) {}

  // Another search of the same game for another thread: it shares the table, and the two avoid the same work (see
  // Crowd). The caller gives it an evaluator of its own.
  std::unique_ptr<PrincipalVariation> helper();

  Evaluator *evaluator = nullptr;     // null if every search goes to the end
  const ProbCut *prob_cut = nullptr;  // null: full width
  Poll poll = [] {};
  const std::atomic<bool> *stop = nullptr;  // ends the search, as an exhausted budget does
  double deadline = INFINITE;               // of the clock `now`
  std::int64_t node_limit = std::numeric_limits<std::int64_t>::max(), nodes = 0;
  Rng rng{0};

  static double now();
  // Begins the next decision: ages the table, unless it belongs to another search, and fades the history. The caller
  // sets the budgets.
  void begin();
  void clear();

  // Makes room in a shared table for a search of about that many positions; the helpers must be idle.
  void reserve(std::int64_t positions) {
    if (crowd_) table_->reserve(static_cast<std::size_t>(positions));
  }

  // Sets the root of the next search.
  void set_root(const void *state);
  // The value of the root for its mover.
  Found value(int depth, double alpha, double beta) { return value(0, depth, alpha, beta); }
  // The value of playing the action at the root, for the root's mover; `depth` counts the action.
  Found after(Action action, int depth, double alpha, double beta) { return after(0, action, depth, alpha, beta); }
  // The line of play behind `value`, which `after` has just found for the action: the action and the replies, as far as
  // the table still has them.
  void add_line(Action action, int depth, double value, std::vector<Action> &out);
  // The best action at the root by the table, or -1.
  Action best_known() {
    Entry known;
    return table_->find(game_->hash(frame(0).state.data()), known) ? known.best : -1;
  }

 private:
  enum Bound : std::uint8_t { EXACT, AT_LEAST, AT_MOST };
  struct Entry {
    std::uint64_t key;
    double value;  // not float: equal actions must stay equal, whether found in the table or not
    Action best;
    std::int16_t depth;
    std::int16_t height;
    std::uint8_t age;
    Bound bound;
    std::uint16_t unused;  // the table copies whole words
    std::uint32_t check;
  };
  struct Reached {  // the position after an action
    std::uint64_t key;
    int player;
  };
  struct Frame {
    StateBuffer state;
    int player = 0;
    std::vector<Action> actions;  // followed by those put off because another thread searches them
    std::vector<double> scores;   // for the order of the actions; at a chance node the probabilities
    std::vector<Reached> reached;
    Action killers[2] = {-1, -1};
  };

  class Crowd;

  static bool is_to_the_end(int depth) { return depth > TO_THE_END / 2; }
  Found value(std::size_t ply, int depth, double alpha, double beta);
  Found after(std::size_t ply, Action action, int depth, double alpha, double beta);
  Found average(std::size_t ply, int player, int depth, double alpha, double beta);
  Found child_value(std::size_t ply, int player, int depth, double alpha, double beta);
  bool cut_early(std::size_t ply, int depth, double alpha, double beta, Found &found);
  bool is_known(std::uint64_t key, int depth, double alpha, double beta, Found &found, Action &best) const;
  bool won_at_once(std::size_t ply, int count, double beta, Found &found, Action &action);
  void order(Frame &here, int begin, int end, int depth);
  void reward(Frame &here, Action action, int depth);
  Frame &frame(std::size_t ply);
  void spend();

  GamePtr game_;
  int outcome_;
  std::shared_ptr<Transpositions<Entry>> table_;
  std::shared_ptr<Crowd> crowd_;  // null while one thread searches
  bool is_helper_ = false;
  std::deque<Frame> frames_;  // a deque: references stay valid while the recursion goes deeper
  std::vector<double> history_;
};

}  // namespace boardlab
