#pragma once
#include "experiments/drivers/journal/entry_json.h"
#include "sim/system/errors.h"

namespace speclab::experiments {

/// Reads an entry of a cell. @throws DataError with its place if it is not of the kind's form
template <typename Found>
Found found_in(const CellEntry& entry, Found (*read)(const Json&)) {
  try {
    return read(entry.found);
  } catch (const DataError& error) {
    throw DataError(entry.where + ": " + error.what());
  }
}

}  // namespace speclab::experiments
