#include "engines/tokenizers/folder_tokens.h"

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <span>

#include "engines/formats/gguf_metadata.h"
#include "engines/formats/input_file.h"
#include "engines/formats/json_file.h"
#include "sim/system/errors.h"

namespace speclab::engines {
namespace {

constexpr std::uint64_t kMaxTemplateBytes = 1 << 20;
constexpr std::size_t kMaxTemplates = 100;

std::string read_template_file(const std::string& path) {
  const InputFile file(path);
  if (file.size() > kMaxTemplateBytes)
    file.fail(
        0, {"size", std::to_string(file.size()), "at most " + std::to_string(kMaxTemplateBytes)});
  std::string text(static_cast<std::size_t>(file.size()), '\0');
  file.read(0, std::as_writable_bytes(std::span(text)));
  return text;
}

void add_template(std::vector<TemplateSource>& templates, TemplateSource one) {
  const bool is_known = std::ranges::count(templates, one.name, &TemplateSource::name) > 0;
  if (is_known || templates.size() == kMaxTemplates) return;
  const auto place = one.name == "default" ? templates.begin() : templates.end();
  templates.insert(place, std::move(one));
}

/// Files of a folder in the order of their names.
std::vector<std::filesystem::path> jinja_files(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> paths;
  std::error_code none;
  for (const auto& entry : std::filesystem::directory_iterator(folder, none))
    if (entry.path().extension() == ".jinja" && is_file(entry.path()))
      paths.push_back(entry.path());
  std::ranges::sort(paths);
  return paths;
}

void check_length(const JsonNode& source) {
  if (source.as_string().size() > kMaxTemplateBytes)
    source.fail(std::to_string(source.as_string().size()) + " bytes",
                "at most " + std::to_string(kMaxTemplateBytes));
}

void add_from_config(const std::string& path, std::vector<TemplateSource>& templates) {
  const nlohmann::json json = read_json_file(path);
  const auto found = JsonNode(json, path).find("chat_template");
  if (!found) return;
  const std::string found_in = "tokenizer_config.json: chat_template";
  if (!found->is_array()) {
    check_length(*found);
    return add_template(templates, {"default", found->as_string(), found_in});
  }
  for (const JsonNode& one : found->elements()) {
    const JsonNode source = one.at("template");
    check_length(source);
    add_template(templates, {one.at("name").as_string(), source.as_string(), found_in});
  }
}

}  // namespace

std::vector<TemplateSource> chat_templates_of(const std::string& folder) {
  std::vector<TemplateSource> templates;
  const std::filesystem::path root(folder);
  if (const auto path = root / "chat_template.jinja"; is_file(path))
    add_template(templates,
                 {"default", read_template_file(path.string()), path.filename().string()});
  const char* const more = "additional_chat_templates";
  for (const auto& path : jinja_files(root / more))
    add_template(templates, {path.stem().string(), read_template_file(path.string()),
                             more + ("/" + path.filename().string())});
  if (const auto path = root / "tokenizer_config.json"; is_file(path))
    add_from_config(path.string(), templates);
  return templates;
}

std::vector<TemplateSource> chat_templates_of(const GgufMetadata& metadata) {
  const std::string key = "tokenizer.chat_template";
  std::vector<TemplateSource> templates;
  for (const GgufEntry& entry : metadata.entries()) {
    const bool is_named = entry.key.starts_with(key + ".");
    if (entry.key != key && !is_named) continue;
    const auto source = metadata.get<std::string>(entry.key);
    if (source.size() > kMaxTemplateBytes)
      metadata.fail(entry.key, std::to_string(source.size()) + " bytes",
                    "at most " + std::to_string(kMaxTemplateBytes));
    add_template(templates,
                 {is_named ? entry.key.substr(key.size() + 1) : "default", source, entry.key});
  }
  return templates;
}

}  // namespace speclab::engines
