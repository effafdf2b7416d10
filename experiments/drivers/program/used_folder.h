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

/// Names that `speclab run` gives in its folder and that are hardly a user's, as times.csv may be.
std::vector<std::string> names_in_run_folder();

}  // namespace speclab::experiments
