#include "experiments/drivers/journal/failures.h"

#include <new>

namespace speclab::experiments {
namespace {

bool stops_the_run(ExitCode code) {
  switch (code) {
    case ExitCode::interrupted:
    case ExitCode::terminated:
    case ExitCode::cannot_write:
    case ExitCode::corrupt_results:
    case ExitCode::locked:
    case ExitCode::invalid_measurement:
    case ExitCode::drift:
      return true;
    default:
      return false;
  }
}

template <typename Type>
bool is_a(const std::exception& error) {
  return dynamic_cast<const Type*>(&error) != nullptr;
}

}  // namespace

std::optional<FailureStatus> failure_status(const std::exception& error) {
  if (const auto* coded = dynamic_cast<const Error*>(&error); coded && stops_the_run(coded->code()))
    return std::nullopt;
  if (is_a<std::bad_alloc>(error) || is_a<OutOfMemoryError>(error))
    return FailureStatus::out_of_memory;
  if (is_a<NotFiniteError>(error)) return FailureStatus::not_finite;
  if (is_a<TimeoutError>(error)) return FailureStatus::timeout;
  if (is_a<DeviceError>(error)) return FailureStatus::device;
  return FailureStatus::exception;
}

bool leaves_doubt(FailureStatus status) {
  return status == FailureStatus::out_of_memory || status == FailureStatus::device;
}

int attempts_of(const RunLog& log, std::size_t row) {
  const auto found = log.failures().find(static_cast<std::int64_t>(row));
  return found == log.failures().end() ? 0 : found->second.attempts;
}

std::vector<std::size_t> open_generations(const Plan& plan, const RunLog& log) {
  std::vector<std::size_t> open;
  for (const std::size_t row : plan.order)
    if (!log.rows().contains(static_cast<std::int64_t>(row)) &&
        (attempts_of(log, row) < kMaxAttempts || log.retries_failed()))
      open.push_back(row);
  return open;
}

std::set<std::size_t> open_cells(const Plan& plan, const RunLog& log) {
  std::set<std::size_t> open;
  for (std::size_t row = 0; row < plan.generations.size(); ++row)
    if (const auto id = static_cast<std::int64_t>(row);
        !log.rows().contains(id) && !log.failures().contains(id))
      open.insert(plan.generations[row].cell);
  return open;
}

}  // namespace speclab::experiments
