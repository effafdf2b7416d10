#include "experiments/drivers/cli_paths.h"

#include <algorithm>
#include <string_view>

#include "sim/core/expanded_home.h"

namespace speclab::experiments {
namespace {

/// Options and positional arguments that name a file or folder, whatever the command.
constexpr std::string_view kPaths[] = {"--costs",
                                       "--data",
                                       "--draft-law",
                                       "--drafter-model",
                                       "--file",
                                       "--from",
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

}  // namespace

void expand_homes(CLI::App& app) {
  for (CLI::Option* option : app.get_options())
    if (names_a_path(*option)) option->transform(expanded_home, "");
  for (CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; }))
    expand_homes(*command);
}

}  // namespace speclab::experiments
