#include "experiments/drivers/train/begun_training.h"

#include <fmt/format.h>

#include <filesystem>

#include "experiments/drivers/config/train_schema.h"
#include "sim/system/errors.h"
#include "sim/system/files.h"

namespace speclab::experiments {
namespace {

std::string first_line(const std::string& call) { return "# " + escaped(call, kLongestPath); }

std::string toml_text(std::string value) { return value_text(ValueOfKey(&value)); }

/// A path that holds in every working directory.
std::string whole_path(const std::string& path) {
  return std::filesystem::absolute(path).lexically_normal().string();
}

/// The keys of every table that a training on own text has, and the paths, which the effective
/// config leaves out.
std::string keys_text(const TrainConfig& config) {
  std::string text, table;
  for (const auto& [name, value] : effective_train_config(config)) {
    const std::string of = name.substr(0, name.find('.')), key = name.substr(of.size() + 1);
    if (of == "text") continue;
    if (of != table) text += fmt::format("\n[{}]\n", of);
    if (of != table && of == "own_text")
      text += fmt::format("prompts = {}\n", toml_text(config.prompt_file));
    if (of != table && of == "drafter")
      text += fmt::format("output = {}\n", toml_text(config.options.output));
    text += fmt::format("{} = {}\n", key, value);
    table = of;
  }
  return text;
}

}  // namespace

std::string begun_file(const std::string& folder) { return folder + "/begun.toml"; }

bool was_begun(const std::string& folder, const std::string& call, bool replaces) {
  const std::string file = begun_file(folder);
  if (std::error_code none; !std::filesystem::exists(file, none)) return false;
  const std::string text = read_file(file), found = text.substr(0, text.find('\n'));
  if (found == first_line(call)) return true;
  if (replaces) return false;
  throw ConfigError(fmt::format(
      "{}: a training by another call was begun there: {}; repeat that call, or choose another "
      "folder with --output, or give --overwrite",
      escaped(file, kLongestPath), escaped(found, 300)));
}

void write_begun(const std::string& folder, const std::string& call, const std::string& forecast,
                 TrainConfig config) {
  make_folder(folder);
  config.options.output = whole_path(config.options.output);
  std::error_code none;
  if (std::filesystem::exists(config.target.model, none))
    config.target.model = whole_path(config.target.model);
  write_file(begun_file(folder),
             fmt::format("{}\n# Forecast: {}\n{}", first_line(call), forecast, keys_text(config)));
}

void end_begun(const std::string& folder) {
  std::error_code error;
  std::filesystem::rename(begun_file(folder), folder + "/train.toml", error);
  if (error)
    throw WriteError(fmt::format("{}: cannot rename it to train.toml: {}",
                                 escaped(begun_file(folder), kLongestPath), error.message()));
}

}  // namespace speclab::experiments
