#include "analysis/tables/csv_records.h"

namespace speclab::analysis {

std::size_t num_csv_records(std::string_view csv) {
  std::size_t records = 0;
  bool is_quoted = false, is_open = false;
  for (const char c : csv) {
    if (c == '"') is_quoted = !is_quoted;  // a doubled quote ends and begins
    is_open = is_quoted || c != '\n';
    records += is_open ? 0 : 1;
  }
  return records + (is_open ? 1 : 0);
}

}  // namespace speclab::analysis
