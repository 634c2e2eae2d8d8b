#include "search/vote.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

namespace boardlab {

VoteSearch::VoteSearch(const Search &agent, int agents, int threads, std::uint64_t seed)
    : Search(agent.game_ptr(), seed), decisions_(static_cast<std::size_t>(agents)), workers_(threads) {
  for (int i = 0; i < agents; ++i) {
    agents_.push_back(agent.clone());
    if (!agents_.back())
      throw std::invalid_argument("vote needs an agent that can be copied, not one written in Python");
  }
  reset(seed);
}

void VoteSearch::reset(std::uint64_t seed) {
  Search::reset(seed);
  for (std::size_t i = 0; i < agents_.size(); ++i) agents_[i]->reset(derive_seed(seed, i + 1));
}

void VoteSearch::act(const void *state, Decision &out) {
  out.prepare(game(), state);
  struct GivenUp {};  // another thread has failed
  std::atomic<bool> failed{false};
  workers_.run(workers_.count(), [&](std::size_t begin, std::size_t end) {
    for (std::size_t t = begin; t < end; ++t) {
      try {
        for (std::size_t i = t; i < agents_.size(); i += workers_.count()) {
          agents_[i]->set_poll(t == 0 ? poll : Poll([&failed] {
            if (failed) throw GivenUp{};
          }));
          if (!failed) agents_[i]->act(state, decisions_[i]);
        }
      } catch (const GivenUp &) {
      } catch (...) {
        failed = true;
        throw;
      }
    }
  });
  for (const auto &agent : agents_) agent->set_poll([] {});
  const auto n = out.actions.size(), players = static_cast<std::size_t>(game().players());
  std::vector<double> votes(n, 0), known(n, 0), sums(n, 0);
  for (const Decision &decision : decisions_) {
    votes[out.index_of(game(), decision.action)] += 1;
    if (decision.values.size() != n) game().contradicts("legal");
    for (std::size_t a = 0; a < n; ++a) {
      if (std::isnan(decision.values[a])) continue;
      sums[a] += decision.values[a];
      known[a] += 1;
    }
  }
  const double most = *std::max_element(votes.begin(), votes.end());
  std::int64_t pick = rng.below(static_cast<std::uint32_t>(std::count(votes.begin(), votes.end(), most)));
  for (std::size_t a = 0; a < n; ++a) {
    out.policy[a] = votes[a] / static_cast<double>(agents_.size());
    if (known[a] > 0) out.values[a] = sums[a] / known[a];
    if (votes[a] == most && pick-- == 0) out.action = out.actions[a];
  }
  for (std::size_t p = 0; p < players; ++p) {
    out.scores[p] = 0;  // not known if one of them does not know it
    for (const Decision &decision : decisions_)
      if (decision.action == out.action) out.scores[p] += decision.scores[p] / most;
  }
  out.info.emplace_back("agents", static_cast<double>(agents_.size()));
  out.info.emplace_back("certainty", most / static_cast<double>(agents_.size()));
}

}  // namespace boardlab
