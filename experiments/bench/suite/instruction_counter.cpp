#include "experiments/bench/suite/instruction_counter.h"

#include <linux/perf_event.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace speclab::bench {
namespace {

/// @return -1 where there is no such counter or it is not allowed
int open_counter() {
  perf_event_attr wanted{};
  wanted.type = PERF_TYPE_HARDWARE;
  wanted.size = sizeof(wanted);
  wanted.config = PERF_COUNT_HW_INSTRUCTIONS;
  wanted.exclude_kernel = 1;
  wanted.exclude_hv = 1;
  wanted.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
  constexpr pid_t kThisThread = 0;
  constexpr int kAnyCpu = -1, kNoGroup = -1;
  return static_cast<int>(::syscall(SYS_perf_event_open, &wanted, kThisThread, kAnyCpu, kNoGroup,
                                    PERF_FLAG_FD_CLOEXEC));
}

struct Reading {
  std::uint64_t count, enabled_ns, running_ns;
};

}  // namespace

InstructionCounter::InstructionCounter() : descriptor_(open_counter()) {}

InstructionCounter::~InstructionCounter() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

std::optional<std::uint64_t> InstructionCounter::read() const {
  Reading reading{};
  if (descriptor_ < 0 || ::read(descriptor_, &reading, sizeof(reading)) != sizeof(reading))
    return std::nullopt;
  if (reading.count == 0 || reading.enabled_ns != reading.running_ns) return std::nullopt;
  return reading.count;
}

}  // namespace speclab::bench
