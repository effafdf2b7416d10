#pragma once
#include <cstdint>
#include <fstream>
#include <span>
#include <string>

namespace speclab::experiments {

/// Writes a table of float32 row by row in NumPy's format. The file has its name only when it is
/// whole.
class NpyFile {
 public:
  /// @throws WriteError naming the file
  NpyFile(std::string path, std::int64_t rows, std::int64_t columns);
  ~NpyFile();
  NpyFile(const NpyFile&) = delete;
  NpyFile& operator=(const NpyFile&) = delete;

  /// @param values  whole rows
  void append(std::span<const float> values);
  /// Gives the file its name. @throws ContractError if rows are missing; WriteError
  void finish();

 private:
  void require_written() const;

  std::string path_;
  std::int64_t values_left_;
  std::ofstream out_;
};

}  // namespace speclab::experiments
