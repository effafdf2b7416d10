#pragma once
#include "experiments/drivers/journal/entry_json.h"
#include "sim/system/errors.h"

namespace speclab::experiments {

/// What an entry of a cell says. @throws DataError if it is not of the kind's form
template <typename Found>
Found found_in(const CellEntry& entry, Found (*read)(const Json&)) {
  try {
    return read(entry.found);
  } catch (const Json::exception& error) {
    throw DataError(std::string("the journal's entry of a cell: ") + error.what());
  }
}

}  // namespace speclab::experiments
