#include "experiments/drivers/program/model_files.h"

#include <fmt/format.h>

#include <filesystem>
#include <string_view>

#include "sim/system/errors.h"

namespace speclab::experiments {
namespace {

/// The name that all parts of a split model share; a name that is no part's stays.
/// @source llama.cpp, llama_split_path: "NAME-00001-of-00003.gguf"
std::string shared_name(const std::string& name) {
  constexpr std::string_view kEnding = "-00001-of-00003.gguf";
  if (name.size() <= kEnding.size() || !name.ends_with(".gguf")) return name;
  const std::size_t begin = name.size() - kEnding.size();
  return name.compare(begin + 6, 4, "-of-") == 0 ? name.substr(0, begin) : name;
}

bool is_file_of_model(const std::filesystem::path& file, const std::filesystem::path& model) {
  std::error_code none;
  const bool has_folder = std::filesystem::is_directory(model, none);
  const std::filesystem::path folder =
      has_folder ? model : std::filesystem::absolute(model, none).parent_path();
  const auto belongs = [&](const std::filesystem::path& path) {
    if (has_folder) return path.extension() != ".npy";
    return shared_name(path.filename()) == shared_name(model.filename());
  };
  for (const auto& entry : std::filesystem::directory_iterator(folder, none))
    if (belongs(entry.path()) && std::filesystem::equivalent(entry.path(), file, none)) return true;
  return false;
}

}  // namespace

std::filesystem::path path_of_model(const engines::Engines& engines, const std::string& model) {
  for (const engines::KnownModel& known : engines.known_models())
    if (known.name == model) return known.path;
  return model;
}

void refuse_file_of_model(const engines::Engines& engines, const std::string& option,
                          const std::string& file, const std::string& model) {
  const std::filesystem::path path = path_of_model(engines, model);
  if (!path.empty() && is_file_of_model(file, path))
    throw ConfigError(fmt::format("{} {}: a file of the model {}; choose another name", option,
                                  escaped(file, 200), escaped(model, 200)));
}

}  // namespace speclab::experiments
