#include "search/ismcts.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

namespace boardlab {

IsmctsSearch::IsmctsSearch(std::unique_ptr<Evaluator> evaluator, IsmctsOptions options, std::uint64_t seed)
    : Search(std::move(evaluator), seed),
      options_(options),
      state_(game()),
      seen_(game()),
      observation_(static_cast<std::size_t>(std::max(game().table().observation_size, 1))),
      legal_(static_cast<std::size_t>(game().max_legal())) {
  if (options_.buckets && !options_.buckets->shape.empty()) situations_.emplace(game_ptr(), options_.buckets);
}

void IsmctsSearch::forget() {
  sets_.clear();
  edges_.clear();
  table_.assign(1024, 0);
  std::fill(std::begin(low_), std::end(low_), std::numeric_limits<double>::infinity());
  std::fill(std::begin(high_), std::end(high_), -std::numeric_limits<double>::infinity());
  std::fill(std::begin(root_sum_), std::end(root_sum_), 0.0);
}

std::uint64_t IsmctsSearch::key_of(const void *state, int player) {
  if (situations_) return situations_->key(state, player);
  const bl_game &table = game().table();
  std::uint64_t hash;
  if (table.observe) {
    const int length = table.observe(table.self, state, player, observation_.data());
    hash = 0xCBF29CE484222325ull;
    for (int i = 0; i < length; ++i) hash = (hash ^ observation_[static_cast<std::size_t>(i)]) * 0x100000001B3ull;
  } else {
    game().copy(seen_.data(), state);
    game().conceal(seen_.data(), player);
    hash = game().hash(seen_.data());
  }
  hash = derive_seed(hash, static_cast<std::uint64_t>(player));
  return hash ? hash : 1;
}

std::uint32_t &IsmctsSearch::slot(std::uint64_t key) {
  std::size_t at = key & (table_.size() - 1);
  while (table_[at] && sets_[table_[at] - 1].key != key) at = (at + 1) & (table_.size() - 1);
  return table_[at];
}

std::size_t IsmctsSearch::enter(std::uint64_t key, const void *state) {
  if (const std::uint32_t known = slot(key)) return known - 1;
  if (sets_.size() >= options_.max_nodes) return NONE;
  if (2 * (sets_.size() + 1) > table_.size()) {
    table_.assign(2 * table_.size(), 0);
    for (std::size_t i = 0; i < sets_.size(); ++i) slot(sets_[i].key) = static_cast<std::uint32_t>(i + 1);
  }
  const int n = game().legal(state, legal_.data());
  sets_.push_back({key, static_cast<std::uint32_t>(edges_.size()), static_cast<std::uint32_t>(n), 0});
  for (int i = 0; i < n; ++i) edges_.push_back({legal_[static_cast<std::size_t>(i)], 0, 0});
  slot(key) = static_cast<std::uint32_t>(sets_.size());
  return sets_.size() - 1;
}

// Draws an action from the smoothed visits.
std::size_t IsmctsSearch::draw(const InformationSet &set) {
  double left = rng.unit();
  std::size_t edge = set.first;
  for (; edge + 1 < set.first + set.count; ++edge)
    if ((left -= probability(set, edge)) < 0) break;
  return edge;
}

std::size_t IsmctsSearch::select(const InformationSet &node, int player) {
  const Edge *edges = &edges_[node.first];
  // Untried actions come first, at random.
  std::uint32_t untried = 0;
  for (std::uint32_t i = 0; i < node.count; ++i) untried += edges[i].visits == 0;
  if (untried) {
    std::uint32_t pick = rng.below(untried);
    for (std::uint32_t i = 0; i < node.count; ++i)
      if (edges[i].visits == 0 && pick-- == 0) return node.first + i;
  }
  const double width = high_[player] - low_[player], scale = width > 0 ? 1 / width : 0;
  const double log_visits = std::log(static_cast<double>(std::max<std::uint32_t>(node.visits, 2)));
  std::size_t best = 0;
  double best_score = -std::numeric_limits<double>::infinity();
  for (std::uint32_t i = 0; i < node.count; ++i) {
    const double q = (edges[i].value_sum / edges[i].visits - low_[player]) * scale;
    const double score = q + options_.c * std::sqrt(log_visits / edges[i].visits);
    if (score > best_score) {
      best_score = score;
      best = node.first + i;
    }
  }
  return best;
}

void IsmctsSearch::descend(bool from_deal, std::uint64_t first_key, int learner) {
  void *state = state_.data();
  path_.clear();
  double value[MAX_PLAYERS];
  for (bool is_first = true;;) {
    const int player = game().player(state);
    if (player == TERMINAL) {
      game().outcome(evaluator_->outcome(), state, value);
      break;
    }
    // The end of a round is a leaf: the next round starts afresh.
    if (!is_first && game().round_over(state)) {
      if (from_deal) keep_round_end(state);
      evaluator_->value(state, rng, value);
      break;
    }
    if (player == CHANCE) {
      game().apply(state, game().sample_chance(state, rng));
      continue;
    }
    // If information sets repeat, against the contract, a descent could circle for ever.
    const bool is_too_long = path_.size() >= static_cast<std::size_t>(game().horizon());
    const std::uint64_t key = is_first && first_key ? first_key : key_of(state, player);
    is_first = false;
    if (learner >= 0 && player != learner) {
      const std::uint32_t known = slot(key);
      if (!known) {
        evaluator_->value(state, rng, value);
        break;
      }
      game().apply(state, edges_[draw(sets_[known - 1])].action);
      continue;
    }
    const std::size_t set = is_too_long ? NONE : enter(key, state);
    if (set == NONE) {
      evaluator_->value(state, rng, value);
      break;
    }
    const std::size_t edge = select(sets_[set], player);
    path_.push_back({set, edge, player});
    game().apply(state, edges_[edge].action);
    if (edges_[edge].visits) continue;
    evaluator_->judge(state, rng, value);
    break;
  }
  back_up(value);
}

void IsmctsSearch::back_up(double *value) {
  bool through_root = false;
  for (auto step = path_.rbegin(); step != path_.rend(); ++step) {
    value[step->player] += game().step_reward();
    Edge &edge = edges_[step->edge];
    ++edge.visits;
    edge.value_sum += value[step->player];
    ++sets_[step->set].visits;
    low_[step->player] = std::min(low_[step->player], value[step->player]);
    high_[step->player] = std::max(high_[step->player], value[step->player]);
    through_root = through_root || sets_[step->set].key == root_key_;
  }
  for (int p = 0; p < game().players() && through_root; ++p) root_sum_[p] += value[p];
}

// The ends of a round differ in what was won. They are few if a search from the deal is possible at all.
void IsmctsSearch::keep_round_end(const void *state) {
  if (round_ends_.size() >= MOST_ROUND_ENDS) return;
  for (const StateBuffer &kept : round_ends_)
    if (game().equal(kept.data(), state)) return;
  round_ends_.emplace_back(game());
  game().copy(round_ends_.back().data(), state);
}

bool IsmctsSearch::leads_here(const StateBuffer *deal, Rng &scout) {
  void *state = state_.data();
  for (int i = 0; i < SCOUTS; ++i) {
    if (deal)
      game().copy(state, deal->data());
    else
      game().initial_state(state, scout);
    for (bool is_first = true;;) {
      const int player = game().player(state);
      if (player == TERMINAL || (!is_first && game().round_over(state))) break;
      if (player == CHANCE) {
        game().apply(state, game().sample_chance(state, scout));
        continue;
      }
      is_first = false;
      if (key_of(state, player) == root_key_) return true;
      const auto n = static_cast<std::uint32_t>(game().legal(state, legal_.data()));
      game().apply(state, legal_[scout.below(n)]);
    }
  }
  return false;
}

// Finds the deal of the present round: the start of the game, the last decision's deal, or an end of the last round.
void IsmctsSearch::find_deal() {
  if (!deal_ && round_ends_.empty()) return;
  Rng scout(derive_seed(rng.word, 1));
  if (deal_ && leads_here(&*deal_, scout)) return;
  deal_.reset();
  if (leads_here(nullptr, scout)) return;
  for (const StateBuffer &end : round_ends_)
    if (leads_here(&end, scout)) {
      deal_ = end;
      return;
    }
}

// Returns the visits of the present information set.
std::int64_t IsmctsSearch::run_from_deal(std::int64_t iterations) {
  for (std::int64_t i = 0; i < iterations; ++i) {
    if (i % 64 == 63) poll();
    if (deal_)
      game().copy(state_.data(), deal_->data());
    else
      game().initial_state(state_.data(), rng);
    descend(true, 0);
  }
  const std::uint32_t root = slot(root_key_);
  return root ? sets_[root - 1].visits : 0;
}

void IsmctsSearch::run_from_position(const void *root) {
  std::int64_t left = options_.iterations;
  double weight = 0;
  if (options_.weigh && game().can_retrace()) {
    imagine_worlds(root);
    study_answers(left / 2);
    left -= left / 2;
    weight = weigh_worlds();
  }
  for (std::int64_t i = 0; i < left; ++i) {
    if (i % 64 == 63) poll();
    if (weight > 0) {
      const double drawn = rng.unit() * weight;
      const auto is_below = [](const World &world, double w) { return world.weights_below <= w; };
      const auto end = worlds_.begin() + static_cast<std::ptrdiff_t>(world_count_);
      const auto found = std::lower_bound(worlds_.begin(), end - 1, drawn, is_below);
      game().copy(state_.data(), found->state.data());
    } else {
      determinize_into(state_.data(), root);
    }
    descend(false, root_key_, weight > 0 ? game().player(root) : -1);
  }
}

// Samples a full state that the player at `root` cannot tell from it.
void IsmctsSearch::determinize_into(void *state, const void *root) {
  const int me = game().player(root);
  game().copy(state, root);
  game().determinize(state, me, rng);
  if (key_of(state, me) != seen_key_)
    throw BrokenRules(game().name() + ": determinize must keep what the player sees; it led to another position");
}

void IsmctsSearch::imagine_worlds(const void *root) {
  const int me = game().player(root);
  world_count_ = static_cast<std::size_t>(std::clamp(options_.iterations / 4, FEWEST_WORLDS, MOST_WORLDS));
  while (worlds_.size() < world_count_) worlds_.push_back({StateBuffer(game()), StateBuffer(game()), {}, {}, 0});
  for (std::size_t w = 0; w < world_count_; ++w) {
    if (w % 64 == 63) poll();
    World &world = worlds_[w];
    determinize_into(world.state.data(), root);
    game().retrace(world.state.data(), world.start.data(), world.actions);
    world.answers.clear();
    void *state = state_.data();
    game().copy(state, world.start.data());
    for (std::size_t i = 0; i < world.actions.size(); ++i) {
      const int player = game().player(state);
      if (player >= 0 && player != me)
        world.answers.push_back(
            {key_of(state, player), i, static_cast<std::uint32_t>(game().legal(state, legal_.data()))});
      game().apply(state, world.actions[i]);
    }
  }
}

// Descents from what the others decided, which know their own cards alone.
void IsmctsSearch::study_answers(std::int64_t iterations) {
  for (std::int64_t i = 0; i < iterations; ++i) {
    if (i % 64 == 63) poll();
    const World &world = worlds_[static_cast<std::size_t>(i) % world_count_];
    const std::size_t which = rng.below(static_cast<std::uint32_t>(world.answers.size()) + 1);
    void *state = state_.data();
    int player;
    if (which == world.answers.size()) {
      game().copy(state, world.state.data());
      const int me = game().player(state);
      player = static_cast<int>(rng.below(static_cast<std::uint32_t>(game().players() - 1)));
      player += player >= me;
    } else {
      game().copy(state, world.start.data());
      for (std::size_t a = 0; a < world.answers[which].at; ++a) game().apply(state, world.actions[a]);
      player = game().player(state);
    }
    game().conceal(state, player);
    game().determinize(state, player, rng);
    descend(false, 0);
  }
}

// Returns the sum of the weights.
double IsmctsSearch::weigh_worlds() {
  double sum = 0, squares = 0;
  for (std::size_t w = 0; w < world_count_; ++w) {
    World &world = worlds_[w];
    double weight = 1;
    for (const Answer &answer : world.answers) {
      const std::uint32_t known = slot(answer.key);
      double visits = 0, all = 0;
      if (known) {
        const InformationSet &set = sets_[known - 1];
        all = set.visits;
        for (std::uint32_t i = set.first; i < set.first + set.count; ++i)
          if (edges_[i].action == world.actions[answer.at]) visits = edges_[i].visits;
      }
      weight *= (visits + SMOOTHING) / (all + SMOOTHING * answer.choices);
    }
    sum += weight;
    squares += weight * weight;
    world.weights_below = sum;
  }
  worlds_in_use_ = sum * sum / squares;
  return sum;
}

void IsmctsSearch::act(const void *state, Decision &out) {
  using Start = IsmctsOptions::Start;
  out.prepare(game(), state);
  const int player = game().player(state);
  game().copy(state_.data(), state);
  game().determinize(state_.data(), player, rng);
  root_key_ = key_of(state_.data(), player);
  worlds_in_use_ = 0;
  forget();
  bool from_deal = options_.start != Start::POSITION;
  if (from_deal) {
    find_deal();
    round_ends_.clear();
    const std::int64_t probe = std::min(options_.iterations, std::max<std::int64_t>(options_.iterations / 10, 100));
    const std::int64_t visits = run_from_deal(probe);
    from_deal = options_.start == Start::DEAL || 100 * visits >= LEAST_PERCENT * probe;
    if (!from_deal) {
      forget();
      round_ends_.clear();
    } else if (run_from_deal(options_.iterations - probe) == 0) {
      throw std::invalid_argument("ismcts never came from the deal to this position in " +
                                  std::to_string(options_.iterations) +
                                  " iterations; give it more, or start=\"position\"");
    }
  }
  if (!from_deal) {
    // A set of its own: the descents from other players' decisions meet it with other hands.
    seen_key_ = root_key_;
    root_key_ = derive_seed(root_key_, 1) | 1;
    run_from_position(state);
  }
  report(out, from_deal);
  out.info.emplace_back("iterations", static_cast<double>(options_.iterations));
  out.info.emplace_back("from_deal", from_deal);
  out.info.emplace_back("information_sets", static_cast<double>(sets_.size()));
  if (worlds_in_use_ > 0) out.info.emplace_back("worlds", worlds_in_use_);
}

void IsmctsSearch::report(Decision &out, bool from_deal) {
  using Choice = IsmctsOptions::Choice;
  const Choice choice = options_.choice != Choice::EITHER ? options_.choice
                        : from_deal                       ? Choice::SAMPLE
                                                          : Choice::VISITS;
  if (!slot(root_key_))
    throw BrokenRules(game().name() + ": determinize must keep what the player sees; no descent came through the " +
                      "position that it started from");
  const InformationSet &root = sets_[slot(root_key_) - 1];
  if (root.count != out.actions.size()) game().contradicts("legal");
  const double visits = root.visits;
  for (int p = 0; p < game().players(); ++p) out.scores[p] = root_sum_[p] / visits;
  double draw = rng.unit();
  const Edge *best = nullptr;
  for (std::uint32_t i = 0; i < root.count; ++i) {
    const Edge &edge = edges_[root.first + i];
    if (edge.action != out.actions[i]) game().contradicts("legal");
    const double share = edge.visits / visits;
    out.policy[i] = share;
    if (!edge.visits) continue;
    out.values[i] = edge.value_sum / edge.visits;
    if (choice == Choice::SAMPLE) {
      if (draw >= 0) best = &edge;
      draw -= share;
    } else if (!best || (choice == Choice::VALUE ? out.values[i] > best->value_sum / best->visits
                                                 : edge.visits > best->visits)) {
      best = &edge;
    }
  }
  out.action = best->action;
}

}  // namespace boardlab
