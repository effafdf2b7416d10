#pragma once
#include <string>

namespace speclab::bench {

/// Path of a file in memory with that content, for readers that open files; there until the process
/// ends.
/// @throws Error(internal) if the system gives none
std::string memory_file(const std::string& content);

}  // namespace speclab::bench
