// Many trees side by side, each with a game of its own: their leaves wait together for one batch of evaluations.
//
//   rows = start(iterations)                  the first leaves, as rows of the caller's arrays
//   while rows: rows = step(answers)          backs the answers up and collects the next leaves
//
// The trees share nothing but the cache of evaluations, which changes only while no tree works, so that several threads
// give the same result as one.
#pragma once

#include <memory>

#include "core/workers.h"
#include "evaluators/cache.h"
#include "evaluators/encoding.h"
#include "search/tree.h"

namespace boardlab {

struct ForestOptions {
  int trees = 1;
  int threads = 1;
  std::size_t cache_bytes = 0;  // 0 = none
  // Share of a random rollout in the value of a leaf, the rest is the evaluator's (Wang's WRo; with 1 his Rollout).
  double rollout_weight = 0;
  TreeOptions tree;  // PUCT always
};

class Forest {
 public:
  Forest(GamePtr game, int outcome, Inputs inputs, ForestOptions options, std::uint64_t seed);

  const Game &game() const { return *game_; }
  const GamePtr &game_ptr() const { return game_; }
  const Encoding &encoding() const { return encoding_; }
  std::size_t size() const { return plots_.size(); }
  // Most rows that wait at once: what the caller's arrays must hold.
  std::size_t capacity() const { return plots_.size() * static_cast<std::size_t>(options_.tree.batch); }

  // ---- the games ----
  const void *state(std::size_t i) const { return plots_[i].game.state.data(); }
  // Nature moves on at once, so that a game waits for a player or is over.
  void set_state(std::size_t i, const void *state);
  void restart(std::span<const std::size_t> trees, bool training_start);
  void play(std::span<const std::size_t> trees, std::span<const Action> actions);  // legal ones, one a tree
  // The outcome when the round ended in which the last action was played, before nature dealt the next; null where it
  // goes on, and in games without rounds.
  const double *round_end(std::size_t i) const {
    return plots_[i].game.round_ended ? plots_[i].game.round_end : nullptr;
  }

  // ---- a search ----
  // Iterations for every tree, and whether there is noise at its root; a game that is over gets none.
  std::size_t start(const std::int64_t *iterations, const bool *noise, std::byte *inputs, bool *legal);
  // Answers to the rows of the last start or step. When it throws, the search is over and its trees are forgotten.
  std::size_t step(const Answers &answers, std::byte *inputs, bool *legal);
  std::size_t waiting() const { return rows_; }
  void forget();  // ends a search, forgets all trees and gives their memory back

  const Tree &tree(std::size_t i) const { return plots_[i].tree; }
  // Of the present state; none when it was not searched.
  std::span<const Node> root_children(std::size_t i) const;
  bool has_gumbel() const { return options_.tree.gumbel > 0; }
  // Writes a share of every action of the root: row[actions], all zero when the state was not searched.
  void policy(std::size_t i, double *row) const;
  std::int64_t evaluations() const { return evaluations_; }
  double encode_seconds() const { return encode_seconds_; }  // spent on writing rows, of all that start and step took
  std::int64_t shared() const;                               // leaves that needed no evaluation of their own
  void clear_cache() { cache_.clear(); }

 private:
  struct Pending {
    Leaf leaf;
    StateBuffer beyond;           // a leaf at a chance node: after nature has moved on
    const void *asked = nullptr;  // the state that is evaluated
    std::vector<Action> legal;
    std::vector<double> priors;
    int mover = 0;
    bool is_beyond_chance = false;  // the actions are those of another position than the leaf
    std::uint64_t hash = 0;
    std::size_t row = 0;
    bool answered = false;
  };
  // A game as it stands.
  struct Current {
    StateBuffer state;
    Rng nature;
    bool is_searched = false;  // the tree's root is the state
    bool round_ended = false;
    double round_end[MAX_PLAYERS] = {};
  };
  // One game and its tree.
  struct Plot {
    Plot(const GamePtr &rules, int outcome, const ForestOptions &options, std::uint64_t seed);
    Current game;
    Tree tree;
    Rng rng;
    std::unique_ptr<RolloutEvaluator> rollout;  // where leaves are rolled out
    std::vector<Pending> pending;
    std::size_t waiting = 0;  // of `pending`
    bool at_root = false;     // the root itself waits for its priors
    std::int64_t left = 0;    // iterations
    std::int64_t cache_hits = 0;
  };

  void settle(Current &now);
  void change(std::span<const std::size_t> trees, const std::function<void(std::size_t, Current &)> &begin);
  void ask_root(Plot &plot);
  void plant(Plot &plot);
  void advance(Plot &plot);
  void finish(Plot &plot);
  bool take_up(Plot &plot, Pending &pending, bool is_root);
  void read(Plot &plot, const Answers &answers);
  void add_score(Pending &pending) const;
  void add_scores(Plot &plot) const;
  void roll_out(Plot &plot, const Question &question);
  std::size_t collect(std::byte *inputs, bool *legal);
  void for_all(const std::function<void(Plot &)> &task);

  GamePtr game_;
  int outcome_;
  ForestOptions options_;
  bool counts_rounds_;  // ranks are of whole games
  Encoding encoding_;
  EvaluationCache cache_;
  Workers workers_;
  std::vector<Plot> plots_;
  std::vector<Pending *> row_of_;
  std::vector<std::uint32_t> same_;  // hash table over the rows of a batch
  std::size_t rows_ = 0;
  std::int64_t evaluations_ = 0, duplicates_ = 0;
  double encode_seconds_ = 0;
};

}  // namespace boardlab
