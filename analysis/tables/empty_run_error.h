#pragma once
#include <string>

#include "sim/system/errors.h"

namespace speclab::analysis {

/// A run that was interrupted before it measured anything, or of which everything failed.
class EmptyRunError : public DataError {
 public:
  using DataError::DataError;
};

/// @param table  rows.csv or acceptance.csv: what a run writes as soon as it has measured something
/// @throws EmptyRunError where the folder has none and its SHA256SUMS names none; a table that was
/// lost is left to its reader
void expect_measured(const std::string& folder, const std::string& table);

}  // namespace speclab::analysis
