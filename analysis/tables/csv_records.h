#pragma once
#include <cstddef>
#include <string_view>

namespace speclab::analysis {

/// Records of a CSV text, the header among them, without a look at their fields: RFC 4180 ends one
/// at a line feed outside of quotes. A last record without its line feed counts.
std::size_t num_csv_records(std::string_view csv);

}  // namespace speclab::analysis
