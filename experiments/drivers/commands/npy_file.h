#pragma once
#include <cstdint>
#include <span>
#include <string>

#include "sim/system/files.h"

namespace speclab::experiments {

/// Writes a table of float32 row by row in NumPy's format. The file has its name only when it is
/// whole.
class NpyFile {
 public:
  /// @throws WriteError naming the file
  NpyFile(const std::string& path, std::int64_t rows, std::int64_t columns);

  /// @param values  whole rows @throws WriteError
  void append(std::span<const float> values);
  /// Gives the file its name. @throws ContractError if rows are missing; WriteError
  void finish();

 private:
  std::int64_t values_left_;
  WholeFile file_;
};

}  // namespace speclab::experiments
