#include "engines/formats/folder_kind.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

#include "engines/formats/input_file.h"
#include "engines/formats/json_file.h"
#include "sim/core/errors.h"

namespace speclab::engines {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kLongestName = 64;

/// Also false where links lead in a circle.
bool has(const std::string& folder, const char* name) {
  std::error_code none;
  return fs::exists(fs::path(folder) / name, none);
}

/// The value for a message: a string without its quotes.
std::string plain(const JsonNode& value) {
  return value.is_string() ? escaped(value.as_string(), kLongestName) : value.shown();
}

std::string shown_member(const JsonNode& object, const char* key) {
  const auto member = object.find(key);
  return member ? plain(*member) : "unknown";
}

void refuse_adapter(const std::string& folder) {
  if (!has(folder, "adapter_config.json")) return;
  const std::string path = folder + "/adapter_config.json";
  const nlohmann::json root = read_json_file(path);
  throw_model_file_error(
      path, 0,
      {"folder",
       fmt::format("an adapter ({}) of the model {}",
                   shown_member(JsonNode(root, path), "peft_type"),
                   shown_member(JsonNode(root, path), "base_model_name_or_path")),
       "a whole model", "merge the adapter into its model and give the merged folder"});
}

/// The name of the tool that quantised the weights, in its own words.
std::string tool_of(const JsonNode& table) {
  if (!table.value().is_object()) return plain(table);
  if (const auto method = table.find("quant_method")) return plain(*method);
  return fmt::format("bits {}", shown_member(table, "bits"));
}

[[noreturn]] void refuse_quantised(const std::string& path, const char* field, std::string tool) {
  throw_model_file_error(
      path, 0,
      {field, std::move(tool), "no quantised weights (packed U32, I32, U8 or F8 with scales)",
       "use the model in float32, float16 or bfloat16, or a GGUF file of it"});
}

void refuse_quantised_folder(const std::string& folder) {
  const std::string path = folder + "/config.json";
  const nlohmann::json root = read_json_file(path);
  const JsonNode object(root, path);
  for (const char* field : {"quantization_config", "quantization"})
    if (const auto table = object.find(field); table && !table->value().empty())
      refuse_quantised(path, field, tool_of(*table));
  for (const char* name : {"quantize_config.json", "quant_config.json", "hf_quant_config.json"})
    if (has(folder, name)) refuse_quantised(folder, name, "in the folder");
}

/// The first entry of a folder with that extension, or with any for an empty one.
std::optional<std::string> first_entry(const fs::path& folder, const std::string& extension) {
  std::vector<std::string> names;
  std::error_code error;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error))
    if (extension.empty() || at->path().extension() == extension)
      names.push_back(at->path().filename().string());
  if (names.empty()) return std::nullopt;
  return *std::ranges::min_element(names);
}

/// Advice in place of a folder without config.json.
std::string instead_of(const std::string& folder) {
  if (has(folder, "snapshots"))
    return "give a snapshot: snapshots/" +
           escaped(first_entry(fs::path(folder) / "snapshots", "").value_or("..."), kLongestName);
  if (const auto gguf = first_entry(folder, ".gguf"))
    return "give the GGUF file in it: " + escaped(*gguf, kLongestName);
  if (has(folder, "params.json") || has(folder, "consolidated.safetensors"))
    return "convert the maker's own layout to Hugging Face's";
  if (has(folder, "model_index.json")) return "give the folder of its language model";
  return "check the path, or download config.json too";
}

}  // namespace

void refuse_other_folder(const std::string& folder) {
  refuse_adapter(folder);
  if (!has(folder, "config.json"))
    throw_model_file_error(
        folder, 0,
        {"config.json", "missing", "a folder in Hugging Face's layout", instead_of(folder)});
  refuse_quantised_folder(folder);
}

}  // namespace speclab::engines
