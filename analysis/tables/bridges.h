#pragma once
// bridges.csv: generations whose drafter has another tokenizer than the target.

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/tables/csv_writer.h"
#include "sim/core/records.h"

namespace speclab::analysis {

inline constexpr std::array<std::string_view, 8> kBridgeColumns = {
    "row_id",           "bridge",           "draft_tokens",
    "spelling_ns",      "unshared_outputs", "shared_vocabulary",
    "draft_vocabulary", "target_vocabulary"};

/// One row of bridges.csv.
struct BridgeRow {
  std::int64_t row_id = 0;
  BridgeUse use;
};

void add_bridge(CsvWriter& table, const BridgeRow& row);
/// No rows if the file is missing. @throws DataError naming file, line and column
std::vector<BridgeRow> read_bridges(const std::string& path);

}  // namespace speclab::analysis
