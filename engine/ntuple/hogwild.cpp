#include "ntuple/hogwild.h"

#include <atomic>

namespace boardlab::ntuple {

namespace {

float load(const float &x) { return std::atomic_ref<float>(const_cast<float &>(x)).load(std::memory_order_relaxed); }
void store(float &x, float value) { std::atomic_ref<float>(x).store(value, std::memory_order_relaxed); }

float gather(const float *weights, const std::uint32_t *indices, int slots, float *kept) {
  float sum = 0;
  for (int i = 0; i < slots; ++i) sum += kept[i] = load(weights[indices[i]]);
  return sum;
}

float sum(const float *weights, const std::uint32_t *indices, int slots) {
  float total = 0;
  for (int i = 0; i < slots; ++i) total += load(weights[indices[i]]);
  return total;
}

float difference(const float *weights, const std::uint32_t *indices, const std::uint64_t *marks, int words,
                 const float *kept) {
  float total = 0;
  for (int word = 0; word < words; ++word)
    for (std::uint64_t bits = marks[word]; bits; bits &= bits - 1) {
      const int slot = 64 * word + __builtin_ctzll(bits);
      total += load(weights[indices[slot]]) - kept[slot];
    }
  return total;
}

void add(float *weights, const std::uint32_t *indices, const Shape &shape, float *copies, float change) {
  for (int i = 0; i < shape.slots; ++i) copies[i] = load(weights[indices[i]]);
  for (int i = 0; i < shape.slots; ++i) store(weights[indices[i]], copies[i] + change);
}

void learn(float *weights, Counter *counters, const std::uint32_t *indices, const Shape &shape, float *copies,
           const Step &step) {
  const float size = step.change < 0 ? -step.change : step.change;
  for (int i = 0; i < shape.slots; ++i) {
    const Counter &counter = counters[indices[i]];
    copies[3 * i] = load(weights[indices[i]]);
    copies[3 * i + 1] = load(counter.sum);
    copies[3 * i + 2] = load(counter.absolute);
  }
  for (int i = 0; i < shape.slots; ++i) {
    const float n = copies[3 * i + 1], a = copies[3 * i + 2];
    const float ratio = (n < 0 ? -n : n) / a;
    const float factor = step.coherence == Coherence::EXP ? fast_exp(step.beta * (ratio - 1.0f)) : ratio;
    store(weights[indices[i]], copies[3 * i] + step.rate * factor);
    store(counters[indices[i]].sum, n + step.change);
    store(counters[indices[i]].absolute, a + size);
  }
}

// The network keeps a pointer to its kernels and may outlive this work.
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

Kernels shared_kernels(const Kernels &level) {
  Kernels shared = level;
  shared.sum = sum;
  shared.gather = gather;
  shared.difference = difference;
  shared.add = add;
  shared.learn = learn;
  return shared;
}

HogwildLearner::HogwildLearner(NetworkPtr network, const TdSettings &settings, int threads, std::uint64_t seed)
    : TdLearner(network, settings, seed), workers_(threads) {
  for (int i = 1; i < threads; ++i) others_.push_back(std::make_unique<TdLearner>(network, settings, seed));
}

std::int64_t HogwildLearner::train(std::int64_t episodes, const std::function<bool()> &stop) {
  const Kernels shared = shared_kernels(network_->kernels());
  const UseKernels use(*network_, shared);
  const std::int64_t begin = episodes_done, end = begin + episodes;
  std::atomic<std::int64_t> next{begin}, played{0};
  std::atomic<bool> stopped{false};
  // An episode's number decides its alpha and epsilon, whoever plays it.
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
