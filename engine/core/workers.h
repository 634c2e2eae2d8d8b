// A few threads that wait for work on the same range again and again.
#pragma once

#include <condition_variable>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace boardlab {

class Workers {
 public:
  // The calling thread is one of them: with one there is no other.
  explicit Workers(int threads) {
    try {
      for (int t = 1; t < threads; ++t)
        threads_.emplace_back([this, t] { wait_for_work(static_cast<std::size_t>(t)); });
    } catch (...) {  // the system gives no more threads
      end();
      throw;
    }
  }
  ~Workers() { end(); }
  Workers(const Workers &) = delete;
  Workers &operator=(const Workers &) = delete;

  std::size_t count() const { return threads_.size() + 1; }

  // Calls task(begin, end) for one part of 0 .. n-1 on each thread and waits for all. The parts depend on n and the
  // number of threads alone. Throws what the first part that failed threw.
  void run(std::size_t n, const std::function<void(std::size_t, std::size_t)> &task) {
    if (threads_.empty()) return task(0, n);
    {
      const std::lock_guard lock(mutex_);
      task_ = &task;
      n_ = n;
      left_ = threads_.size();
      failures_.assign(count(), nullptr);
      ++round_;
    }
    wake_.notify_all();
    part(0);
    std::unique_lock lock(mutex_);
    done_.wait(lock, [this] { return left_ == 0; });
    for (const auto &failure : failures_)
      if (failure) std::rethrow_exception(failure);
  }

 private:
  void end() {
    {
      const std::lock_guard lock(mutex_);
      stop_ = true;
    }
    wake_.notify_all();
    for (auto &thread : threads_) thread.join();
  }
  void part(std::size_t t) {
    try {
      (*task_)(n_ *t / count(), n_ * (t + 1) / count());
    } catch (...) {
      failures_[t] = std::current_exception();
    }
  }
  void wait_for_work(std::size_t t) {
    for (std::uint64_t seen = 0;;) {
      {
        std::unique_lock lock(mutex_);
        wake_.wait(lock, [&] { return stop_ || round_ != seen; });
        if (stop_) return;
        seen = round_;
      }
      part(t);
      {
        const std::lock_guard lock(mutex_);
        if (--left_ > 0) continue;
      }
      done_.notify_one();
    }
  }

  std::mutex mutex_;
  std::condition_variable wake_, done_;
  const std::function<void(std::size_t, std::size_t)> *task_ = nullptr;
  std::vector<std::exception_ptr> failures_;
  std::size_t n_ = 0, left_ = 0;
  std::uint64_t round_ = 0;
  bool stop_ = false;
  std::vector<std::thread> threads_;  // last: they use what is above
};

}  // namespace boardlab
