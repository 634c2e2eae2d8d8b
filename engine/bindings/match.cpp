#include "arena/match.h"

#include <mutex>
#include <thread>

#include "bindings/searches.h"

namespace boardlab {

namespace {

// Plays all games, on several threads where every agent can be cloned. Records come back in the order of the
// games and do not depend on the number of threads.
std::vector<GameRecord> play_match(const GamePtr &game, const std::vector<SearchPtr> &agents, const MatchPlan &plan,
                                   int threads, const std::function<void(std::int64_t)> &progress) {
  // Lists that grow with the games that were played: a match that is stopped early must not pay for all of it.
  std::vector<std::vector<std::pair<std::int64_t, GameRecord>>> played(
      static_cast<std::size_t>(std::min<std::int64_t>(threads, plan.games)));
  std::vector<std::vector<std::unique_ptr<Search>>> clones(played.size());
  std::vector<std::vector<Search *>> teams(clones.size());
  for (std::size_t t = 0; t < clones.size(); ++t)
    for (const SearchPtr &agent : agents) {
      clones[t].push_back(agent->search->clone());
      if (!clones[t].back() && threads > 1)
        throw std::invalid_argument("an agent written in Python plays on one thread only");
      teams[t].push_back(clones[t].back() ? clones[t].back().get() : agent->search.get());
    }
  std::atomic<std::int64_t> next{0}, done{0};
  std::atomic<bool> stop{false};
  struct Stopped {};
  std::exception_ptr failure;
  std::mutex failure_mutex;
  const auto work = [&](std::size_t t, const std::function<void()> &poll) {
    for (Search *search : teams[t]) search->set_poll(poll);
    for (std::int64_t i; !stop && (i = next++) < plan.games; ++done) {
      played[t].emplace_back(i, play_game(*game, teams[t], plan, i));
      poll();
    }
  };
  // Nothing may leave a thread but through `failure`; the first one stops the others.
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
  const auto help = [&](std::size_t t) {
    guarded([&] {
      work(t, [&stop] {
        if (stop) throw Stopped{};
      });
    });
  };
  {
    const nb::gil_scoped_release release;
    SignalPoll signals;
    std::vector<std::thread> helpers;
    auto last = std::chrono::steady_clock::now();
    const auto poll = [&] {
      if (stop) throw Stopped{};
      signals();
      const auto now = std::chrono::steady_clock::now();
      if (now - last < std::chrono::milliseconds(100)) return;
      last = now;
      const nb::gil_scoped_acquire gil;
      progress(done);
    };
    guarded([&] {
      for (std::size_t t = 1; t < teams.size(); ++t) helpers.emplace_back(help, t);
      work(0, poll);
      while (done < plan.games) {  // the others still play: Ctrl-C must reach them
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
        poll();
      }
    });
    for (auto &helper : helpers) helper.join();
    for (Search *search : teams[0]) search->set_poll([] {});  // an agent that was not cloned outlives this call
  }
  if (failure) std::rethrow_exception(failure);
  progress(plan.games);
  std::vector<GameRecord> records(static_cast<std::size_t>(plan.games));
  for (auto &list : played)
    for (auto &[index, record] : list) records[static_cast<std::size_t>(index)] = std::move(record);
  return records;
}

}  // namespace

void bind_match(nb::module_ &m) {
  nb::class_<GameRecord>(m, "GameRecord", "One game of a match.")
      .def_ro("seats", &GameRecord::seats)
      .def_ro("actions", &GameRecord::actions)
      .def_ro("scores", &GameRecord::scores)
      .def_ro("seed", &GameRecord::seed)
      .def_ro("start", &GameRecord::start)
      .def_ro("faulty_seat", &GameRecord::faulty_seat)
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
      "play_match",
      [](const std::shared_ptr<Game> &game, const std::vector<SearchPtr> &agents, std::int64_t games,
         std::uint64_t seed, const std::vector<std::vector<int>> &seatings, std::int64_t random_actions,
         const std::vector<std::shared_ptr<PyState>> &starts, std::int64_t threads,
         const std::function<void(std::int64_t)> &progress) {
        MatchPlan plan;
        plan.games = static_cast<std::int64_t>(checked_count("games", games, 1, 100000000));
        plan.seed = seed;
        plan.random_actions = static_cast<int>(checked_count("random_actions", random_actions, 0, 1000000));
        plan.seatings = seatings;
        for (const auto &start : starts) {
          if (!start) throw std::invalid_argument("a match starts from states, not from None");
          if (start->game != game) throw std::invalid_argument("a start belongs to another game");
          if (start->seen_by >= 0) throw std::invalid_argument("a match needs full states to start from");
          plan.starts.push_back(start->buffer);
        }
        checked_count("threads", threads, 1, 1024);
        if (seatings.empty()) throw std::invalid_argument("a match needs at least one seating");
        for (const auto &seating : seatings) {
          if (seating.size() != static_cast<std::size_t>(game->players()))
            throw std::invalid_argument("a seating names one agent a player");
          for (const int agent : seating)
            checked_count("agent", agent, 0, static_cast<std::int64_t>(agents.size()) - 1);
        }
        std::vector<std::unique_ptr<Busy>> busy;
        for (const SearchPtr &agent : agents) {
          if (!agent) throw std::invalid_argument("a match is played by agents, not by None");
          if (agent->search->game_ptr() != game) throw std::invalid_argument("an agent was made for another game");
          busy.push_back(std::make_unique<Busy>(*agent));
        }
        return play_match(game, agents, plan, static_cast<int>(threads), progress);
      },
      nb::arg("game"), nb::arg("agents"), nb::arg("games"), nb::arg("seed"), nb::arg("seatings"),
      nb::arg("random_actions"), nb::arg("starts"), nb::arg("threads"), nb::arg("progress"));
}

}  // namespace boardlab
