#pragma once
#include <chrono>
#include <cstdint>

namespace speclab::engines {

/// Nanoseconds of the monotonic clock.
inline std::int64_t now_ns() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

/// Splits a round's time into consecutive parts.
class LapClock {
 public:
  /// Nanoseconds since the last lap, or since construction.
  std::int64_t lap_ns() {
    const std::int64_t now = now_ns(), elapsed = now - last_;
    last_ = now;
    return elapsed;
  }

 private:
  std::int64_t last_ = now_ns();
};

}  // namespace speclab::engines
