#include "analysis/tables/file_digests.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <sstream>

#include "sim/system/errors.h"
#include "sim/system/files.h"
#include "sim/system/sha256.h"

namespace speclab::analysis {
namespace {

constexpr std::size_t kDigits = 64;
constexpr std::string_view kBetween = "  ";

bool is_line(const std::string& line) {
  const std::size_t name = kDigits + kBetween.size();
  return line.size() > name && line.find_first_not_of("0123456789abcdef") == kDigits &&
         line.substr(kDigits, kBetween.size()) == kBetween &&
         line.find('/', name) == std::string::npos;
}

bool is_there(const std::string& folder, std::string_view name) {
  return std::filesystem::exists(fmt::format("{}/{}", folder, name));
}

/// Name and digest of every file; none where there are no digests.
std::vector<std::pair<std::string, std::string>> digests_of(const std::string& folder) {
  const std::string path = folder + "/" + kDigestsFile;
  if (!is_there(folder, kDigestsFile)) return {};
  std::istringstream lines(read_file(path));
  std::vector<std::pair<std::string, std::string>> digests;
  for (std::string line; std::getline(lines, line);) {
    if (!is_line(line))
      throw DataError(fmt::format("{}: '{}'; allowed: a SHA-256, two blanks, a file's name", path,
                                  escaped(line)));
    digests.emplace_back(line.substr(kDigits + kBetween.size()), line.substr(0, kDigits));
  }
  return digests;
}

}  // namespace

std::string digest_lines(const std::vector<std::pair<std::string, std::string>>& files) {
  std::string lines;
  for (const auto& [name, content] : files)
    lines += fmt::format("{}{}{}\n", sha256_text(content), kBetween, name);
  return lines;
}

std::vector<std::string> changed_files(const std::string& folder) {
  if (!is_there(folder, kDigestsFile)) return {};
  const auto digests = digests_of(folder);
  std::vector<std::string> changed;
  for (const auto& [name, digest] : digests)
    if (is_there(folder, name) &&
        sha256_text(read_file(fmt::format("{}/{}", folder, name))) != digest)
      changed.push_back(name);
  for (const std::string name : kRunFiles)
    if (is_there(folder, name) &&
        std::ranges::find(digests, name, &std::pair<std::string, std::string>::first) ==
            digests.end())
      changed.push_back(name + " (no line in SHA256SUMS)");
  return changed;
}

std::vector<std::string> digested_files(const std::string& folder) {
  std::vector<std::string> names;
  for (const auto& [name, digest] : digests_of(folder)) names.push_back(name);
  return names;
}

void check_unchanged(const std::string& folder) {
  const std::vector<std::string> changed = changed_files(folder);
  if (changed.empty()) return;
  throw DataError(
      fmt::format("{}: changed after the run wrote {}: {}; `speclab run --repair` writes what the "
                  "journal holds again, or put the {} back from a copy",
                  folder, changed.size() == 1 ? "it" : "them", fmt::join(changed, ", "),
                  changed.size() == 1 ? "file" : "files"));
}

void expect_measured(const std::string& folder, const std::string& table) {
  if (std::filesystem::exists(folder + "/" + table) ||
      std::ranges::count(digested_files(folder), table) > 0)
    return;
  const bool have_failed = std::filesystem::exists(folder + "/failures.csv");
  throw EmptyRunError(folder + ": no " + table + ": " +
                      (have_failed ? "every generation failed, and failures.csv says why"
                                   : "nothing was measured before the run was interrupted, or the "
                                     "table was not kept; the same speclab run goes on where it "
                                     "stopped"));
}

}  // namespace speclab::analysis
