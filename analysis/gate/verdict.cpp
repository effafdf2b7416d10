#include "analysis/gate/verdict.h"

#include <algorithm>
#include <array>

namespace speclab::analysis {
namespace {

/// From the least to the most weighty.
constexpr std::array kByWeight{GateVerdict::same, GateVerdict::fast, GateVerdict::ambiguous,
                               GateVerdict::invalid, GateVerdict::slow};

}  // namespace

std::string_view name(GateVerdict verdict) {
  switch (verdict) {
    case GateVerdict::same:
      return "SAME";
    case GateVerdict::fast:
      return "FAST";
    case GateVerdict::slow:
      return "SLOW";
    case GateVerdict::ambiguous:
      return "AMBIGUOUS";
    case GateVerdict::invalid:
      return "INVALID";
  }
  throw ContractError("no such verdict");
}

ExitCode exit_code(GateVerdict verdict) {
  switch (verdict) {
    case GateVerdict::same:
    case GateVerdict::fast:
      return ExitCode::ok;
    case GateVerdict::slow:
      return ExitCode::slower;
    case GateVerdict::ambiguous:
      return ExitCode::ambiguous;
    case GateVerdict::invalid:
      return ExitCode::invalid_measurement;
  }
  throw ContractError("no such verdict");
}

GateVerdict worst(std::span<const GateVerdict> verdicts) {
  if (verdicts.empty()) return GateVerdict::invalid;
  return std::ranges::max(verdicts, {}, [](GateVerdict verdict) {
    return std::ranges::find(kByWeight, verdict) - kByWeight.begin();
  });
}

}  // namespace speclab::analysis
