#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "analysis/tables/schema.h"
#include "sim/core/records.h"

namespace speclab::analysis {

/// A generation whose drafter has another tokenizer than the target.
struct BridgeRow {
  std::int64_t row_id = 0;
  BridgeUse use;
};

/// bridges.csv
const Schema<BridgeRow>& bridges_table();
/// No rows if the file is missing. @throws DataError naming file, line and column
std::vector<BridgeRow> read_bridges(const std::string& path);

}  // namespace speclab::analysis
