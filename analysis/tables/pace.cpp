#include "analysis/tables/pace.h"

#include <array>
#include <filesystem>
#include <string_view>

#include "analysis/tables/table.h"

namespace speclab::analysis {

std::vector<PaceRow> read_pace(const std::string& path) {
  constexpr std::array<std::string_view, 5> kColumns = {"row_id", "model", "rows", "context", "ns"};
  constexpr double kMostNs = 1e15;
  if (!std::filesystem::exists(path)) return {};
  const Table table = Table::read(path);
  table.expect_columns(kColumns);
  std::vector<PaceRow> paces;
  for (std::size_t row = 0; row < table.size(); ++row)
    paces.push_back({.row_id = table.count(row, "row_id"),
                     .model = table.text(row, "model"),
                     .rows = table.count(row, "rows", 1),
                     .context = table.count(row, "context"),
                     .ns = table.number_from(1, kMostNs, row, "ns")});
  return paces;
}

}  // namespace speclab::analysis
