#include <algorithm>
#include <atomic>
#include <deque>

#include "tabular/cfr.h"

namespace boardlab::tabular {

class SampledCfr::Walker {
 public:
  Walker(const GamePtr &game, const BucketsPtr &buckets, RegretTable &table, const CfrSettings &settings)
      : game_(*game), situations_(game, buckets), table_(table), settings_(settings) {}

  // One traversal for each player. `number` counts iterations from 1.
  void iterate(std::int64_t number) {
    weight_ = settings_.variant == CfrSettings::Variant::PLUS ? static_cast<double>(number) : 1;
    for (int p = 0; p < game_.players(); ++p) {
      deal_ = rng.next();
      game_.initial_state(frame(0).state.data(), rng);
      traverse(0, p, 0, false);
    }
  }

  Rng rng{0};
  std::int64_t nodes = 0;

 private:
  static constexpr std::size_t DEEPEST = 4096;

  // The place between two decisions of the player whose traversal it is.
  struct Frame {
    explicit Frame(const Game &game)
        : state(game),
          legal(static_cast<std::size_t>(game.max_legal())),
          strategy(legal.size()),
          values(legal.size()) {}
    StateBuffer state;
    std::vector<Action> legal;
    std::vector<double> strategy, values;
  };
  Frame &frame(std::size_t depth) {
    while (frames_.size() <= depth) frames_.emplace_back(game_);
    return frames_[depth];
  }

  // The value for `player` of the frame's state, which it changes. `chances` counts the events on the way: all ways of
  // a traversal meet the same cards in the same order, so that actions are compared on one deal.
  double traverse(std::size_t depth, int player, std::uint64_t chances, bool is_begun) {
    Frame &here = frame(depth);
    void *state = here.state.data();
    for (std::size_t steps = depth;; ++steps) {
      if (steps > DEEPEST)
        throw BrokenRules(game_.name() + ": a game goes on for more than " + std::to_string(DEEPEST) + " actions");
      ++nodes;
      const int mover = game_.player(state);
      if (situations_.is_end(state, mover, is_begun)) {
        double out[MAX_PLAYERS];
        game_.outcome(settings_.outcome, state, out);
        return out[player];
      }
      if (mover == CHANCE) {
        Rng nature(derive_seed(deal_, chances++));
        game_.apply(state, game_.sample_chance(state, nature));
        continue;
      }
      is_begun = true;
      const auto n = static_cast<std::size_t>(game_.legal(state, here.legal.data()));
      const std::size_t set = table_.enter(situations_.key(state, mover), {here.legal.data(), n});
      if (set != RegretTable::NONE)
        table_.match(set, here.strategy.data());
      else
        std::fill_n(here.strategy.data(), n, 1.0 / static_cast<double>(n));
      if (mover == player) return try_all(depth, player, chances, set, n);
      // The set is met as often as its player comes there, so what is added is weighed as it must be.
      if (set != RegretTable::NONE)
        for (std::size_t a = 0, row = table_.first(set); a < n; ++a, ++row)
          shared_write(table_.sums[row], shared_read(table_.sums[row]) + weight_ * here.strategy[a]);
      double u = rng.unit();
      std::size_t a = 0;
      while (a + 1 < n && (u -= here.strategy[a]) >= 0) ++a;
      game_.apply(state, here.legal[a]);
    }
  }

  double try_all(std::size_t depth, int player, std::uint64_t chances, std::size_t set, std::size_t n) {
    Frame &here = frame(depth);
    double mean = 0;
    for (std::size_t a = 0; a < n; ++a) {
      void *child = frame(depth + 1).state.data();
      game_.copy(child, here.state.data());
      game_.apply(child, here.legal[a]);
      here.values[a] = traverse(depth + 1, player, chances, true) + game_.step_reward();
      mean += here.strategy[a] * here.values[a];
    }
    if (set == RegretTable::NONE) return mean;
    const bool is_plus = settings_.variant == CfrSettings::Variant::PLUS;
    for (std::size_t a = 0, row = table_.first(set); a < n; ++a, ++row) {
      const double regret = shared_read(table_.regrets[row]) + here.values[a] - mean;
      shared_write(table_.regrets[row], is_plus ? std::max(regret, 0.0) : regret);
    }
    return mean;
  }

  const Game &game_;
  Situations situations_;
  RegretTable &table_;
  CfrSettings settings_;
  std::deque<Frame> frames_;
  std::uint64_t deal_ = 0;
  double weight_ = 1;
};

SampledCfr::SampledCfr(GamePtr game, BucketsPtr buckets, RegretTablePtr table, const CfrSettings &settings,
                       const Sampling &sampling, std::uint64_t seed)
    : CfrLearner(std::move(table), settings, seed),
      game_(std::move(game)),
      sampling_(sampling),
      workers_(sampling.threads) {
  for (int i = 0; i < sampling.threads; ++i)
    walkers_.push_back(std::make_unique<Walker>(game_, buckets, *table_, settings_));
}

SampledCfr::~SampledCfr() = default;

std::int64_t SampledCfr::train(std::int64_t iterations, const std::function<bool()> &stop) {
  const bool discounts = settings_.variant == CfrSettings::Variant::DISCOUNTED;
  std::int64_t done = 0;
  bool stopped = false;
  const auto asked = [&] { return stopped = stopped || (stop && stop()); };
  while (done < iterations && !stopped) {
    const std::int64_t to_step = sampling_.discount_every - iterations_done % sampling_.discount_every;
    const std::int64_t made = batch(std::min({iterations - done, to_step, std::int64_t{1} << 14}), asked);
    done += made;
    if (discounts && made > 0 && iterations_done % sampling_.discount_every == 0)
      discount(iterations_done / sampling_.discount_every);
  }
  return done;
}

std::int64_t SampledCfr::batch(std::int64_t iterations, const std::function<bool()> &stop) {
  const std::int64_t begin = iterations_done;
  std::atomic<std::int64_t> next{begin + 1}, made{0};
  std::atomic<bool> stopped{false};
  const auto work = [&](Walker &walker, bool asks) {
    std::int64_t polled = 0;
    while (!stopped) {
      const std::int64_t number = next.fetch_add(1);
      if (number > begin + iterations) break;
      walker.iterate(number);
      ++made;
      if (asks && walker.nodes - polled >= 4096) {
        polled = walker.nodes;
        if (stop()) stopped = true;
      }
    }
  };
  struct Count {  // also where a table is full, or rules of a user throw
    SampledCfr &self;
    std::atomic<std::int64_t> &made;
    ~Count() {
      if (self.walkers_.size() == 1) self.rng = self.walkers_[0]->rng;
      for (const auto &walker : self.walkers_) self.nodes_done += walker->nodes;
      self.iterations_done += made;
      self.table_->end_sharing();
    }
  } const count{*this, made};
  for (const auto &walker : walkers_) walker->nodes = 0;
  if (walkers_.size() == 1) {
    walkers_[0]->rng = rng;
    work(*walkers_[0], true);
    return made;
  }
  for (const auto &walker : walkers_) walker->rng = Rng(rng.next());
  table_->begin_sharing();
  workers_.run(walkers_.size(), [&](std::size_t thread, std::size_t) {
    try {
      work(*walkers_[thread], thread == 0);
    } catch (...) {
      stopped = true;
      throw;
    }
  });
  return made;
}

}  // namespace boardlab::tabular
