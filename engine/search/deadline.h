// When a search that counts its work in small steps looks at the clock: often enough to stop in time, seldom enough to
// cost nothing.
#pragma once

#include <chrono>
#include <cstdint>

namespace boardlab {

class Deadline {
 public:
  // 0 seconds: there is no limit.
  explicit Deadline(double seconds) : seconds_(seconds) {}

  // Whether the clock, and the poll for Ctrl-C, are to be looked at after so many steps.
  bool is_due(std::int64_t done) const { return done >= next_; }
  // Looks at the clock.
  bool is_over(std::int64_t done) {
    const double passed = elapsed();
    // The clock costs a tenth of a fast step, so that it is read every 64; after every slow one.
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
