#pragma once
#include <span>
#include <string>
#include <vector>

namespace speclab::experiments {

/// Keeps a command from writing among files of another purpose. Hidden files and
/// unfinished ones, NAME.part, do not count.
/// @param own  names of files and folders that the command itself writes: where one of them is, the
/// folder is the command's
/// @throws ConfigError naming some of the files, and the option that allows them
void refuse_used_folder(const std::string& folder, std::span<const std::string> own);

/// The names that `speclab run` leaves in a run folder, finished or not.
std::vector<std::string> names_in_run_folder();

}  // namespace speclab::experiments
