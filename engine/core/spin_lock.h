// A lock for very short waits: spins first, then yields to other threads.
#pragma once

#include <atomic>
#include <thread>

namespace boardlab {

class SpinLock {
 public:
  void lock() {
    for (int turn = 0; held_.exchange(true, std::memory_order_acquire); ++turn)
      while (held_.load(std::memory_order_relaxed)) {
        if (++turn > SPINS) std::this_thread::yield();
#if defined(__x86_64__) || defined(__i386__)
        __builtin_ia32_pause();
#endif
      }
  }
  void unlock() { held_.store(false, std::memory_order_release); }

 private:
  static constexpr int SPINS = 200;  // a few microseconds

  alignas(64) std::atomic<bool> held_{false};
};

}  // namespace boardlab
