#pragma once
// Generations that fail: what of an error becomes an entry, and what is tried again.

#include <cstddef>
#include <exception>
#include <optional>
#include <set>
#include <vector>

#include "experiments/drivers/journal/run_log.h"
#include "experiments/drivers/plan/plan.h"
#include "sim/system/errors.h"

namespace speclab::experiments {

/// A generation took longer than it may.
class TimeoutError : public Error {
 public:
  explicit TimeoutError(const std::string& message) : Error(ExitCode::internal, message) {}
};

/// A generation is tried once, and once more when the run is resumed; after that only where that is
/// asked for.
inline constexpr int kMaxAttempts = 2;

/// @return nothing if the error is not the generation's: an interruption, a file that cannot be
/// written, a foreign journal
std::optional<FailureStatus> failure_status(const std::exception& error);

/// Whether what failed may have left the process unfit for the next generation: memory in pieces, a
/// device that answers no more.
bool leaves_doubt(FailureStatus status);

/// How often a generation without a row was tried.
int attempts_of(const RunLog& log, std::size_t row);
/// Generations that have neither a row nor failed kMaxAttempts times, or have no row where the log
/// retries what failed; in the plan's order.
std::vector<std::size_t> open_generations(const Plan& plan, const RunLog& log);
/// Cells of which a generation has neither a row nor failed.
std::set<std::size_t> open_cells(const Plan& plan, const RunLog& log);

}  // namespace speclab::experiments
