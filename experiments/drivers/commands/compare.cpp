#include "experiments/drivers/commands/commands.h"

#include <fmt/format.h>

#include <filesystem>

#include "experiments/drivers/compare/gates.h"
#include "experiments/drivers/program/command_folders.h"
#include "sim/system/errors.h"

namespace speclab::experiments {
namespace {

int print_gate(const BuildGate& gate, bool json) {
  fmt::print("{}", json ? gate_json(gate) + "\n" : gate_text(gate));
  return static_cast<int>(analysis::exit_code(gate.verdict));
}

int print_power(const analysis::GatePower& power, bool json) {
  fmt::print("{}", json ? power_json(power) + "\n" : power_text(power));
  return 0;
}

bool is_run(const std::string& folder) {
  return std::filesystem::exists(folder + "/manifest.toml");
}

/// Whether both are run folders. @throws ConfigError if one is
bool are_runs(const std::string& base, const std::string& head) {
  if (is_run(base) != is_run(head))
    throw ConfigError(
        escaped(is_run(base) ? base : head) + " is a run folder, but " +
        escaped(is_run(base) ? head : base) +
        " is not (no manifest.toml); allowed: two revisions or build folders, or two run folders");
  return is_run(base);
}

void expect_none(const std::vector<std::string>& given, const std::string& what) {
  if (!given.empty())
    throw ConfigError(fmt::format("{} is for {}; leave it out", given.front(), what));
}

}  // namespace

int run_compare(const CompareOptions& options) {
  if (!options.replay.empty()) return print_gate(replay_gate(options.replay), options.json);
  expect_distinct_folders(options.power);
  if (!options.power.empty()) return print_power(power_of_folders(options.power), options.json);
  if (options.base.empty() || options.head.empty())
    throw ConfigError(
        "compare needs a BASE and a HEAD; allowed: two revisions or build folders, or two run "
        "folders");
  const bool of_runs = are_runs(options.base, options.head);
  if (of_runs)
    expect_none(options.given_of_builds, "revisions and build folders");
  else
    expect_none(options.given_of_runs, "run folders");
  if (of_runs)
    return static_cast<int>(analysis::exit_code(
        compare_runs(options.base, options.head, {.gate = options.runs, .json = options.json})));
  return print_gate(compare_builds(options.base, options.head, options.builds), options.json);
}

}  // namespace speclab::experiments
