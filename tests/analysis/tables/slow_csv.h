#pragma once
// CSV read one byte at a time; shares no code with analysis/tables, so that the two can judge each
// other.

#include <optional>
#include <string>
#include <vector>

namespace speclab::testing {

using SlowCsvRow =
    std::vector<std::optional<std::string>>;  ///< a field of neither quotes nor bytes is missing

/// RFC 4180, but that LF alone ends a line too, a UTF-8 byte-order mark is skipped and a field may
/// have any bytes. @return the header and the
///   rows below it; nothing where a rule is broken: no line is blank, a carriage return stands
///   before a line feed or in quotes, quotes enclose a whole field, and all rows are as long as the
///   header, whose names are there and differ
std::optional<std::vector<SlowCsvRow>> read_csv_slowly(const std::string& bytes);

}  // namespace speclab::testing
