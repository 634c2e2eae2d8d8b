// How often this process was forked on the way from the one that loaded the engine. Threads do not survive a fork: who
// keeps some compares this number before using them.
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
