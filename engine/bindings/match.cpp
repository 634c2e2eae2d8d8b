#include "arena/match.h"

#include <deque>
#include <map>
#include <mutex>
#include <optional>
#include <thread>

#include "bindings/searches.h"

namespace boardlab {

namespace {

// Finished games on their way to Python. They arrive in any order and are handed over in the order of the games.
class InOrder {
 public:
  explicit InOrder(std::int64_t first) : next_(first) {}

  void put(std::int64_t index, GameRecord record) {
    const std::lock_guard lock(mutex_);
    const auto place = static_cast<std::size_t>(index - next_);
    if (place >= waiting_.size()) waiting_.resize(place + 1);
    waiting_[place] = std::move(record);
  }
  std::vector<GameRecord> take() {
    const std::lock_guard lock(mutex_);
    std::vector<GameRecord> ready;
    for (; !waiting_.empty() && waiting_.front(); waiting_.pop_front(), ++next_)
      ready.push_back(std::move(*waiting_.front()));
    return ready;
  }

 private:
  std::mutex mutex_;
  std::int64_t next_;  // the game that waiting_[0] is for
  std::deque<std::optional<GameRecord>> waiting_;
};

// The agents of each thread: clones where the engine can make them, otherwise agents that Python made for it.
struct Team {
  std::vector<std::unique_ptr<Search>> clones;
  std::unique_ptr<Evaluator> judge;
  Players players;
};

std::vector<Team> make_teams(const std::vector<std::vector<SearchPtr>> &agents, const Evaluator *judge,
                             std::int64_t games) {
  std::vector<Team> teams(
      static_cast<std::size_t>(std::min(static_cast<std::int64_t>(agents.size()), std::max<std::int64_t>(games, 1))));
  std::map<const PySearch *, std::size_t> shared;  // agents that cannot be cloned, and the only thread they play on
  for (std::size_t t = 0; t < teams.size(); ++t) {
    for (const SearchPtr &agent : agents[t]) {
      teams[t].clones.push_back(agent->search->clone());
      Search *clone = teams[t].clones.back().get();
      if (!clone && shared.emplace(agent.get(), t).first->second != t)
        throw std::invalid_argument("an agent written in Python plays on one thread only");
      teams[t].players.agents.push_back(clone ? clone : agent->search.get());
    }
    if (judge) teams[t].judge = judge->clone();
    teams[t].players.judge = teams[t].judge.get();
  }
  return teams;
}

// Plays all games, one thread for each team. `receive` gets finished games in the order of the games, several at a
// time; it throws to stop the match. The number of games in a call depends on timing, the games themselves do not.
void play_match(const GamePtr &game, std::vector<Team> &teams, const MatchPlan &plan, const nb::callable &receive) {
  InOrder finished(plan.first);
  std::atomic<std::int64_t> next{plan.first}, done{plan.first};
  std::atomic<bool> stop{false};
  struct Stopped {};
  std::exception_ptr failure;
  std::mutex failure_mutex;
  const auto work = [&](Team &team, const std::function<void()> &poll) {
    for (Search *search : team.players.agents) search->set_poll(poll);
    if (team.judge) team.judge->poll = poll;
    for (std::int64_t i; !stop && (i = next++) < plan.games; poll()) {
      finished.put(i, play_game(*game, team.players, plan, i));
      ++done;
    }
  };
  // Exceptions must leave a thread only through `failure`; the first one stops the others.
  const auto guarded = [&](const auto &task) {
    try {
      task();
    } catch (const Stopped &) {
    } catch (...) {
      const std::lock_guard lock(failure_mutex);
      if (!failure) failure = std::current_exception();
      stop = true;
    }
  };
  const auto help = [&](Team &team) {
    guarded([&] {
      work(team, [&stop] {
        if (stop) throw Stopped{};
      });
    });
  };
  {
    const WithoutGil release;
    SignalPoll signals;
    std::vector<std::thread> helpers;
    auto last = std::chrono::steady_clock::now();
    bool is_enough = false;  // whether the receiver has stopped the match
    const auto hand_over = [&] {
      const Gil gil;
      try {
        const nb::object games = nb::cast(finished.take());
        in_python([&] { receive(games); });
      } catch (...) {
        is_enough = true;
        throw;
      }
    };
    const auto poll = [&] {
      if (stop) throw Stopped{};
      signals();
      const auto now = std::chrono::steady_clock::now();
      if (now - last < std::chrono::milliseconds(100)) return;
      hand_over();
      last = std::chrono::steady_clock::now();
    };
    guarded([&] {
      for (std::size_t t = 1; t < teams.size(); ++t) helpers.emplace_back(help, std::ref(teams[t]));
      work(teams[0], poll);
      while (done < plan.games) {  // the others still play: Ctrl-C must reach them
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
        poll();
      }
      hand_over();
    });
    for (auto &helper : helpers) helper.join();
    if (failure && !is_enough) guarded(hand_over);  // Ctrl-C loses none of the games before the first unfinished one
    for (Team &team : teams)                        // an agent that was not cloned outlives this call
      for (Search *search : team.players.agents) search->set_poll([] {});
  }
  if (failure) std::rethrow_exception(failure);
}

}  // namespace

void bind_match(nb::module_ &m) {
  nb::class_<GameRecord>(m, "GameRecord", "One game of a match.")
      .def_ro("seats", &GameRecord::seats)
      .def_ro("actions", &GameRecord::actions)
      .def_ro("scores", &GameRecord::scores)
      .def_ro("values", &GameRecord::values)
      .def_ro("seconds", &GameRecord::seconds)
      .def_ro("decisions", &GameRecord::decisions)
      .def_ro("seed", &GameRecord::seed)
      .def_ro("start", &GameRecord::start)
      .def_ro("adjudicated", &GameRecord::adjudicated)
      .def_ro("faulty_seat", &GameRecord::faulty_seat)
      .def_ro("resigned", &GameRecord::resigned)
      .def_ro("error", &GameRecord::error);

  m.def(
      "match_start",
      [](const std::shared_ptr<Game> &game, std::uint64_t seed) {
        auto state = std::make_shared<PyState>(game);
        Rng rng = start_rng(seed);
        game->initial_state(state->data(), rng);
        return state;
      },
      nb::arg("game"), nb::arg("seed"), "The initial state of a recorded game.");
  m.def(
      "can_clone", [](const SearchPtr &agent) { return agent->search->clone() != nullptr; }, nb::arg("agent"),
      "Whether the engine can make a copy of this agent for another thread.");
  m.def(
      "play_match",
      [](const std::shared_ptr<Game> &game, const std::vector<std::vector<SearchPtr>> &teams, std::int64_t first,
         std::int64_t games, std::uint64_t seed, const std::vector<std::vector<int>> &seatings, std::int64_t round_size,
         std::int64_t random_actions, const std::vector<std::shared_ptr<PyState>> &starts, bool keep_values,
         const EvaluatorPtr &judge, double threshold, std::int64_t patience, const nb::callable &receive) {
        MatchPlan plan;
        plan.games = static_cast<std::int64_t>(checked_count("games", games, 1, 100000000));
        plan.first = static_cast<std::int64_t>(checked_count("first", first, 0, games));
        plan.seed = seed;
        plan.random_actions = static_cast<int>(checked_count("random_actions", random_actions, 0, 1000000));
        plan.keep_values = keep_values;
        plan.seatings = seatings;
        plan.round_size = static_cast<std::int64_t>(checked_count("round_size", round_size, 1, 100000000));
        plan.adjudication.threshold = threshold;
        plan.adjudication.patience = static_cast<int>(checked_count("patience", patience, 1, 1000000));
        if (judge && (game->players() != 2 || !game->is_zero_sum()))
          throw std::invalid_argument("an evaluator can adjudicate only two-player zero-sum games");
        if (judge && judge->game_ptr() != game) throw std::invalid_argument("the judge was made for another game");
        if (judge && judge->outcome() != SCORE) throw std::invalid_argument("a judge must estimate the score");
        for (const auto &start : starts) {
          if (!start) throw std::invalid_argument("a match starts from states, not from None");
          if (start->game != game) throw std::invalid_argument("a start state belongs to another game");
          if (start->seen_by >= 0) throw std::invalid_argument("a match needs full states to start from");
          plan.starts.push_back(start->buffer);
          plan.before_starts.push_back(start->history);
        }
        checked_count("threads", static_cast<std::int64_t>(teams.size()), 1, 1024);
        const std::size_t agents = teams[0].size();
        if (seatings.empty()) throw std::invalid_argument("a match needs at least one seating");
        for (const auto &seating : seatings) {
          if (seating.size() != static_cast<std::size_t>(game->players()))
            throw std::invalid_argument("a seating must name one agent for every player");
          for (const int agent : seating) checked_count("agent", agent, 0, static_cast<std::int64_t>(agents) - 1);
        }
        std::map<PySearch *, std::unique_ptr<Busy>> busy;
        for (const auto &team : teams) {
          if (team.size() != agents) throw std::invalid_argument("every thread needs the same agents");
          for (const SearchPtr &agent : team) {
            if (!agent) throw std::invalid_argument("a match is played by agents, not by None");
            if (agent->search->game_ptr() != game) throw std::invalid_argument("an agent was made for another game");
            if (!busy.contains(agent.get())) busy[agent.get()] = std::make_unique<Busy>(*agent);
          }
        }
        auto players = make_teams(teams, judge.get(), plan.games - plan.first);
        play_match(game, players, plan, receive);
      },
      nb::arg("game"), nb::arg("teams"), nb::arg("first"), nb::arg("games"), nb::arg("seed"), nb::arg("seatings"),
      nb::arg("round_size"), nb::arg("random_actions"), nb::arg("starts"), nb::arg("keep_values"),
      nb::arg("judge").none(), nb::arg("threshold"), nb::arg("patience"), nb::arg("receive"));
}

}  // namespace boardlab
