// A time limit for work in small steps. Reads the clock often enough to stop in time and seldom enough to cost nothing.
#pragma once

#include <chrono>
#include <cstdint>

namespace boardlab {

class Deadline {
 public:
  // 0 seconds = no limit.
  explicit Deadline(double seconds) : seconds_(seconds) {}

  // Whether it is time to read the clock and to poll for Ctrl-C, after `done` steps.
  bool is_due(std::int64_t done) const { return done >= next_; }
  // Reads the clock.
  bool is_over(std::int64_t done) {
    const double passed = elapsed();
    // Reading the clock costs a tenth of a fast step: read it every 64 fast steps, or after every slow one.
    next_ = done + (passed < 1e-3 * static_cast<double>(done) ? 64 : 1);
    return seconds_ > 0 && passed >= seconds_;
  }
  double elapsed() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point start_ = Clock::now();
  double seconds_;
  std::int64_t next_ = 0;
};

}  // namespace boardlab
