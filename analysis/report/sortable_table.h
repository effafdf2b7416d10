#pragma once
// Tables of the report whose columns sort at a click and that copy at another.

#include <optional>
#include <string>
#include <vector>

#include "analysis/tables/estimate.h"

namespace speclab::analysis {

struct TableColumn {
  std::string title;
  bool is_text = false;
};

/// What is shown and what is sorted by; an empty key sorts last. Of an estimate also the ends of
/// its interval, empty without one.
struct TableEntry {
  std::string html;
  std::string key;
  std::string low{}, high{};
};

TableEntry text_entry(const std::string& text);  ///< readable; a dash if empty
TableEntry setting_entry(double value);          ///< in all its digits
TableEntry estimate_entry(const std::optional<Estimate>& estimate, double factor = 1,
                          int digits = 3);
TableEntry value_entry(const std::optional<double>& value, double factor = 1, int digits = 3);

/// With a button that copies it as it is sorted: of every entry what it is sorted by, with all its
/// digits, and behind estimates the ends of their intervals in columns of their own.
/// @param rows  each with an entry a column
std::string sortable_table_html(const std::vector<TableColumn>& columns,
                                const std::vector<std::vector<TableEntry>>& rows);

}  // namespace speclab::analysis
