#include "experiments/drivers/reproduce/comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sim/core/errors.h"

namespace speclab::experiments {
namespace {

/// NaN is never within.
bool is_within(const Comparison& row, double tolerance) { return std::abs(row.ours - *row.paper) <= tolerance; }

bool is_row_of(const Slip& slip, const Comparison& row) { return row.setting == slip.setting && row.quantity == slip.quantity; }

Verdict verdict_of(const Comparison& row) {
  if (!std::isfinite(row.ours)) return Verdict::disagrees;
  if (!row.paper || !row.tolerance) return Verdict::context;
  return is_within(row, *row.tolerance) ? Verdict::agrees : Verdict::disagrees;
}

/// A slip nobody finds any more is an error of our list.
void judge_slip(const Slip& slip, std::vector<Comparison>& rows) {
  bool is_met = false;
  for (Comparison& row : rows) {
    if (!is_row_of(slip, row) || row.verdict != Verdict::disagrees || !slip.allowed || !is_within(row, *slip.allowed)) continue;
    row.verdict = Verdict::known_slip;
    row.note = slip.name;
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
    case Verdict::known_slip:
      return "known_slip";
    case Verdict::context:
      return "context";
    case Verdict::disagrees:
      return "disagrees";
  }
  throw_contract_error("a Verdict", __FILE__, __LINE__, "not a Verdict");
}

void judge(Reproduction& reproduction, const std::vector<Slip>& slips) {
  for (Comparison& row : reproduction.rows) row.verdict = verdict_of(row);
  for (const Slip& slip : slips)
    if (!slip.quantity.empty()) judge_slip(slip, reproduction.rows);
}

void VerdictCounts::add(const VerdictCounts& other) {
  agrees += other.agrees;
  known_slips += other.known_slips;
  context += other.context;
  disagrees += other.disagrees;
}

VerdictCounts count_verdicts(const std::vector<Comparison>& rows) {
  const auto count = [&](Verdict verdict) { return static_cast<int>(std::ranges::count(rows, verdict, &Comparison::verdict)); };
  return {count(Verdict::agrees), count(Verdict::known_slip), count(Verdict::context), count(Verdict::disagrees)};
}

std::string text_of(const VerdictCounts& counts) {
  return fmt::format("{} rows: {} agree, {} known slips, {} context, {} disagree",
                     counts.agrees + counts.known_slips + counts.context + counts.disagrees, counts.agrees, counts.known_slips, counts.context,
                     counts.disagrees);
}

}  // namespace speclab::experiments
