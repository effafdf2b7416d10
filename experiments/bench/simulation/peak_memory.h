#pragma once
#include <cstdint>

namespace speclab::bench {

/// The most memory that this process ever had resident, bytes.
std::int64_t peak_memory_bytes();

}  // namespace speclab::bench
