#include "analysis/io/costs.h"

#include <array>
#include <string_view>

#include "analysis/io/table.h"
#include "sim/core/errors.h"

namespace speclab::analysis {
namespace {

constexpr std::array<std::string_view, 12> kColumns = {"model", "drafter", "tree", "regime", "kind", "rows", "context", "batch", "ns", "ns_low", "ns_high", "n"};

std::int64_t at_least(std::int64_t least, const Table& table, std::size_t row, std::string_view column) {
  const std::int64_t value = table.integer(row, column);
  if (value < least) table.fail(row, column, std::to_string(value) + "; allowed: integers >= " + std::to_string(least));
  return value;
}

Estimate read_estimate(const Table& table, std::size_t row) {
  Estimate estimate{.value = table.number(row, "ns"), .interval = {}, .n = static_cast<std::size_t>(at_least(1, table, row, "n"))};
  const auto low = table.optional_number(row, "ns_low"), high = table.optional_number(row, "ns_high");
  if (low.has_value() != high.has_value()) table.fail(row, "ns_low", "both ends of the interval or none");
  if (low) estimate.interval = Interval{*low, *high};
  return estimate;
}

CostRow read_row(const Table& table, std::size_t row) {
  const auto text = [&](std::string_view column) { return table.optional_text(row, column).value_or(""); };
  return {.model = table.text(row, "model"), .drafter = text("drafter"), .tree = text("tree"), .regime = text("regime"), .kind = table.text(row, "kind"),
          .rows = at_least(1, table, row, "rows"), .context = at_least(0, table, row, "context"), .ns = read_estimate(table, row)};
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
