#include "experiments/drivers/program/build_info.h"

#include <algorithm>
#include <array>

namespace speclab::experiments {
namespace {

constexpr std::array<ExitCodeWords, 15> kCodes{{
    {ExitCode::ok, "complete", "success"},
    {ExitCode::internal, "internal_error", "internal error"},
    {ExitCode::config, "refused", "config or usage"},
    {ExitCode::corrupt_results, "corrupt_results", "corrupt results"},
    {ExitCode::locked, "locked", "run folder locked by another process"},
    {ExitCode::drift, "drift", "not the run that was begun, not the target's law, not the paper's"},
    {ExitCode::some_cells_failed, "some_failed", "some cells failed"},
    {ExitCode::bad_model_file, "bad_model_file", "bad model file"},
    {ExitCode::cannot_write, "cannot_write", "cannot write: permission, full disk"},
    {ExitCode::device_missing, "device_missing", "device missing"},
    {ExitCode::slower, "slower", "compare: the head is slower, or accepts less"},
    {ExitCode::ambiguous, "ambiguous", "ambiguous: a name or a difference"},
    {ExitCode::invalid_measurement, "invalid_measurement", "invalid measurement"},
    {ExitCode::interrupted, "interrupted", "interrupted; the run can be resumed"},
    {ExitCode::terminated, "terminated", "terminated; the run can be resumed"},
}};

}  // namespace

std::span<const ExitCodeWords> exit_codes() { return kCodes; }

const char* to_string(ExitCode code) {
  return std::ranges::find(kCodes, code, &ExitCodeWords::code)->name;
}

}  // namespace speclab::experiments
