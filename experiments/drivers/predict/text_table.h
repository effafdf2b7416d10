#pragma once
#include <string>
#include <vector>

namespace speclab::experiments {

/// Columns two blanks apart: numbers to the right, columns that hold words to the left. Widths
/// count characters, not bytes.
class TextTable {
 public:
  explicit TextTable(std::vector<std::string> columns) : rows_{std::move(columns)} {}

  /// Before the first row.
  void add_column(std::string name) { rows_[0].push_back(std::move(name)); }
  /// @throws ContractError unless it has a field for each column
  void add_row(std::vector<std::string> row);
  std::string text() const;

 private:
  bool has_words(std::size_t column) const;

  std::vector<std::vector<std::string>> rows_;  ///< the first is the header
};

}  // namespace speclab::experiments
