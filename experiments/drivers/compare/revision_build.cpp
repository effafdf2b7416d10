#include "experiments/drivers/compare/gates.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "experiments/drivers/program/program_call.h"
#include "sim/system/errors.h"
#include "sim/system/files.h"

namespace speclab::experiments {
namespace {

constexpr const char* kSuite = "suite_bench";

std::string without_end_of_line(std::string text) {
  while (text.ends_with('\n')) text.pop_back();
  return text;
}

std::string last_lines(const std::string& text) {
  return escaped(text.substr(text.size() - std::min<std::size_t>(text.size(), 400)), 500);
}

BuildSide side_of_folder(const std::string& given) {
  const std::string program =
      std::filesystem::absolute(given + "/" + kSuite).lexically_normal().string();
  if (!std::filesystem::is_regular_file(program))
    throw ConfigError(
        fmt::format("'{}' is a folder without {}; allowed: a build folder (scripts/build release "
                    "{}), a run folder, or a revision",
                    escaped(given), kSuite, kSuite));
  return {given, program, program};
}

/// The 40 digits of a revision. `^{commit}` also refuses what would be read as an option.
std::string commit_of(const std::string& given) {
  const CommandAnswer answer = ask_command(
      {"git", "rev-parse", "--verify", "--quiet", "--end-of-options", given + "^{commit}"});
  const std::string commit = without_end_of_line(answer.text);
  const bool is_commit =
      answer.code == 0 && commit.size() >= 40 && std::ranges::all_of(commit, [](char c) {
        return std::isxdigit(static_cast<unsigned char>(c));
      });
  if (!is_commit)
    throw ConfigError(
        fmt::format("'{}' is neither a folder nor a revision of the repository here; allowed: "
                    "build folders, run folders, revisions such as HEAD~1",
                    escaped(given)));
  return commit;
}

void make_work_tree(const std::string& folder, const std::string& commit) {
  if (std::filesystem::exists(folder + "/scripts/build")) return;
  ask_command({"git", "worktree", "prune"});
  const CommandAnswer answer =
      ask_command({"git", "worktree", "add", "--force", "--detach", folder, commit});
  if (answer.code != 0)
    throw ConfigError(fmt::format("git worktree add {}: {}; remove that folder, or free space",
                                  folder, last_lines(answer.text)));
}

std::string build(const std::string& folder, const std::string& given, const char* preset) {
  fmt::print(stderr, "building {} of {} (preset {}) in {}: some minutes the first time\n", kSuite,
             escaped(given), preset, escaped(folder));
  const CommandAnswer answer = ask_command({folder + "/scripts/build", preset, kSuite});
  const std::string program = fmt::format("{}/build/{}/{}", folder, preset, kSuite);
  if (answer.code != 0 || !std::filesystem::exists(program))
    throw ConfigError(
        fmt::format("revision '{}': scripts/build {} {} fails in {}: {}; allowed: revisions that "
                    "have the suite and build here",
                    escaped(given), preset, kSuite, folder, last_lines(answer.text)));
  return program;
}

}  // namespace

BuildSide build_side(const std::string& given, Measure measure) {
  if (std::filesystem::is_directory(given)) return side_of_folder(given);
  const std::string commit = commit_of(given), cache = user_cache_folder() + "/compare",
                    folder = cache + "/" + commit.substr(0, 12);
  make_folder(cache);
  const PathLock lock(cache);
  make_work_tree(folder, commit);
  BuildSide side{.given = given};
  if (measure != Measure::counts) side.times_program = build(folder, given, "release");
  if (measure != Measure::times) side.counts_program = build(folder, given, "counts");
  return side;
}

}  // namespace speclab::experiments
