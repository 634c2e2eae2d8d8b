// Many trees, each with its own game, whose leaves are evaluated in common batches.
//
//   rows = start(iterations)                  the first leaves, as rows of the caller's arrays
//   while rows: rows = step(answers)          backs the answers up and collects the next leaves
//
// The trees share only the cache of evaluations, which changes while no tree works. So the number of threads does not
// change the result.
#pragma once

#include <memory>

#include "core/workers.h"
#include "evaluators/cache.h"
#include "evaluators/leaf_batch.h"
#include "evaluators/rollout.h"
#include "search/tree.h"

namespace boardlab {

struct ForestOptions {
  int trees = 1;
  int threads = 1;
  std::size_t cache_bytes = 0;  // 0 = none
  // The weight of a random rollout in a leaf's value; the evaluator has the rest (Wang's WRo; with 1 his Rollout).
  double rollout_weight = 0;
  TreeOptions tree;  // always selects by PUCT
};

class Forest {
 public:
  Forest(GamePtr game, int outcome, Inputs inputs, ForestOptions options, std::uint64_t seed);

  const Game &game() const { return *game_; }
  const GamePtr &game_ptr() const { return game_; }
  const Encoding &encoding() const { return encoding_; }
  std::size_t size() const { return plots_.size(); }
  // The most rows that can wait at once: the caller's arrays must hold them.
  std::size_t capacity() const { return plots_.size() * static_cast<std::size_t>(options_.tree.batch); }

  // ---- the games ----
  const void *state(std::size_t i) const { return plots_[i].game.state.data(); }
  // Chance events happen at once, so that a game waits for a player or is over.
  void set_state(std::size_t i, const void *state);
  void restart(std::span<const std::size_t> trees, bool training_start);
  void play(std::span<const std::size_t> trees, std::span<const Action> actions);  // legal, one per tree
  // The outcome of the round that the last action ended, before the next deal; null if the round goes on, and in games
  // without rounds.
  const double *round_end(std::size_t i) const {
    return plots_[i].game.round_ended ? plots_[i].game.round_end : nullptr;
  }

  // ---- a search ----
  // Starts a search with `iterations` per tree, and noise at the roots marked. Games that are over get none.
  std::size_t start(const std::int64_t *iterations, const bool *noise, std::byte *inputs, bool *legal);
  // Takes the answers to the rows of the last start or step. If it throws, the search ends and the trees are dropped.
  std::size_t step(const Answers &answers, std::byte *inputs, bool *legal);
  std::size_t waiting() const { return rows_; }
  void forget();  // ends a search, drops all trees and returns their memory

  const Tree &tree(std::size_t i) const { return plots_[i].tree; }
  // The root's children; none if the present state was not searched.
  std::span<const Node> root_children(std::size_t i) const;
  bool has_gumbel() const { return options_.tree.gumbel > 0; }
  // Writes the policy at the root: row[actions], all zero if the state was not searched.
  void policy(std::size_t i, double *row) const;
  std::int64_t evaluations() const { return evaluations_; }
  double encode_seconds() const { return encode_seconds_; }  // the part of start and step spent on writing rows
  std::int64_t shared() const;                               // leaves answered by the cache or by an equal row
  void clear_cache() { cache_.clear(); }

 private:
  struct Pending {
    explicit Pending(const Game &game) : position(game) { leaf.state = StateBuffer(game); }
    Leaf leaf;
    LeafRow position;  // the one that is evaluated
    std::vector<double> priors;
    std::uint64_t hash = 0;
    std::size_t row = 0;
    bool answered = false;
  };
  // The present state of a game.
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
    std::unique_ptr<RolloutEvaluator> rollout;  // null if leaves are not rolled out
    std::vector<Pending> pending;
    std::size_t waiting = 0;  // entries of `pending` in use
    bool at_root = false;     // the root waits for its priors
    std::int64_t left = 0;    // iterations to do
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
  bool counts_rounds_;  // not with ranked rewards: ranks are of whole games
  Encoding encoding_;
  EvaluationCache cache_;
  Workers workers_;
  std::vector<Plot> plots_;
  std::vector<Pending *> row_of_;
  std::vector<std::uint32_t> same_;  // hash table of the rows of a batch
  std::size_t rows_ = 0;
  std::int64_t evaluations_ = 0, duplicates_ = 0;
  double encode_seconds_ = 0;
};

}  // namespace boardlab
