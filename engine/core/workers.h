// A parallel-for thread pool.
#pragma once

#include <condition_variable>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "core/forks.h"

namespace boardlab {

class Workers {
 public:
  // The calling thread counts as one: with one thread, no other is started.
  explicit Workers(int threads) : count_(static_cast<std::size_t>(threads)) { start(); }
  ~Workers() {
    if (forks_ != forks()) abandon();
    if (pool_) end();
  }
  Workers(const Workers &) = delete;
  Workers &operator=(const Workers &) = delete;

  std::size_t count() const { return count_; }

  // Calls task(begin, end) for one part of 0 .. n-1 on each thread and waits for all. The parts depend only on n and
  // the number of threads. Rethrows the exception of the first part that failed.
  void run(std::size_t n, const std::function<void(std::size_t, std::size_t)> &task) {
    if (count_ == 1) return task(0, n);
    if (!pool_ || forks_ != forks()) {  // a forked process has no threads
      abandon();
      start();
    }
    Pool &pool = *pool_;
    {
      const std::lock_guard lock(pool.mutex);
      pool.task = &task;
      pool.n = n;
      pool.left = pool.threads.size();
      pool.failures.assign(count_, nullptr);
      ++pool.round;
    }
    pool.wake.notify_all();
    part(pool, 0);
    std::unique_lock lock(pool.mutex);
    pool.done.wait(lock, [&pool] { return pool.left == 0; });
    for (const auto &failure : pool.failures)
      if (failure) std::rethrow_exception(failure);
  }

 private:
  struct Pool {
    std::mutex mutex;
    std::condition_variable wake, done;
    const std::function<void(std::size_t, std::size_t)> *task = nullptr;
    std::vector<std::exception_ptr> failures;
    std::size_t n = 0, left = 0;
    std::uint64_t round = 0;
    bool stop = false;
    std::vector<std::thread> threads;
  };

  void start() {
    forks_ = forks();
    if (count_ == 1) return;
    pool_ = std::make_unique<Pool>();
    try {
      for (std::size_t t = 1; t < count_; ++t)
        pool_->threads.emplace_back([this, &pool = *pool_, t] { wait_for_work(pool, t); });
    } catch (...) {  // the system has no more threads
      end();
      throw;
    }
  }
  void end() {
    {
      const std::lock_guard lock(pool_->mutex);
      pool_->stop = true;
    }
    pool_->wake.notify_all();
    for (auto &thread : pool_->threads) thread.join();
    pool_.reset();
  }
  // In a forked process there is no thread to join, and a condition variable with waiters cannot be destroyed. Leaks
  // a few hundred bytes.
  void abandon() { static_cast<void>(pool_.release()); }
  void part(Pool &pool, std::size_t t) {
    try {
      (*pool.task)(pool.n *t / count_, pool.n * (t + 1) / count_);
    } catch (...) {
      pool.failures[t] = std::current_exception();
    }
  }
  void wait_for_work(Pool &pool, std::size_t t) {
    for (std::uint64_t seen = 0;;) {
      {
        std::unique_lock lock(pool.mutex);
        pool.wake.wait(lock, [&] { return pool.stop || pool.round != seen; });
        if (pool.stop) return;
        seen = pool.round;
      }
      part(pool, t);
      {
        const std::lock_guard lock(pool.mutex);
        if (--pool.left > 0) continue;
        pool.done.notify_one();
      }
    }
  }

  std::size_t count_;
  std::uint64_t forks_ = 0;
  std::unique_ptr<Pool> pool_;  // null with one thread
};

}  // namespace boardlab
