#include "engines/formats/checkpoint_folder.h"

#include <fmt/format.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>

#include "engines/formats/input_file.h"
#include "engines/formats/json_file.h"
#include "sim/system/errors.h"

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

/// The first name in a folder, in the order of the alphabet, that begins and ends so.
std::optional<std::string> first_entry(const fs::path& folder, std::string_view beginning,
                                       std::string_view end) {
  std::optional<std::string> first;
  std::error_code error;
  for (fs::directory_iterator at(folder, error), last; !error && at != last; at.increment(error)) {
    const std::string name = at->path().filename().string();
    if (name.starts_with(beginning) && name.ends_with(end) && (!first || name < *first))
      first = name;
  }
  return first;
}

/// The snapshot that a model's folder in the hub's cache calls its main one, else the first.
std::string snapshot_of(const fs::path& folder) {
  std::string main;
  std::ifstream(folder / "refs" / "main") >> main;
  const std::string first = first_entry(folder / "snapshots", "", "").value_or("...");
  std::error_code none;
  const bool is_there = !main.empty() && fs::is_directory(folder / "snapshots" / main, none);
  return fmt::format("snapshots/{}", escaped(is_there ? main : first, kLongestName));
}

/// Advice in place of a folder without config.json.
std::string instead_of(const std::string& folder) {
  if (has(folder, "snapshots")) return "give a snapshot: " + snapshot_of(folder);
  if (const auto model = first_entry(folder, "models--", ""))
    return fmt::format("give a snapshot of one model: {}/{}", escaped(*model, kLongestName),
                       snapshot_of(fs::path(folder) / *model));
  if (const auto gguf = first_entry(folder, "", ".gguf"))
    return "give the GGUF file in it: " + escaped(*gguf, kLongestName);
  if (has(folder, "params.json") || has(folder, "consolidated.safetensors"))
    return "convert the maker's own layout to Hugging Face's";
  if (has(folder, "model_index.json")) return "give the folder of its language model";
  return "check the path, or download config.json too";
}

/// Weights of a kind that is not read, and the way to use them.
struct OtherWeights {
  std::string_view beginning, ending, kind, change;
};

constexpr std::string_view kConvertWeights =
    "convert them to safetensors, or choose a copy with them";

constexpr std::array<OtherWeights, 10> kOtherWeights = {
    {{"", ".safetensors.index.json", "another name", "name it model.safetensors.index.json"},
     {"model-", ".safetensors", "a shard", "download model.safetensors.index.json too"},
     {"consolidated", ".safetensors", "the maker's own layout",
      "convert it to Hugging Face's layout"},
     {"", ".safetensors", "another name", "name the file of all weights model.safetensors"},
     {"", ".gguf", "a GGUF file", "give the path of that file"},
     {"", ".bin", "a PyTorch pickle, which is not read", kConvertWeights},
     {"", ".pth", "a PyTorch pickle, which is not read", kConvertWeights},
     {"", ".h5", "weights of TensorFlow", kConvertWeights},
     {"", ".msgpack", "weights of Flax", kConvertWeights},
     {"", ".onnx", "an ONNX graph", kConvertWeights}}};

}  // namespace

void refuse_other_folder(const std::string& folder) {
  refuse_adapter(folder);
  if (!has(folder, "config.json"))
    throw_model_file_error(
        folder, 0,
        {"config.json", "missing", "a folder in Hugging Face's layout", instead_of(folder)});
  refuse_quantised_folder(folder);
}

void refuse_folder_without_weights(const std::string& folder) {
  constexpr const char* kAllowed = "model.safetensors, or its index with its shards";
  for (const OtherWeights& other : kOtherWeights)
    if (const auto name = first_entry(folder, other.beginning, other.ending))
      throw_model_file_error(
          folder, 0,
          {"weights", fmt::format("{} ({})", escaped(*name, kLongestName), other.kind), kAllowed,
           std::string(other.change)});
  throw_model_file_error(folder, 0,
                         {"weights", "missing", kAllowed, "download model.safetensors too"});
}

}  // namespace speclab::engines
