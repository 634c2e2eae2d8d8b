#include "search/solved.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>
#include <stdexcept>

namespace boardlab {

SolvedSearch::SolvedSearch(GamePtr g, std::size_t max_states, std::size_t table_bytes, std::uint64_t seed,
                           const Poll &while_solving)
    : Search(std::move(g), seed), size_(game().state_size()), players_(static_cast<std::size_t>(game().players())) {
  // A position's own bytes, values and length, and up to four slots.
  const std::size_t bytes = size_ + players_ * sizeof(double) + sizeof(float) + 4 * sizeof(std::uint32_t);
  is_bound_by_memory_ = table_bytes / bytes < max_states;
  max_states_ = std::min(max_states, table_bytes / bytes);
  if (game().is_hidden())
    throw std::invalid_argument("the cards of " + game().name() +
                                " are hidden: it cannot be solved position by position");
  const auto range = game().outcome_range(SCORE);
  tolerance_ = 1e-12 * (range.max - range.min);  // means over chance differ in the last bits
  clear();
  StateBuffer start(game());
  Rng setup(seed);
  game().initial_state(start.data(), setup);
  set_poll(while_solving);
  solve(start.data());
  set_poll([] {});
}

SolvedSearch::SolvedSearch(const SolvedSearch &other)
    : Search(other.game_ptr(), 0),
      size_(other.size_),
      players_(other.players_),
      max_states_(other.max_states_),
      is_bound_by_memory_(other.is_bound_by_memory_),
      tolerance_(other.tolerance_),
      keys_(other.keys_),
      values_(other.values_),
      lengths_(other.lengths_),
      slots_(other.slots_) {}

void SolvedSearch::clear() {
  keys_.clear();
  values_.clear();
  lengths_.clear();
  slots_.assign(1 << 12, NONE);
}

std::size_t SolvedSearch::slot(const void *state) const {
  const std::size_t mask = slots_.size() - 1;
  std::size_t at = game().hash(state) & mask;
  while (slots_[at] != NONE && std::memcmp(key(slots_[at]), state, size_) != 0) at = (at + 1) & mask;
  return at;
}

void SolvedSearch::grow() {
  std::vector<std::uint32_t> old(slots_.size() * 2, NONE);
  old.swap(slots_);
  for (const std::uint32_t index : old)
    if (index != NONE) slots_[slot(key(index))] = index;
}

// Doubles the capacity, but not beyond max_states_: the last doubling could take twice the memory allowed. While
// positions are copied, up to half as much again is in use for a moment.
void SolvedSearch::reserve() {
  const std::size_t most = std::min(std::max<std::size_t>(2 * lengths_.size(), 1 << 10), max_states_);
  keys_.reserve(most * size_);
  values_.reserve(most * players_);
  lengths_.reserve(most);
}

std::uint32_t SolvedSearch::insert(const void *state) {
  if (lengths_.size() >= max_states_)
    throw std::invalid_argument(game().name() + " has more than " + std::to_string(max_states_) +
                                " positions here; raise " + (is_bound_by_memory_ ? "table_mb" : "max_states") +
                                ", or use alphabeta or mcts");
  if (lengths_.size() * 2 >= slots_.size()) grow();
  if (lengths_.size() == lengths_.capacity()) reserve();
  const auto index = static_cast<std::uint32_t>(lengths_.size());
  slots_[slot(state)] = index;
  const auto *bytes = static_cast<const unsigned char *>(state);
  keys_.insert(keys_.end(), bytes, bytes + size_);
  values_.resize(values_.size() + players_);
  lengths_.push_back(UNSOLVED);
  return index;
}

void SolvedSearch::open(std::size_t ply, const void *state, std::uint32_t index) {
  while (frames_.size() <= ply) {
    const auto most = static_cast<std::size_t>(game().max_legal());
    frames_.push_back({StateBuffer(game()), 0, 0, 0, 0, std::vector<Action>(most), std::vector<double>(most), {}, 0});
  }
  Frame &frame = frames_[ply];
  game().copy(frame.state.data(), state);
  frame.index = index;
  frame.player = game().player(state);
  frame.next = 0;
  frame.length = 0;
  std::fill(std::begin(frame.values), std::end(frame.values), 0.0);
  frame.count = 0;
  if (frame.player == CHANCE)
    frame.count = game().chance(state, frame.actions.data(), frame.probabilities.data());
  else if (frame.player != TERMINAL)
    frame.count = game().legal(state, frame.actions.data());
  else
    game().outcome(SCORE, state, frame.values);
}

void SolvedSearch::mover_values(int player, std::uint32_t child, double *values) const {
  std::copy_n(&values_[child * players_], players_, values);
  values[player] += game().step_reward();
}

// A player above the mean of all players prefers a short game, one below it a long game.
bool SolvedSearch::is_better(int player, const double *values, double length, const double *best,
                             double best_length) const {
  if (std::abs(values[player] - best[player]) > tolerance_) return values[player] > best[player];
  const double mean = std::accumulate(values, values + players_, 0.0) / static_cast<double>(players_);
  if (std::abs(values[player] - mean) <= tolerance_ || std::abs(length - best_length) < 1e-6) return false;
  return values[player] > mean ? length < best_length : length > best_length;
}

void SolvedSearch::take(Frame &frame, std::uint32_t child) const {
  const auto i = static_cast<std::size_t>(frame.next++);
  const double length = lengths_[child];
  if (frame.player == CHANCE) {
    const double weight = frame.probabilities[i];
    for (std::size_t p = 0; p < players_; ++p) frame.values[p] += weight * values_[child * players_ + p];
    frame.length += weight * length;
    return;
  }
  double values[MAX_PLAYERS] = {};
  mover_values(frame.player, child, values);
  if (i == 0 || is_better(frame.player, values, 1 + length, frame.values, frame.length)) {
    std::copy_n(values, players_, frame.values);
    frame.length = 1 + length;
  }
}

// Depth first without recursion: a position is solved when all its children are.
std::uint32_t SolvedSearch::solve(const void *root) {
  if (const std::uint32_t known = slots_[slot(root)]; known != NONE) return known;
  StateBuffer child(game());
  try {
    const std::uint32_t result = insert(root);
    open(0, root, result);
    std::size_t ply = 0;
    for (std::int64_t steps = 1;; ++steps) {
      if (steps % 4096 == 0) poll();
      Frame &frame = frames_[ply];
      if (frame.next == frame.count) {
        std::copy_n(frame.values, players_, &values_[frame.index * players_]);
        lengths_[frame.index] = static_cast<float>(frame.length);
        if (ply == 0) return result;
        take(frames_[ply - 1], frame.index);
        --ply;
        continue;
      }
      game().copy(child.data(), frame.state.data());
      game().apply(child.data(), frame.actions[static_cast<std::size_t>(frame.next)]);
      const std::uint32_t known = slots_[slot(child.data())];
      if (known == NONE) {
        open(++ply, child.data(), insert(child.data()));
      } else {
        if (lengths_[known] == UNSOLVED)
          throw std::invalid_argument("the positions of " + game().name() + " repeat: it cannot be solved this way");
        take(frame, known);
      }
    }
  } catch (...) {
    clear();  // drop half-solved positions
    throw;
  }
}

void SolvedSearch::act(const void *state, Decision &out) {
  out.prepare(game(), state);
  const int player = game().player(state);
  if (slots_[slot(state)] == NONE && lengths_.size() * 2 > max_states_) clear();  // the game started elsewhere
  solve(state);
  StateBuffer child(game());
  std::vector<double> found(out.actions.size() * players_), lengths(out.actions.size());
  std::size_t best = 0;
  for (std::size_t i = 0; i < out.actions.size(); ++i) {
    game().copy(child.data(), state);
    game().apply(child.data(), out.actions[i]);
    const std::uint32_t index = solve(child.data());
    mover_values(player, index, &found[i * players_]);
    lengths[i] = lengths_[index];
    out.values[i] = found[i * players_ + static_cast<std::size_t>(player)];
    if (is_better(player, &found[i * players_], lengths[i], &found[best * players_], lengths[best])) best = i;
  }
  std::vector<std::size_t> equals;
  for (std::size_t i = 0; i < out.actions.size(); ++i)
    if (!is_better(player, &found[best * players_], lengths[best], &found[i * players_], lengths[i]))
      equals.push_back(i);
  for (const std::size_t i : equals) out.policy[i] = 1.0 / static_cast<double>(equals.size());
  const std::size_t chosen = equals[rng.below(static_cast<std::uint32_t>(equals.size()))];
  out.action = out.actions[chosen];
  std::copy_n(&found[chosen * players_], players_, out.scores);
  out.info.emplace_back("positions", static_cast<double>(lengths_.size()));
  out.info.emplace_back("length", 1 + lengths[chosen]);
}

}  // namespace boardlab
