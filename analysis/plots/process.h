#pragma once
#include <string>
#include <vector>

namespace speclab::analysis {

/// Runs a program found on PATH, without a shell, with `input` as its standard input, and waits for
/// it. Its standard output is dropped.
/// @throws WriteError with what it wrote to standard error, if it cannot be started or does not
/// return 0, or if the
///         scratch file of its input cannot be written
void run_process(const std::vector<std::string>& arguments, const std::string& input);

}  // namespace speclab::analysis
