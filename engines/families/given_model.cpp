#include "engines/families/catalogue.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <string_view>

#include "engines/formats/checkpoint_folder.h"
#include "engines/interface/names.h"
#include "sim/system/edit_distance.h"
#include "sim/system/errors.h"

namespace speclab::engines {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kShownPath = 200;

bool is_name_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
         c == '_' || c == '-';
}

/// "ORG/NAME", or an address of a hub.
bool is_name_of_a_hub(const std::string& model) {
  for (const char* address : {"http://", "https://", "hf.co/", "huggingface.co/", "hf:"})
    if (model.starts_with(address)) return true;
  const std::size_t slash = model.find('/');
  return slash != std::string::npos && slash > 0 && slash + 1 < model.size() && model[0] != '.' &&
         std::ranges::count(model, '/') == 1 &&
         std::ranges::all_of(model, [](char c) { return c == '/' || is_name_character(c); }) &&
         !model.ends_with(".gguf");
}

char lower(char c) { return static_cast<char>(std::tolower(static_cast<unsigned char>(c))); }

/// A name as hubs spell it, without the marks that copies in other formats have.
std::string plain_name(std::string name) {
  std::ranges::transform(name, name.begin(), [](char c) { return c == ' ' ? '-' : lower(c); });
  return name.ends_with("-gguf") ? name.substr(0, name.size() - 5) : name;
}

/// The way to get a model that is named as on a hub.
std::string way_to_get(const std::string& model, const std::vector<NamedModel>& known) {
  const std::string own = model.substr(model.find_last_of('/') + 1);
  for (const NamedModel& each : known)
    if (plain_name(each.description.substr(0, each.description.find(','))) == plain_name(own))
      return fmt::format("{} brings it in GGUF, and its name is then {}", each.fetched_by,
                         each.name);
  return fmt::format(
      "download it, for example with 'hf download {} --local-dir {}', and give its folder or GGUF "
      "file",
      escaped(model, kShownPath), escaped(own, kShownPath));
}

std::string current_folder() {
  std::error_code none;
  return escaped(fs::current_path(none).string(), kShownPath);
}

/// "; did you mean X?" for a name that begins so or differs in a few letters.
std::string nearest_name(const std::string& model, const std::vector<NamedModel>& known) {
  constexpr std::size_t kNear = 3;
  const auto is_near = [&](const std::string& name) {
    return name.starts_with(model) || edit_distance(model, name) <= kNear;
  };
  const auto found = std::ranges::find_if(known, is_near, &NamedModel::name);
  return found == known.end() ? "" : fmt::format("; did you mean {}?", found->name);
}

/// Shape models are many and alike, and count as one.
std::vector<std::string> listed(const std::vector<NamedModel>& known) {
  std::vector<std::string> names;
  for (const NamedModel& each : known) names.push_back(each.name);
  const auto shapes = std::erase_if(
      names, [](const std::string& name) { return name.starts_with(kShapeModelPrefix); });
  if (shapes > 0)
    names.push_back(
        fmt::format("{} named {}* (speclab models lists them)", shapes, kShapeModelPrefix));
  return names;
}

constexpr std::string_view kPartEndings[] = {".safetensors",
                                             ".safetensors.index.json",
                                             "config.json",
                                             "tokenizer.json",
                                             "tokenizer.model",
                                             ".bin",
                                             ".pth",
                                             ".h5",
                                             ".msgpack"};

}  // namespace

void refuse_missing_model(const std::string& model, const std::vector<NamedModel>& known) {
  const std::string shown = escaped(model, kShownPath);
  if (is_name_of_a_hub(model))
    throw ConfigError(
        fmt::format("model '{}': no such file or folder in {}, and models are not fetched; {}, or "
                    "a catalogue name ('speclab models' lists them)",
                    shown, current_folder(), way_to_get(model, known)));
  if (model.find('$') != std::string::npos)
    throw ConfigError(
        fmt::format("model '{}': no such file or folder; '$' is expanded by a shell, and not in "
                    "single quotes; give the whole path",
                    shown));
  if (model.starts_with('~'))
    throw ConfigError(fmt::format(
        "model '{}': no such file or folder, and no home of such a user; give the whole path",
        shown));
  throw ConfigError(fmt::format(
      "model '{}': no such file or folder in {}, and no catalogue name{}; allowed names: {}", shown,
      current_folder(), nearest_name(model, known), fmt::join(listed(known), ", ")));
}

void refuse_part_of_folder(const std::string& path) {
  if (std::ranges::none_of(kPartEndings,
                           [&](std::string_view ending) { return path.ends_with(ending); }))
    return;
  const fs::path folder = fs::path(path).parent_path();
  std::error_code none;
  if (fs::exists(folder / "adapter_config.json", none)) refuse_other_folder(folder.string());
  const bool is_whole = fs::exists(folder / "config.json", none);
  const std::string shown = folder.empty() ? "." : folder.string();
  throw ConfigError(
      fmt::format("model '{}' is one file of a folder; allowed: {}", escaped(path, kShownPath),
                  is_whole ? "the folder, '" + escaped(shown, kShownPath) + "'"
                           : "a folder with config.json and model.safetensors, or a GGUF file"));
}

}  // namespace speclab::engines
