// Counterfactual regret minimisation (Zinkevich et al. 2007): every information set keeps what it regrets not to have
// played, and plays in proportion to it. The average of all strategies approaches an equilibrium in games of two
// players whose scores add up to zero.
#pragma once

#include <functional>

#include "core/workers.h"
#include "tabular/game_tree.h"
#include "tabular/regret_table.h"

namespace boardlab::tabular {

struct CfrSettings {
  // PLUS: CFR+ (Tammelin 2014), regrets are never negative and later strategies weigh more. DISCOUNTED: DCFR (Brown and
  // Sandholm 2019), after iteration t positive regrets are multiplied by t^alpha / (t^alpha + 1), negative ones by
  // t^beta / (t^beta + 1), what was added to the average strategy by (t / (t + 1))^gamma.
  enum class Variant { VANILLA, PLUS, DISCOUNTED };
  Variant variant = Variant::VANILLA;
  double alpha = 1.5, beta = 0, gamma = 2;
  int outcome = SCORE;
};

// The part that both ways of walking share, and the contents of a checkpoint beside the table.
class CfrLearner {
 public:
  CfrLearner(RegretTablePtr table, const CfrSettings &settings, std::uint64_t seed)
      : rng(derive_seed(seed, 0)), table_(std::move(table)), settings_(settings) {}
  virtual ~CfrLearner() = default;
  CfrLearner(const CfrLearner &) = delete;
  CfrLearner &operator=(const CfrLearner &) = delete;

  // Returns the number of iterations made; `stop` is asked now and then.
  virtual std::int64_t train(std::int64_t iterations, const std::function<bool()> &stop) = 0;
  // Called when the table was filled from outside.
  virtual void restore() {}
  const RegretTablePtr &table() const { return table_; }

  std::int64_t iterations_done = 0, nodes_done = 0;
  Rng rng;

 protected:
  // DCFR's factors after step t.
  void discount(std::int64_t t);

  RegretTablePtr table_;
  CfrSettings settings_;
};

// Walks the whole tree in every iteration, once for each player, who then plays by its new regrets.
class TreeCfr final : public CfrLearner {
 public:
  // Enters all sets of the tree into the table, which must be empty.
  TreeCfr(GameTreePtr tree, RegretTablePtr table, const CfrSettings &settings, std::uint64_t seed);
  std::int64_t train(std::int64_t iterations, const std::function<bool()> &stop) override;
  void restore() override;
  const GameTreePtr &tree() const { return tree_; }

 private:
  void update(int player);
  void match_all();

  GameTreePtr tree_;
  std::vector<double> strategy_;      // of the present iteration
  std::vector<double> own_, others_;  // [nodes] the player's and everybody else's part in the probability of a node
  std::vector<double> value_;         // [nodes] for the player
};

// External sampling (MCCFR; Lanctot et al. 2009): chance and the other players act once, at random, and the player
// tries all its actions. Several threads share the table without locks.
class SampledCfr final : public CfrLearner {
 public:
  struct Sampling {
    std::int64_t discount_every = 1000;  // iterations that count as one step of DCFR
    int threads = 1;
  };
  SampledCfr(GamePtr game, BucketsPtr buckets, RegretTablePtr table, const CfrSettings &settings,
             const Sampling &sampling, std::uint64_t seed);
  ~SampledCfr() override;
  std::int64_t train(std::int64_t iterations, const std::function<bool()> &stop) override;

 private:
  class Walker;  // the traversals of one thread
  std::int64_t batch(std::int64_t iterations, const std::function<bool()> &stop);

  GamePtr game_;
  Sampling sampling_;
  std::vector<std::unique_ptr<Walker>> walkers_;
  Workers workers_;
};

}  // namespace boardlab::tabular
