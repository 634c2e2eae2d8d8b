#include "ntuple/hogwild.h"

#include <atomic>

namespace boardlab::ntuple {

namespace {

// The network may outlive this work, and then belongs to one thread again.
class UseKernels {
 public:
  UseKernels(Network &network, const Kernels &chosen) : network_(network), before_(network.kernels()) {
    network_.use_kernels(chosen);
  }
  ~UseKernels() { network_.use_kernels(before_); }
  UseKernels(const UseKernels &) = delete;
  UseKernels &operator=(const UseKernels &) = delete;

 private:
  Network &network_;
  const Kernels &before_;
};

}  // namespace

HogwildLearner::HogwildLearner(NetworkPtr network, const TdSettings &settings, int threads, std::uint64_t seed)
    : TdLearner(network, settings, seed), workers_(threads) {
  for (int i = 1; i < threads; ++i) others_.push_back(std::make_unique<TdLearner>(network, settings, seed));
}

void HogwildLearner::follow(const Pace &pace) {
  TdLearner::follow(pace);
  for (const auto &other : others_) other->follow(pace);
}

std::int64_t HogwildLearner::train(std::int64_t episodes, const std::function<bool()> &stop) {
  const UseKernels use(*network_, *network_->kernels().shared);
  const std::int64_t begin = episodes_done, end = begin + episodes;
  std::atomic<std::int64_t> next{begin}, played{0};
  std::atomic<bool> stopped{false};
  // The number of an episode determines its alpha and epsilon, whichever thread plays it.
  const auto work = [&](TdLearner &worker, bool asks) {
    for (std::int64_t mine = 1; !stopped; ++mine) {
      const std::int64_t number = next.fetch_add(1);
      if (number >= end) break;
      worker.episodes_done = number;
      worker.episode(nullptr);
      ++played;
      if (asks && mine % 16 == 0 && stop && stop()) stopped = true;
    }
  };
  const std::uint64_t seed = rng.next();
  for (std::size_t i = 0; i < others_.size(); ++i) {
    others_[i]->rng = Rng(derive_seed(seed, i));
    others_[i]->actions_done = 0;
  }
  workers_.run(workers_.count(), [&](std::size_t thread, std::size_t) {
    try {
      work(thread ? *others_[thread - 1] : *this, thread == 0);
    } catch (...) {
      stopped = true;
      throw;
    }
  });
  for (const auto &other : others_) actions_done += other->actions_done;
  episodes_done = begin + played;
  return played;
}

}  // namespace boardlab::ntuple
