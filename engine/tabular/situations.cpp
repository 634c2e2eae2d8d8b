#include "tabular/situations.h"

#include <algorithm>
#include <stdexcept>
#include <unordered_map>

namespace boardlab::tabular {

std::size_t Buckets::bounds_per_stage() const {
  std::size_t groups = 1, bounds = 0;
  for (const int n : shape) {
    bounds += groups * static_cast<std::size_t>(n - 1);
    groups *= static_cast<std::size_t>(n);
  }
  return bounds;
}

std::size_t Buckets::count() const {
  std::size_t groups = 1;
  for (const int n : shape) groups *= static_cast<std::size_t>(n);
  return groups;
}

std::size_t Buckets::bucket(int stage, const double *features) const {
  const double *level = bounds.data() + static_cast<std::size_t>(stage) * bounds_per_stage();
  std::size_t group = 0, groups = 1;
  for (std::size_t f = 0; f < shape.size(); ++f) {
    const auto n = static_cast<std::size_t>(shape[f]);
    const double *first = level + group * (n - 1);
    group = group * n + static_cast<std::size_t>(std::upper_bound(first, first + n - 1, features[f]) - first);
    level += groups * (n - 1);
    groups *= n;
  }
  return group;
}

Situations::Situations(GamePtr game, BucketsPtr buckets)
    : game_(std::move(game)),
      buckets_(buckets ? std::move(buckets) : std::make_shared<Buckets>()),
      has_rounds_(game_->table().situation != nullptr),
      names_situation_(has_rounds_ && (game_->table().hand_features == 0 || !buckets_->shape.empty())),
      seen_(*game_) {
  const bl_game &t = game_->table();
  const auto bytes = names_situation_ ? t.situation_size : t.observe ? t.observation_size : t.state_size;
  bytes_.resize(static_cast<std::size_t>(bytes));
  features_.resize(static_cast<std::size_t>(t.features ? t.feature_count : 0));
  if (buckets_->shape.empty()) return;
  if (static_cast<int>(buckets_->shape.size()) != t.hand_features)
    throw std::invalid_argument(game_->name() + " has " + std::to_string(t.hand_features) +
                                " hand features, and needs a number of buckets for each");
  if (buckets_->bounds.size() != buckets_->bounds_per_stage() * static_cast<std::size_t>(game_->stages()))
    throw std::invalid_argument("the bounds of the buckets do not fit " + game_->name());
}

std::uint64_t Situations::key(const void *state, int player) {
  const bl_game &t = game_->table();
  std::uint64_t hash = 0;
  if (!names_situation_ && t.observe) {
    const int length = t.observe(t.self, state, player, bytes_.data());
    hash = hash_bytes(bytes_.data(), static_cast<std::size_t>(length));
  } else {
    game_->copy(seen_.data(), state);
    game_->conceal(seen_.data(), player);
    if (names_situation_) {
      const int length = t.situation(t.self, seen_.data(), player, bytes_.data());
      hash = hash_bytes(bytes_.data(), static_cast<std::size_t>(length));
    } else {
      hash = game_->hash(seen_.data());
    }
  }
  if (!names_situation_) {
    hash = derive_seed(hash, static_cast<std::uint64_t>(player));
  } else if (!buckets_->shape.empty()) {
    t.features(t.self, seen_.data(), player, features_.data());
    hash = derive_seed(hash, buckets_->bucket(game_->stage(state), features_.data()));
  }
  return hash ? hash : 1;
}

namespace {

// Plays rounds at random and calls `meet(state, player, legal actions)` with every decision until it returns false.
template <class Meet>
void play_randomly(const Game &game, const Situations &situations, std::uint64_t seed, const Poll &poll,
                   const Meet &meet) {
  std::vector<Action> legal(static_cast<std::size_t>(game.max_legal()));
  StateBuffer state(game);
  Rng rng(seed);
  for (std::uint64_t round = 0;; ++round) {
    if (round % 64 == 63) poll();
    game.initial_state(state.data(), rng);
    for (int actions = 0; actions <= game.horizon();) {
      const int player = game.player(state.data());
      if (situations.is_end(state.data(), player, actions > 0)) break;
      if (player == CHANCE) {
        game.apply(state.data(), game.sample_chance(state.data(), rng));
        continue;
      }
      const int n = game.legal(state.data(), legal.data());
      if (!meet(state.data(), player, n)) return;
      game.apply(state.data(), legal[rng.below(static_cast<std::uint32_t>(n))]);
      ++actions;
    }
    if (!meet(nullptr, CHANCE, 0)) return;  // the round is over
  }
}

}  // namespace

std::vector<std::vector<double>> sample_hands(const GamePtr &game_ptr, std::size_t wanted, std::uint64_t seed,
                                              const Poll &poll) {
  const Game &game = *game_ptr;
  const bl_game &t = game.table();
  const auto hand = static_cast<std::size_t>(t.hand_features);
  std::vector<std::vector<double>> rows(static_cast<std::size_t>(game.stages()));
  std::vector<double> features(static_cast<std::size_t>(t.feature_count));
  StateBuffer seen(game);
  const auto is_full = [&](const std::vector<double> &of_stage) { return of_stage.size() >= wanted * hand; };
  std::size_t rounds = 0;
  int last_stage = -1;
  play_randomly(game, Situations(game_ptr, nullptr), seed, poll, [&](const void *state, int player, int) {
    if (!state) {
      last_stage = -1;
      return ++rounds < 20 * wanted && !std::all_of(rows.begin(), rows.end(), is_full);
    }
    const int stage = game.stage(state);
    std::vector<double> &of_stage = rows[static_cast<std::size_t>(stage)];
    // One row a stage: its actions do not change the hand.
    if (stage != last_stage && !is_full(of_stage)) {
      game.copy(seen.data(), state);
      game.conceal(seen.data(), player);
      t.features(t.self, seen.data(), player, features.data());
      of_stage.insert(of_stage.end(), features.begin(), features.begin() + t.hand_features);
    }
    last_stage = stage;
    return true;
  });
  return rows;
}

SetEstimate estimate_sets(const GamePtr &game, const BucketsPtr &buckets, std::uint64_t seed, const Poll &poll) {
  constexpr int DECISIONS = 100'000;
  Situations situations(game, buckets);
  std::unordered_map<std::uint64_t, int> met;
  double actions = 0;
  int decisions = 0;
  play_randomly(*game, situations, seed, poll, [&](const void *state, int player, int legal) {
    if (!state) return ++decisions < DECISIONS;  // a game without decisions ends too
    if (++met[situations.key(state, player)] == 1) actions += legal;
    return ++decisions < DECISIONS;
  });
  double once = 0, twice = 0;
  for (const auto &[key, times] : met) {
    once += times == 1;
    twice += times == 2;
  }
  const auto found = static_cast<double>(met.size());
  return {found + once * (once - 1) / (2 * (twice + 1)), met.empty() ? 0 : actions / found};
}

}  // namespace boardlab::tabular
