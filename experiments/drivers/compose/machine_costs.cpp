#include "experiments/drivers/compose/machine_costs.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <filesystem>
#include <utility>
#include <vector>

#include "analysis/tables/file_digests.h"
#include "sim/system/data_folder.h"
#include "sim/system/errors.h"
#include "sim/system/files.h"
#include "sim/system/versions.h"

namespace speclab::experiments {
namespace {

constexpr const char* kMachines = "results/machines";
constexpr std::array kKept{"costs.csv", "manifest.toml"};

bool has_costs(const std::string& folder) {
  std::error_code none;
  return std::filesystem::is_regular_file(folder + "/costs.csv", none);
}

/// The newest version with costs; empty if there is none.
std::string newest_costs(const std::string& machine) {
  std::vector<std::int64_t> versions = versions_in(machine);
  std::ranges::reverse(versions);
  for (const std::int64_t version : versions)
    if (std::string folder = version_folder(machine, version); has_costs(folder)) return folder;
  return "";
}

std::vector<std::string> machines_in(const std::string& folder) {
  std::vector<std::string> names;
  std::error_code none;
  for (const auto& entry : std::filesystem::directory_iterator(folder, none))
    if (!newest_costs(entry.path().string()).empty())
      names.push_back(escaped(entry.path().filename().string(), 60));
  std::ranges::sort(names);
  return names;
}

}  // namespace

std::string machine_folder(const std::string& machine) {
  if (has_costs(machine)) return machine;
  if (const std::string newest = newest_costs(machine); !newest.empty()) return newest;
  std::vector<std::string> names;
  for (const std::string& root : {std::string(kMachines), data_folder() + "/" + kMachines}) {
    const std::string folder = root + "/" + machine;
    if (has_costs(folder)) return folder;
    if (const std::string newest = newest_costs(folder); !newest.empty()) return newest;
    for (std::string& name : machines_in(root))
      if (std::ranges::find(names, name) == names.end()) names.push_back(std::move(name));
  }
  throw ConfigError(fmt::format(
      "--machine: '{}' is neither a folder with a costs.csv nor a machine of {}, which has: {}; "
      "measure one with speclab run experiments/configs/cost_surface.toml --machine NAME",
      escaped(machine, 100), kMachines,
      names.empty() ? "none" : fmt::format("{}", fmt::join(names, ", "))));
}

void check_machine_name(const std::string& machine) {
  const auto is_allowed = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '_' || c == '.';
  };
  if (machine.empty() || machine.size() > 100 || machine.front() == '.' || machine.front() == '-' ||
      !std::ranges::all_of(machine, is_allowed))
    throw ConfigError(fmt::format(
        "--machine: '{}'; allowed: a name of 1 to 100 letters, digits, '-', '_' and '.', which "
        "begins with none of '-' and '.'",
        escaped(machine, 100)));
}

void make_machine_folder(const std::string& machine) {
  check_machine_name(machine);
  make_folder(std::string(kMachines) + "/" + machine);
}

std::string keep_machine_costs(const std::string& run_folder, const std::string& machine) {
  make_machine_folder(machine);
  const std::string folder = std::string(kMachines) + "/" + machine;
  const std::string costs = read_file(run_folder + "/costs.csv");
  if (std::string newest = newest_costs(folder);
      !newest.empty() && read_file(newest + "/costs.csv") == costs)
    return newest;
  const std::vector<std::int64_t> versions = versions_in(folder);
  const std::string kept = version_folder(folder, versions.empty() ? 1 : versions.back() + 1);
  const std::string begun = kept + ".part";
  std::error_code none;
  std::filesystem::remove_all(begun, none);
  make_folder(begun);
  std::vector<std::pair<std::string, std::string>> files;
  for (const char* file : kKept) files.emplace_back(file, read_file(run_folder + "/" + file));
  for (const auto& [file, content] : files) write_file(begun + "/" + file, content);
  write_file(begun + "/" + analysis::kDigestsFile, analysis::digest_lines(files));
  std::error_code failure;
  std::filesystem::rename(begun, kept, failure);
  if (failure) throw WriteError(fmt::format("{}: cannot be written: {}", kept, failure.message()));
  return kept;
}

}  // namespace speclab::experiments
