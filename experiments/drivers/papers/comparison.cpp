#include "experiments/drivers/papers/comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "sim/system/errors.h"

namespace speclab::experiments {
namespace {

/// NaN is never within.
bool is_within(const Comparison& row, double tolerance) {
  return std::abs(row.ours - *row.reference) <= tolerance;
}

bool is_reachable(const Comparison& row) {
  return row.reachable && row.reachable->low - *row.tolerance <= *row.reference &&
         *row.reference <= row.reachable->high + *row.tolerance;
}

/// The row that has the slip's number.
bool is_row_of(const Slip& slip, const Comparison& row) {
  double printed = 0;
  const auto [end, error] =
      std::from_chars(slip.printed.data(), slip.printed.data() + slip.printed.size(), printed);
  const bool is_number = error == std::errc() && end == slip.printed.data() + slip.printed.size();
  return row.setting == slip.setting && row.quantity == slip.quantity && is_number &&
         row.reference && printed == *row.reference;
}

Verdict verdict_of(const Comparison& row) {
  if (!std::isfinite(row.ours)) return Verdict::disagrees;
  if (!row.reference || !row.tolerance) return Verdict::context;
  return is_within(row, *row.tolerance) ? Verdict::agrees : Verdict::disagrees;
}

void excuse(Comparison& row, const Slip& slip) {
  row.verdict = is_reachable(row) ? Verdict::input_rounding : Verdict::known_slip;
  row.note = slip.name;
  if (row.reachable)
    row.note += fmt::format(", rounding of the inputs allows {:.4g} to {:.4g}", row.reachable->low,
                            row.reachable->high);
}

/// A slip nobody finds any more is an error of our list.
void judge_slip(const Slip& slip, std::vector<Comparison>& rows) {
  bool is_met = false;
  for (Comparison& row : rows) {
    if (!is_row_of(slip, row) || row.verdict != Verdict::disagrees || !slip.allowed ||
        !is_within(row, *slip.allowed))
      continue;
    excuse(row, slip);
    is_met = true;
  }
  if (is_met) return;
  rows.push_back({.setting = slip.setting,
                  .quantity = slip.quantity,
                  .ours = 0.0,
                  .source = slip.source,
                  .locator = slip.locator,
                  .verdict = Verdict::disagrees,
                  .note = "slip " + slip.name + " meets no row that is off by what it allows"});
}

}  // namespace

const char* to_string(Verdict verdict) {
  switch (verdict) {
    case Verdict::agrees:
      return "agrees";
    case Verdict::input_rounding:
      return "input_rounding";
    case Verdict::known_slip:
      return "known_slip";
    case Verdict::context:
      return "context";
    case Verdict::disagrees:
      return "disagrees";
  }
  throw_contract_error("a Verdict", __FILE__, __LINE__, "not a Verdict");
}

const char* to_string(Origin origin) {
  switch (origin) {
    case Origin::printed:
      return "printed";
    case Origin::read_off:
      return "read_off";
    case Origin::recomputed:
      return "recomputed";
  }
  throw_contract_error("an Origin", __FILE__, __LINE__, "not an Origin");
}

void judge(Reproduction& reproduction, const std::vector<Slip>& slips) {
  for (Comparison& row : reproduction.rows) row.verdict = verdict_of(row);
  for (const Slip& slip : slips)
    if (!slip.quantity.empty()) judge_slip(slip, reproduction.rows);
}

void VerdictCounts::add(const VerdictCounts& other) {
  agrees_printed += other.agrees_printed;
  agrees_recomputed += other.agrees_recomputed;
  input_rounding += other.input_rounding;
  known_slips += other.known_slips;
  context += other.context;
  disagrees += other.disagrees;
}

VerdictCounts count_verdicts(const std::vector<Comparison>& rows) {
  const auto count = [&](Verdict verdict) {
    return static_cast<int>(std::ranges::count(rows, verdict, &Comparison::verdict));
  };
  const int recomputed = static_cast<int>(std::ranges::count_if(rows, [](const Comparison& row) {
    return row.verdict == Verdict::agrees && row.origin == Origin::recomputed;
  }));
  return {count(Verdict::agrees) - recomputed,
          recomputed,
          count(Verdict::input_rounding),
          count(Verdict::known_slip),
          count(Verdict::context),
          count(Verdict::disagrees)};
}

int count_slips_of_text(const std::vector<Slip>& slips) {
  return static_cast<int>(
      std::ranges::count_if(slips, [](const Slip& slip) { return slip.quantity.empty(); }));
}

std::string text_of_slips(int slips_of_text) {
  return slips_of_text == 0 ? "" : fmt::format("; {} slips of the text", slips_of_text);
}

std::string text_of(const VerdictCounts& counts) {
  return fmt::format(
      "{} rows: {} agree ({} printed, {} recomputed), {} within the rounding of inputs, {} known "
      "slips, {} context, {} disagree",
      counts.rows(), counts.agrees(), counts.agrees_printed, counts.agrees_recomputed,
      counts.input_rounding, counts.known_slips, counts.context, counts.disagrees);
}

}  // namespace speclab::experiments
