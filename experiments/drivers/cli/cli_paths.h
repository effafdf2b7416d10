#pragma once
#include <CLI/CLI.hpp>

namespace speclab::experiments {

/// Lets "~" and "~USER" begin every option that names a file or folder: a shell leaves them as they
/// are in --option=~/file and inside quotes.
/// @param app  with all its commands and their options
void expand_homes(CLI::App& app);

}  // namespace speclab::experiments
