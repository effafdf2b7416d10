#pragma once
#include <cstdint>
#include <string>

namespace speclab::experiments {

/// Bytes per second at which a file is read past the page cache, one request after the other.
/// @param bytes  from the start of the file, or all if it is shorter
/// @throws DataError if the file cannot be read
double direct_read_rate(const std::string& path, std::int64_t bytes);

}  // namespace speclab::experiments
