#include "analysis/tables/costs.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "analysis/tables/table.h"
#include "sim/system/errors.h"

namespace speclab::analysis {
namespace {

constexpr std::array<std::string_view, 13> kColumns = {
    "model",   "drafter", "tree", "verifier", "regime",  "kind", "rows",
    "context", "batch",   "ns",   "ns_low",   "ns_high", "n"};

constexpr std::array kKinds = {sim::CostKind::target, sim::CostKind::draft, sim::CostKind::prefill,
                               sim::CostKind::overhead};
constexpr std::array kRegimes = {Regime::greedy, Regime::sampled};

/// The value whose name stands in the column.
template <typename Values>
typename Values::value_type named(const Table& table, std::size_t row, const char* column,
                                  const Values& values) {
  const std::string name = table.text(row, column);
  std::string allowed;
  for (const auto value : values) {
    if (name == to_string(value)) return value;
    allowed += std::string(allowed.empty() ? "" : ", ") + to_string(value);
  }
  table.fail(row, column, "'" + escaped(name) + "'; allowed: " + allowed);
}

std::optional<Regime> read_regime(const Table& table, std::size_t row) {
  if (!table.optional_text(row, "regime")) return std::nullopt;
  return named(table, row, "regime", kRegimes);
}

Estimate read_estimate(const Table& table, std::size_t row) {
  constexpr double kMostCostNs = 1e15;
  Estimate estimate{.value = table.number_from(0, kMostCostNs, row, "ns"),
                    .interval = {},
                    .n = static_cast<std::size_t>(table.count(row, "n", 1))};
  const auto low = table.optional_number_from(0, kMostCostNs, row, "ns_low"),
             high = table.optional_number_from(0, kMostCostNs, row, "ns_high");
  if (low.has_value() != high.has_value())
    table.fail(row, "ns_low", "both ends of the interval or none");
  if (low && (*low > estimate.value || estimate.value > *high))
    table.fail(row, "ns_low", "must hold: ns_low <= ns <= ns_high");
  if (low) estimate.interval = Interval{*low, *high};
  return estimate;
}

CostRow read_cost_row(const Table& table, std::size_t row) {
  const sim::CostKind kind = named(table, row, "kind", kKinds);
  if (kind == sim::CostKind::target && table.number(row, "ns") <= 0)
    table.fail(row, "ns", "a forward takes some time");
  if (kind == sim::CostKind::target && table.optional_number(row, "ns_low").value_or(1) <= 0)
    table.fail(row, "ns_low", "a forward takes some time");
  const auto text = [&](std::string_view column) {
    return table.optional_text(row, column).value_or("");
  };
  return {.model = table.text(row, "model"),
          .drafter = text("drafter"),
          .tree = text("tree"),
          .verifier = text("verifier"),
          .regime = read_regime(table, row),
          .kind = kind,
          .rows = table.count(row, "rows", 1),
          .context = table.count(row, "context"),
          .ns = read_estimate(table, row),
          .batch = table.count(row, "batch", 1)};
}

}  // namespace

const char* to_string(Regime regime) { return regime == Regime::greedy ? "greedy" : "sampled"; }

Regime regime_of(double temperature) { return temperature == 0 ? Regime::greedy : Regime::sampled; }

std::vector<CostRow> read_costs(const std::string& path) {
  const Table table = Table::read(path);
  table.expect_columns(kColumns);
  if (table.size() == 0) throw DataError(path + ": no rows; nothing was measured");
  std::vector<CostRow> costs;
  for (std::size_t row = 0; row < table.size(); ++row) costs.push_back(read_cost_row(table, row));
  return costs;
}

}  // namespace speclab::analysis
