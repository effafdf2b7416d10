#include "analysis/tables/bridges.h"

#include <algorithm>
#include <filesystem>
#include <set>

#include "analysis/tables/table.h"

namespace speclab::analysis {
namespace {

VocabularyOverlap overlap_of(const Table& table, std::size_t row) {
  const VocabularyOverlap overlap{.shared = table.count(row, "shared_vocabulary"),
                                  .draft = table.count(row, "draft_vocabulary", 1),
                                  .target = table.count(row, "target_vocabulary", 1)};
  if (overlap.shared > std::min(overlap.draft, overlap.target))
    table.fail(row, "shared_vocabulary", "more tokens than one of both vocabularies has");
  return overlap;
}

}  // namespace

void add_bridge(CsvWriter& table, const BridgeRow& row) {
  const BridgeUse& use = row.use;
  table.field(row.row_id)
      .field(use.bridge)
      .field(use.draft_tokens)
      .field(use.spelling_ns)
      .field(use.unshared_outputs)
      .field(use.overlap.shared)
      .field(use.overlap.draft)
      .field(use.overlap.target)
      .end_row();
}

std::vector<BridgeRow> read_bridges(const std::string& path) {
  if (!std::filesystem::exists(path)) return {};
  const Table table = Table::read(path);
  table.expect_columns(kBridgeColumns);
  std::vector<BridgeRow> rows;
  std::set<std::int64_t> seen;
  for (std::size_t row = 0; row < table.size(); ++row) {
    if (!seen.insert(table.count(row, "row_id")).second)
      table.fail(row, "row_id", "a generation that has a row already");
    rows.push_back({.row_id = table.count(row, "row_id"),
                    .use = {.bridge = table.text(row, "bridge"),
                            .draft_tokens = table.count(row, "draft_tokens"),
                            .spelling_ns = table.count(row, "spelling_ns"),
                            .overlap = overlap_of(table, row),
                            .unshared_outputs = table.count(row, "unshared_outputs")}});
  }
  return rows;
}

}  // namespace speclab::analysis
