#include "experiments/drivers/cli/cli_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "sim/system/errors.h"
#include "sim/system/files.h"

namespace speclab::experiments {
namespace {

/// Options and positional arguments that name a file or folder, whatever the command.
constexpr std::string_view kPaths[] = {"--costs",
                                       "--data",
                                       "--draft-law",
                                       "--drafter-model",
                                       "--file",
                                       "--from",
                                       "--generation-config",
                                       "--logits",
                                       "--messages",
                                       "--model",
                                       "--observed",
                                       "--output",
                                       "--plot",
                                       "--plotly",
                                       "--prompt-file",
                                       "--prompts",
                                       "--replay",
                                       "--save-generation-config",
                                       "--target",
                                       "--template",
                                       "--target-law",
                                       "--trace",
                                       "--template-variables",
                                       "--times-from",
                                       "--tools",
                                       "base",
                                       "config",
                                       "folder",
                                       "head",
                                       "model"};

bool names_a_path(const CLI::Option& option) {
  const std::string name =
      option.get_lnames().empty() ? option.get_name() : "--" + option.get_lnames().front();
  return std::ranges::find(kPaths, name) != std::end(kPaths);
}

/// @throws ConfigError if "~USER" is no user's
std::string path_with_home(const std::string& text) {
  std::string path = expanded_home(text);
  if (path.starts_with('~'))
    throw ConfigError(
        fmt::format("'{}': there is no such user; give the whole path, or begin it with ./",
                    escaped(text, 200)));
  return path;
}

}  // namespace

void expand_homes(CLI::App& app) {
  for (CLI::Option* option : app.get_options())
    if (names_a_path(*option)) option->transform(path_with_home, "");
  for (CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; }))
    expand_homes(*command);
}

}  // namespace speclab::experiments
