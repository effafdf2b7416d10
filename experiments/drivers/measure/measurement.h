#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "engines/interface/device_monitor.h"
#include "experiments/drivers/measure/pace.h"
#include "sim/core/token.h"

namespace speclab::experiments {

enum class FailureStatus : std::uint8_t;
class Workbench;

/// What became of a generation.
struct Measured {
  std::optional<FailureStatus> failed{};
  std::int64_t tokens = 0, ns = 0;  ///< of one that did not fail
};

/// Measures generations one by one, into the log of its bench.
class GenerationMeter {
 public:
  explicit GenerationMeter(Workbench& bench);
  /// The row is in the log when this returns, or why there is none. Behind a failure all begins as
  /// in a new process.
  /// @param attempts  how often it was tried before
  /// @throws what ends the run and not only a generation
  Measured measure(std::size_t row, int attempts);

 private:
  Workbench& bench_;
  PaceTaker pace_;
  std::unique_ptr<engines::DeviceMonitor> monitor_;  ///< null where no device tells of itself
};

/// Measures the generations of the plan that the log lacks, in the plan's order; those that failed
/// before once more.
void measure_generations(Workbench& bench);

/// Sixteen hexadecimal digits over the ids: equal text has equal hashes.
std::string output_hash(std::span<const Token> ids);

}  // namespace speclab::experiments
