#include "analysis/io/costs.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "analysis/io/table.h"
#include "sim/core/errors.h"

namespace speclab::analysis {
namespace {

constexpr std::array<std::string_view, 13> kColumns = {"model", "drafter", "tree", "verifier", "regime", "kind", "rows", "context", "batch", "ns", "ns_low", "ns_high", "n"};

constexpr std::array<std::string_view, 4> kKinds = {"target", "draft", "prefill", "overhead"};

Estimate read_estimate(const Table& table, std::size_t row) {
  constexpr double kMostNs = 1e15;
  Estimate estimate{.value = table.number_from(0, kMostNs, row, "ns"), .interval = {}, .n = static_cast<std::size_t>(table.count(row, "n", 1))};
  const auto low = table.optional_number_from(0, kMostNs, row, "ns_low"), high = table.optional_number_from(0, kMostNs, row, "ns_high");
  if (low.has_value() != high.has_value()) table.fail(row, "ns_low", "both ends of the interval or none");
  if (low && (*low > estimate.value || estimate.value > *high)) table.fail(row, "ns_low", "must hold: ns_low <= ns <= ns_high");
  if (low) estimate.interval = Interval{*low, *high};
  return estimate;
}

CostRow read_row(const Table& table, std::size_t row) {
  if (const std::string kind = table.text(row, "kind"); std::ranges::count(kKinds, kind) == 0)
    table.fail(row, "kind", "'" + escaped(kind) + "'; allowed: target, draft, prefill, overhead");
  if (table.text(row, "kind") == "target" && table.number(row, "ns") <= 0) table.fail(row, "ns", "a forward takes some time");
  if (table.text(row, "kind") == "target" && table.optional_number(row, "ns_low").value_or(1) <= 0) table.fail(row, "ns_low", "a forward takes some time");
  const auto text = [&](std::string_view column) { return table.optional_text(row, column).value_or(""); };
  return {.model = table.text(row, "model"), .drafter = text("drafter"), .tree = text("tree"), .verifier = text("verifier"), .regime = text("regime"), .kind = table.text(row, "kind"),
          .rows = table.count(row, "rows", 1), .context = table.count(row, "context"), .batch = table.count(row, "batch", 1), .ns = read_estimate(table, row)};
}

}  // namespace

std::vector<CostRow> read_costs(const std::string& path) {
  const Table table = Table::read(path);
  table.expect_columns(kColumns);
  if (table.size() == 0) throw DataError(path + ": no rows; nothing was measured");
  std::vector<CostRow> costs;
  for (std::size_t row = 0; row < table.size(); ++row) costs.push_back(read_row(table, row));
  return costs;
}

}  // namespace speclab::analysis
