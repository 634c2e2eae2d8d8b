#include "search/alphabeta.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>

namespace boardlab {

namespace {

constexpr double INFINITE = PrincipalVariation::INFINITE;
constexpr int CUT = PrincipalVariation::CUT;
constexpr std::int64_t GROWTH = 32;  // an iteration visits at most about this many times the positions of all before
constexpr double UNKNOWN = std::numeric_limits<double>::quiet_NaN();

}  // namespace

AlphaBetaSearch::AlphaBetaSearch(std::unique_ptr<Evaluator> evaluator, AlphaBetaOptions options, std::uint64_t seed)
    : Search(std::move(evaluator), seed),
      options_(std::move(options)),
      search_(game_ptr(), evaluator_->outcome(), options_.table_bytes),
      workers_(options_.threads),
      child_(game()) {
  if (!is_two_player_zero_sum(game()))
    throw std::invalid_argument("alphabeta plays two-player zero-sum games without chance and hidden cards; for " +
                                game().name() + (game().is_hidden() ? " use ismcts" : " use maxn, expectimax or mcts"));
  search_.evaluator = evaluator_.get();
  search_.prob_cut = options_.prob_cut.get();
  search_.poll = [this] { poll(); };
  for (int i = 1; i < options_.threads; ++i) {
    Helper &helper = helpers_.emplace_back(Helper{evaluator_->clone(), search_.helper(), {}, {}});
    helper.search->evaluator = helper.evaluator.get();
    helper.search->prob_cut = search_.prob_cut;
  }
  if (options_.solve_below > 0) solver_.emplace(game_ptr(), evaluator_->outcome(), options_.table_bytes);
  if (options_.wld_below > 0) winner_.emplace(game_ptr(), SCORE, options_.table_bytes);
}

void AlphaBetaSearch::reset(std::uint64_t seed) {
  Search::reset(seed);
  search_.clear();
  for (Helper &helper : helpers_) {
    helper.evaluator->visit([](Evaluator &e) { e.reset(); });
    helper.search->clear();
  }
  if (solver_) solver_->clear();
  if (winner_) winner_->clear();
}

void AlphaBetaSearch::act(const void *state, Decision &out) {
  out.prepare(game(), state);
  deadline_ = options_.seconds > 0 ? PrincipalVariation::now() + options_.seconds : INFINITE;
  solving_nodes_ = 0;
  const double left = game().moves_left(state);
  if (solver_ && left <= options_.solve_below && solve(state, out)) return;
  if (winner_ && left <= options_.wld_below && solve_who_wins(state, out)) return;
  search_.begin();
  const std::uint64_t seed = rng.next();
  search_.rng = Rng(seed);
  search_.set_root(state);
  Root root{state, std::vector<std::size_t>(out.actions.size()), 0, {0, CUT}};
  std::iota(root.order.begin(), root.order.end(), std::size_t{0});
  // Random order among equals, so that games differ.
  for (std::size_t i = root.order.size(); i > 1; --i)
    std::swap(root.order[i - 1], root.order[rng.below(static_cast<std::uint32_t>(i))]);
  root.best = root.order.front();
  prepare_helpers(root, seed);
  deepen(root, out);
}

// Draws nothing from the search's own random numbers: with any number of threads, equal actions are drawn alike.
void AlphaBetaSearch::prepare_helpers(const Root &root, std::uint64_t seed) {
  for (Helper &helper : helpers_) {
    helper.evaluator->begin_decision();
    helper.search->begin();
    helper.search->rng = Rng(seed += 0x9E3779B97F4A7C15ull);
    helper.search->set_root(root.state);
  }
}

template <class SearchRoot>
void AlphaBetaSearch::together(Root &root, Decision &out, SearchRoot search) {
  if (helpers_.empty()) return search(search_, root, out.values);
  search_.reserve(GROWTH * search_.nodes);
  std::atomic<bool> is_done = false;
  for (Helper &helper : helpers_) {
    helper.root = root;
    helper.values = out.values;
    helper.search->stop = &is_done;
  }
  workers_.run(workers_.count(), [&](std::size_t thread, std::size_t) {
    if (thread == 0) {
      const struct Done {
        std::atomic<bool> &flag;
        ~Done() { flag = true; }
      } done{is_done};
      return search(search_, root, out.values);
    }
    Helper &helper = helpers_[thread - 1];
    try {
      search(*helper.search, helper.root, helper.values);
    } catch (const PrincipalVariation::OutOfBudget &) {
    }
  });
}

void AlphaBetaSearch::deepen(Root &root, Decision &out) {
  const double start = PrincipalVariation::now();
  std::vector<double> known = out.values;
  int reached = 0;
  PrincipalVariation::Found found{0, CUT};
  std::size_t best = root.best;
  const Range range = game().outcome_range(evaluator_->outcome());
  const double aspiration = range.loose ? INFINITE : (range.max - range.min) / 32;
  double past[2] = {UNKNOWN, UNKNOWN};
  // Deepens by two actions at a time, so that the same player moves last: a third cheaper. Against the clock, by one.
  const int step = options_.seconds > 0 ? 1 : 2;
  const int first = step == 2 && options_.depth % 2 == 0 ? 2 : 1;
  for (int depth = first; depth <= options_.depth && (depth == first || found.height == CUT); depth += step) {
    // The first iteration always finishes: there must be an answer.
    search_.deadline = depth > first ? deadline_ : INFINITE;
    try {
      // Expect a value near that of the iteration two actions shallower, in which the same player moved last.
      const double guess = depth > 2 ? past[depth % 2] : UNKNOWN;
      const double alpha = guess - aspiration, beta = guess + aspiration;
      together(root, out, [&](PrincipalVariation &search, Root &at, std::vector<double> &values) {
        if (options_.exact) return search_all(search, at, depth, out.actions, values);
        if (std::isfinite(alpha)) search_best(search, at, depth, alpha, beta, out.actions, values);
        if (!std::isfinite(alpha) || at.found.value <= alpha || at.found.value >= beta)
          search_best(search, at, depth, -INFINITE, INFINITE, out.actions, values);
      });
      past[depth % 2] = root.found.value;
    } catch (const PrincipalVariation::OutOfBudget &) {
      break;
    }
    known = out.values;
    best = root.best;
    found = root.found;
    reached = depth;
    std::stable_partition(root.order.begin(), root.order.end(), [&](std::size_t i) { return i == best; });
    if (options_.seconds > 0 && PrincipalVariation::now() > (start + deadline_) / 2) break;
  }
  out.values = known;
  out.action = out.actions[best];
  out.policy[best] = 1;
  const int player = game().player(root.state);
  out.scores[player] = out.values[best];
  out.scores[1 - player] = -out.values[best];
  search_.add_line(out.action, reached, out.values[best], out.line);
  const bool is_proven = found.height != CUT;
  std::int64_t nodes = solving_nodes_ + search_.nodes;
  for (const Helper &helper : helpers_) nodes += helper.search->nodes;
  out.info.emplace_back("nodes", static_cast<double>(nodes));
  // A proven value does not change with more depth; against the clock the given depth is no limit.
  out.info.emplace_back("depth", is_proven && options_.seconds <= 0 ? options_.depth : reached);
  out.info.emplace_back("proven", is_proven);
}

void AlphaBetaSearch::search_all(PrincipalVariation &search, Root &root, int depth, const std::vector<Action> &actions,
                                 std::vector<double> &values) {
  root.found = {-INFINITE, 0};
  for (const std::size_t i : root.order) {
    const auto found = search.after(actions[i], depth, -INFINITE, INFINITE);
    values[i] = found.value;
    root.found.height =
        root.found.height == CUT || found.height == CUT ? CUT : std::max(root.found.height, found.height);
    if (found.value > root.found.value) {
      root.found.value = found.value;
      root.best = i;
    }
  }
}

void AlphaBetaSearch::search_best(PrincipalVariation &search, Root &root, int depth, double alpha, double beta,
                                  const std::vector<Action> &actions, std::vector<double> &values) {
  std::fill(values.begin(), values.end(), UNKNOWN);
  root.found = {-INFINITE, 0};
  for (const std::size_t i : root.order) {
    const double null = std::nextafter(alpha, INFINITE);
    auto found = search.after(actions[i], depth, alpha, i == root.order.front() ? beta : null);
    if (i != root.order.front() && found.value > alpha) found = search.after(actions[i], depth, alpha, beta);
    root.found.height =
        root.found.height == CUT || found.height == CUT ? CUT : std::max(root.found.height, found.height);
    if (found.value > root.found.value) {
      root.found.value = found.value;
      root.best = i;
      alpha = std::max(alpha, found.value);
      if (alpha >= beta) return;  // the caller searches again with a wider window
    }
  }
  values[root.best] = root.found.value;
}

// A solution may take half of the time left. If it is not found, there is still time for deepening.
double AlphaBetaSearch::solving_deadline() const {
  return options_.seconds > 0 ? (PrincipalVariation::now() + deadline_) / 2 : INFINITE;
}

bool AlphaBetaSearch::solve(const void *state, Decision &out) {
  const int player = game().player(state);
  const double deadline = solving_deadline();
  EndgameSolver::Solution solution{};
  if (options_.exact) {
    for (std::size_t i = 0; i < out.actions.size(); ++i) {
      game().copy(child_.data(), state);
      game().apply(child_.data(), out.actions[i]);
      solution.nodes = 0;  // a finished game costs none
      bool is_solved = true;
      if (game().player(child_.data()) == TERMINAL)
        game().outcome(evaluator_->outcome(), child_.data(), solution.scores);
      else
        is_solved = solver_->solve(child_.data(), options_.solve_nodes - solving_nodes_, poll, solution, deadline);
      solving_nodes_ += solution.nodes;
      if (!is_solved) return out.prepare(game(), state), false;
      out.values[i] = solution.scores[player];
    }
    const auto best = std::max_element(out.values.begin(), out.values.end());
    solution.scores[player] = *best;
    solution.scores[1 - player] = -*best;
    solution.action = out.actions[static_cast<std::size_t>(best - out.values.begin())];
  } else {
    const bool is_solved = solver_->solve(state, options_.solve_nodes, poll, solution, deadline);
    solving_nodes_ += solution.nodes;
    if (!is_solved) return false;
    solver_->add_line(solution, player, out.line);
  }
  const std::size_t at = out.index_of(game(), solution.action);
  out.action = solution.action;
  out.policy[at] = 1;
  out.values[at] = solution.scores[player];
  std::copy(solution.scores, solution.scores + 2, out.scores);
  out.info.emplace_back("nodes", static_cast<double>(solving_nodes_));
  out.info.emplace_back("depth", game().moves_left(state));
  out.info.emplace_back("proven", 1);
  return true;
}

bool AlphaBetaSearch::solve_who_wins(const void *state, Decision &out) {
  EndgameSolver::Solution solution{};
  const bool is_solved = winner_->solve(state, options_.solve_nodes, poll, solution, solving_deadline());
  solving_nodes_ += solution.nodes;
  if (!is_solved) return false;
  // A lost position is searched as usual: it may still be won against a weaker opponent.
  if (solution.scores[game().player(state)] < 0) return false;
  const std::size_t at = out.index_of(game(), solution.action);
  out.action = solution.action;
  out.policy[at] = 1;
  winner_->add_line(solution, game().player(state), out.line);
  // The margin of the win is unknown, and the score has another unit than the evaluator's values.
  out.info.emplace_back("nodes", static_cast<double>(solving_nodes_));
  out.info.emplace_back("depth", game().moves_left(state));
  out.info.emplace_back("wins", solution.scores[game().player(state)]);
  return true;
}

}  // namespace boardlab
