#include "experiments/drivers/program/command_folders.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "analysis/tables/file_digests.h"

namespace speclab::experiments {
namespace {

/// Names of a folder in the order of the alphabet; none of a folder that is not there.
std::set<std::string> names_in(const std::string& folder) {
  std::set<std::string> names;
  std::error_code error;
  for (std::filesystem::directory_iterator at(folder, error), end; !error && at != end;
       at.increment(error))
    if (const std::string name = at->path().filename().string();
        !name.starts_with('.') && !name.ends_with(".part"))
      names.insert(escaped(name, 60));
  return names;
}

}  // namespace

void refuse_used_folder(const std::string& folder, std::span<const std::string> own) {
  constexpr std::size_t kShown = 3;
  const std::set<std::string> found = names_in(folder);
  const auto is_there = [&](const std::string& name) { return found.contains(name); };
  if (found.empty() || std::ranges::any_of(own, is_there)) return;
  std::vector<std::string> shown(found.begin(), found.end());
  shown.resize(std::min(kShown, shown.size()));
  throw ConfigError(
      fmt::format("{}: holds files of something else: {}{}; give another --output, or "
                  "--into-used-folder to write beside them",
                  escaped(folder, 200), fmt::join(shown, ", "),
                  found.size() > kShown ? fmt::format(" and {} more", found.size() - kShown) : ""));
}

std::vector<std::string> names_in_run_folder() {
  return {
      "journal", "lock", "shards", "slurm", "manifest.toml", "rows.csv", analysis::kDigestsFile};
}

void expect_distinct_folders(const std::vector<std::string>& folders) {
  std::set<std::filesystem::path> seen;
  for (const std::string& folder : folders)
    if (!seen.insert(std::filesystem::weakly_canonical(folder)).second)
      throw ConfigError(escaped(folder, 200) + " is given twice; give it once");
}

}  // namespace speclab::experiments
