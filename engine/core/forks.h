// How many forks lie between this process and the one that loaded the engine. Threads do not survive a fork: compare
// this number before using threads that were started earlier.
#pragma once

#include <pthread.h>

#include <atomic>
#include <cstdint>

namespace boardlab {

inline std::uint64_t forks() {
  static std::atomic<std::uint64_t> count{0};
  static const int registered = pthread_atfork(nullptr, nullptr, [] { ++count; });
  static_cast<void>(registered);
  return count;
}

}  // namespace boardlab
