#include "search/principal.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <span>

#include "search/prob_cut.h"
#include "search/search.h"

namespace boardlab {

namespace {
// A shallow search is tried if its bound is at most this many standard deviations from the evaluator's prediction.
constexpr double GATE = 0.5;
// Threads share the actions of nodes at least this far from the leaves; nearer to them it costs more than it saves.
constexpr int LEAST_SHARED_DEPTH = 3;
}  // namespace

// What the threads of a search are at: actions below a node that one of them searches. The others put such an action
// off, and find its value in the table when they come back to it. This is ABDADA (Weill 1996), simplified by Kerrigan:
// a mark that is lost or left behind costs time, and never changes a value.
class PrincipalVariation::Crowd {
 public:
  static std::uint64_t mark(std::uint64_t key, Action action, int depth) {
    return (key ^ static_cast<std::uint64_t>(action + 1) * 0x9E3779B97F4A7C15ull ^
            static_cast<std::uint64_t>(depth) * 0xC2B2AE3D27D4EB4Full) |
           1;  // 0 is a free place
  }
  bool has(std::uint64_t mark) const {
    for (const auto &at : row(mark))
      if (at.load(std::memory_order_relaxed) == mark) return true;
    return false;
  }
  void enter(std::uint64_t mark) {
    for (auto &at : row(mark))
      if (at.load(std::memory_order_relaxed) == 0) return at.store(mark, std::memory_order_relaxed);
    row(mark)[0].store(mark, std::memory_order_relaxed);
  }
  void leave(std::uint64_t mark) {
    for (auto &at : row(mark))
      if (at.load(std::memory_order_relaxed) == mark) at.store(0, std::memory_order_relaxed);
  }
  void clear() {
    for (auto &at : rows_) at.store(0, std::memory_order_relaxed);
  }

 private:
  static constexpr std::size_t WAYS = 4, ROWS = 1 << 12;
  std::span<std::atomic<std::uint64_t>, WAYS> row(std::uint64_t mark) {
    return std::span<std::atomic<std::uint64_t>, WAYS>(&rows_[(mark >> 32) % ROWS * WAYS], WAYS);
  }
  std::span<const std::atomic<std::uint64_t>, WAYS> row(std::uint64_t mark) const {
    return std::span<const std::atomic<std::uint64_t>, WAYS>(&rows_[(mark >> 32) % ROWS * WAYS], WAYS);
  }
  std::vector<std::atomic<std::uint64_t>> rows_ = std::vector<std::atomic<std::uint64_t>>(ROWS * WAYS);
};

std::unique_ptr<PrincipalVariation> PrincipalVariation::helper() {
  if (!crowd_) {
    table_->share();
    crowd_ = std::make_shared<Crowd>();
  }
  auto other = std::make_unique<PrincipalVariation>(game_, outcome_, 0);
  other->table_ = table_;
  other->crowd_ = crowd_;
  other->is_helper_ = true;
  return other;
}

double PrincipalVariation::now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

void PrincipalVariation::begin() {
  nodes = 0;
  if (!is_helper_) {
    table_->grow_older();
    if (crowd_) crowd_->clear();  // marks of a search that was stopped
  }
  for (double &h : history_) h /= 8;
  for (Frame &f : frames_) f.killers[0] = f.killers[1] = -1;
}

void PrincipalVariation::clear() {
  if (!is_helper_) table_->clear();
  std::fill(history_.begin(), history_.end(), 0.0);
}

PrincipalVariation::Frame &PrincipalVariation::frame(std::size_t ply) {
  while (frames_.size() <= ply) {
    check_plies(*game_, ply);
    const auto most = static_cast<std::size_t>(game_->max_legal());
    Frame fresh;
    fresh.state = StateBuffer(*game_);
    fresh.actions.resize(2 * most);
    fresh.scores.resize(most);
    fresh.reached.resize(most);
    frames_.push_back(std::move(fresh));
  }
  return frames_[ply];
}

void PrincipalVariation::set_root(const void *state) {
  Frame &root = frame(0);
  game_->copy(root.state.data(), state);
  root.player = game_->player(state);
}

void PrincipalVariation::spend() {
  ++nodes;
  if (nodes > node_limit || (stop && stop->load(std::memory_order_relaxed))) throw OutOfBudget{};
  if (nodes % 1024 == 0) {
    poll();
    if (deadline < INFINITE && now() > deadline) throw OutOfBudget{};
  }
}

PrincipalVariation::Found PrincipalVariation::after(std::size_t ply, Action action, int depth, double alpha,
                                                    double beta) {
  Frame &child = frame(ply + 1);
  const Frame &here = frames_[ply];
  game_->copy(child.state.data(), here.state.data());
  game_->apply(child.state.data(), action);
  return child_value(ply + 1, here.player, depth - 1, alpha, beta);
}

void PrincipalVariation::add_line(Action action, int depth, double value, std::vector<Action> &out) {
  const Range range = game_->outcome_range(outcome_);
  Frame &at = frame(1);
  game_->copy(at.state.data(), frames_[0].state.data());
  int player = frames_[0].player;
  while (true) {
    out.push_back(action);
    game_->apply(at.state.data(), action);
    const int mover = game_->player(at.state.data());
    if (mover < 0 || --depth <= 0) return;
    if (mover != player) value = -value;
    player = mover;
    Entry known;
    if (!table_->find(game_->hash(at.state.data()), known) || known.value != value) return;
    if (known.depth != depth && (known.height == CUT || known.height > depth)) return;
    // An upper bound for all replies does not name the best one, unless it is the worst value possible.
    if (known.bound == AT_MOST && (range.loose || value > range.min)) return;
    const auto end = at.actions.begin() + game_->legal(at.state.data(), at.actions.data());
    action = known.best;
    if (std::find(at.actions.begin(), end, action) == end) return;
  }
}

// The value of frame `ply` for `player`: a terminal state, a chance node or a player's position.
PrincipalVariation::Found PrincipalVariation::child_value(std::size_t ply, int player, int depth, double alpha,
                                                          double beta) {
  Frame &child = frames_[ply];
  child.player = game_->player(child.state.data());
  if (child.player == TERMINAL) {
    spend();
    double outcome[MAX_PLAYERS];
    game_->outcome(outcome_, child.state.data(), outcome);
    return {outcome[player], 0};
  }
  if (child.player == CHANCE) return average(ply, player, depth, alpha, beta);
  if (child.player == player) return value(ply, depth, alpha, beta);
  const Found reply = value(ply, depth, -beta, -alpha);
  return {-reply.value, reply.height};
}

// Star1: the outcomes still to come add values within the range. So each outcome is searched within a window only, and
// the rest are skipped when one falls outside its window.
PrincipalVariation::Found PrincipalVariation::average(std::size_t ply, int player, int depth, double alpha,
                                                      double beta) {
  spend();
  Frame &here = frames_[ply];
  if (depth <= 0) {
    double values[MAX_PLAYERS];
    evaluator->value(here.state.data(), rng, values);
    return {values[player], CUT};
  }
  const Range range = game_->outcome_range(outcome_);
  const bool prunes = !range.loose && evaluator && evaluator->stays_in_range();
  const double slack = 1e-9 * (range.max - range.min);  // against rounding: do not cut by mistake
  const int count = game_->chance(here.state.data(), here.actions.data(), here.scores.data());
  Frame &child = frame(ply + 1);
  double sum = 0, rest = 1;
  int height = 1;
  for (int i = 0; i < count; ++i) {
    const double p = here.scores[static_cast<std::size_t>(i)];
    rest -= p;
    double low = -INFINITE, high = INFINITE;
    if (prunes) {
      low = (alpha - sum - std::max(rest, 0.0) * range.max) / p - slack;
      high = (beta - sum - std::max(rest, 0.0) * range.min) / p + slack;
    }
    game_->copy(child.state.data(), here.state.data());
    game_->apply(child.state.data(), here.actions[static_cast<std::size_t>(i)]);
    const Found found = child_value(ply + 1, player, depth, low, high);
    height = height == CUT || found.height == CUT ? CUT : std::max(height, found.height);
    sum += p * found.value;
    if (found.value <= low) return {std::min(sum + rest * range.max, alpha), height};
    if (found.value >= high) return {std::max(sum + rest * range.min, beta), height};
  }
  return {sum, height};
}

// Orders the actions from `begin` on.
void PrincipalVariation::order(Frame &here, int begin, int end, int depth) {
  const auto n = static_cast<std::size_t>(end - begin);
  Action *actions = here.actions.data() + begin;
  double *scores = here.scores.data() + begin;
  const double *history =
      &history_[static_cast<std::size_t>(here.player) * static_cast<std::size_t>(game_->action_count())];
  // Evaluating all children costs as much as a node one above the leaves: worth it from three above on.
  const bool asks = evaluator && depth >= 4 && !is_to_the_end(depth);
  if (asks) {
    evaluator->action_values(here.state.data(), {actions, n}, rng, scores);
  } else {
    for (std::size_t i = 0; i < n; ++i) {
      const Action a = actions[i];
      scores[i] = history[a] + (a == here.killers[0] ? 2e9 : a == here.killers[1] ? 1e9 : 0);
    }
  }
  // Insertion sort: the lists are short, and equal scores keep the order of the rules.
  for (std::size_t i = 1; i < n; ++i) {
    const double score = scores[i];
    const Action action = actions[i];
    std::size_t j = i;
    for (; j > 0 && scores[j - 1] < score; --j) {
      scores[j] = scores[j - 1];
      actions[j] = actions[j - 1];
    }
    scores[j] = score;
    actions[j] = action;
  }
}

void PrincipalVariation::reward(Frame &here, Action action, int depth) {
  if (here.killers[0] != action) {
    here.killers[1] = here.killers[0];
    here.killers[0] = action;
  }
  const double weight = is_to_the_end(depth) ? 1 : depth * depth;
  double &h = history_[static_cast<std::size_t>(here.player) * static_cast<std::size_t>(game_->action_count()) +
                       static_cast<std::size_t>(action)];
  h = std::min(h + weight, 1e8);
}

// In a search to the end: an action that ends the game at or above beta, or leads to such a position of the table,
// makes the others unnecessary. Table entries are prefetched: most of them are not in a cache.
bool PrincipalVariation::won_at_once(std::size_t ply, int count, double beta, Found &found, Action &action) {
  Frame &child = frame(ply + 1);
  Frame &here = frames_[ply];
  for (int i = 0; i < count; ++i) {
    Reached &reached = here.reached[static_cast<std::size_t>(i)];
    action = here.actions[static_cast<std::size_t>(i)];
    game_->copy(child.state.data(), here.state.data());
    game_->apply(child.state.data(), action);
    reached.player = game_->player(child.state.data());
    if (reached.player == TERMINAL) {
      double outcome[MAX_PLAYERS];
      game_->outcome(outcome_, child.state.data(), outcome);
      found = {outcome[here.player], 1};
      if (found.value >= beta) return true;
    } else {
      reached.key = game_->hash(child.state.data());
      table_->prefetch(reached.key);
    }
  }
  for (int i = 0; i < count; ++i) {
    const Reached &reached = here.reached[static_cast<std::size_t>(i)];
    if (reached.player == TERMINAL) continue;
    Entry known;
    if (!table_->find(reached.key, known) || known.height == CUT) continue;
    const bool same = reached.player == here.player;
    if (known.bound != EXACT && (known.bound == AT_LEAST) != same) continue;
    found = {same ? known.value : -known.value, known.height + 1};
    action = here.actions[static_cast<std::size_t>(i)];
    if (found.value >= beta) return true;
  }
  return false;
}

bool PrincipalVariation::cut_early(std::size_t ply, int depth, double alpha, double beta, Found &found) {
  Frame &here = frames_[ply];
  const ProbCut::Fit *fit = prob_cut->fit(game_->stage(here.state.data()), depth);
  if (!fit) return false;
  double guess[MAX_PLAYERS];
  evaluator->value(here.state.data(), rng, guess);
  // Tries only the nearer of the two bounds, and only if the shallow search is likely to reach it: otherwise it costs
  // more than it saves.
  const double expected = fit->guess.at(guess[here.player]);
  const double enough = prob_cut->shallow_for_beta(*fit, beta), little = prob_cut->shallow_for_alpha(*fit, alpha);
  const double rise = enough - expected, fall = std::isfinite(little) ? expected - little : INFINITE;
  if (std::min(rise, fall) > GATE * fit->guess.deviation) return false;
  const bool high = rise <= fall;
  const double bound = high ? enough : little;
  if (high) {
    if (value(ply, fit->shallow, std::nextafter(bound, -INFINITE), bound).value < bound) return false;
    found = {beta, CUT};
  } else {
    if (value(ply, fit->shallow, bound, std::nextafter(bound, INFINITE)).value > bound) return false;
    found = {alpha, CUT};
  }
  return true;
}

// Whether the table has a value that fits the window; fills in the action that it remembers in any case.
bool PrincipalVariation::is_known(std::uint64_t key, int depth, double alpha, double beta, Found &found,
                                  Action &best) const {
  Entry known;
  if (!table_->find(key, known)) return false;
  best = known.best;
  // Only the same depth: a deeper value would be as good, but results would depend on earlier searches.
  if (known.depth != depth && (known.height == CUT || known.height > depth)) return false;
  if (known.bound == AT_LEAST && known.value < beta) return false;
  if (known.bound == AT_MOST && known.value > alpha) return false;
  found = {known.value, known.height};
  return true;
}

PrincipalVariation::Found PrincipalVariation::value(std::size_t ply, int depth, double alpha, double beta) {
  spend();
  Frame &here = frame(ply);
  if (depth <= 0) {
    double values[MAX_PLAYERS];
    evaluator->value(here.state.data(), rng, values);
    return {values[here.player], CUT};
  }
  const std::uint64_t key = game_->hash(here.state.data());
  Action first = -1;
  Found best{-INFINITE, 0};
  if (is_known(key, depth, alpha, beta, best, first)) return best;
  Entry entry{};
  entry.key = key;
  entry.depth = static_cast<std::int16_t>(depth);
  const auto keep = [&](const Found &found, Bound bound, Action best) {
    entry.value = found.value;
    entry.height = static_cast<std::int16_t>(found.height);
    entry.bound = bound;
    entry.best = best;
    table_->store(entry);
    return found;
  };
  bool is_null = depth > 1 && std::nextafter(alpha, INFINITE) >= beta;  // the window is empty
  if (prob_cut && depth >= ProbCut::LEAST_DEPTH && !is_to_the_end(depth) && is_null &&
      cut_early(ply, depth, alpha, beta, best))
    return keep(best, best.value >= beta ? AT_LEAST : AT_MOST, first);

  const int count = game_->legal(here.state.data(), here.actions.data());
  Action best_action = here.actions[0];
  if (is_to_the_end(depth) && count > 1 && won_at_once(ply, count, beta, best, best_action))
    return keep(best, AT_LEAST, best_action);
  // The table's action is searched before the others are ordered: usually it makes them unnecessary.
  const auto remembered = std::find(here.actions.begin(), here.actions.begin() + count, first);
  if (remembered != here.actions.begin() + count)
    std::rotate(here.actions.begin(), remembered, remembered + 1);
  else
    first = -1;
  if (count > 1 && first < 0) order(here, 0, count, depth);
  best = {-INFINITE, 0};
  best_action = here.actions[0];
  const double alpha_at_start = alpha;
  int height = 0, later = 0;
  const bool shares = crowd_ && depth >= LEAST_SHARED_DEPTH;
  for (int i = 0; i < count + later; ++i) {
    if (i == 1 && first >= 0 && count > 2) order(here, 1, count, depth);
    const Action action = here.actions[static_cast<std::size_t>(i)];
    const std::uint64_t mark = shares ? Crowd::mark(key, action, depth) : 0;
    if (shares && i > 0 && i < count && crowd_->has(mark)) {
      here.actions[static_cast<std::size_t>(count + later++)] = action;
      continue;
    }
    if (i >= count && is_known(key, depth, alpha_at_start, beta, best, first)) return best;
    Found found;
    if (shares && i < count) crowd_->enter(mark);
    if (i == 0 || depth <= 1 || is_null) {
      found = after(ply, action, depth, alpha, beta);
    } else {
      found = after(ply, action, depth, alpha, std::nextafter(alpha, INFINITE));
      if (found.value > alpha && found.value < beta) found = after(ply, action, depth, alpha, beta);
    }
    if (shares && i < count) crowd_->leave(mark);
    height = height == CUT || found.height == CUT ? CUT : std::max(height, found.height);
    if (found.value > best.value) {
      best.value = found.value;
      best_action = action;
      alpha = std::max(alpha, found.value);
      if (alpha >= beta) {
        if (count > 1) reward(here, action, depth);
        // A lower bound rests on this action alone.
        best.height = found.height == CUT ? CUT : found.height + 1;
        return keep(best, AT_LEAST, action);
      }
      is_null = depth > 1 && std::nextafter(alpha, INFINITE) >= beta;
    }
  }
  best.height = height == CUT ? CUT : height + 1;
  return keep(best, best.value <= alpha_at_start ? AT_MOST : EXACT, best_action);
}

}  // namespace boardlab
