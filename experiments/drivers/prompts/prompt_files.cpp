#include "experiments/drivers/prompts/prompt_files.h"

#include <fmt/format.h>

#include <cctype>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>

#include "experiments/drivers/toml/config_file.h"
#include "experiments/drivers/toml/config_reader.h"
#include "sim/system/errors.h"
#include "sim/system/json_text.h"
#include "sim/system/utf8.h"

namespace speclab::experiments {
namespace {

using PlainJson = nlohmann::json;

constexpr const char* kTooDeep = "lists or objects nested deeper than 100";
constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";

Prompt read_prompt(const ConfigNode& node, const std::string& category, Findings& findings) {
  Prompt prompt{.id = "", .category = category, .text = ""};
  ConfigReader reader(node, "prompt", &findings);
  reader.read("id", prompt.id);
  reader.read("text", prompt.text);
  reader.finish();
  if (prompt.id.empty() || !table_text_problem(prompt.id).empty())
    reader.refuse("id", fmt::format("a name: {}", kTableTextRule));
  const std::string problem = prompt_text_problem(prompt.text);
  if (prompt.text.empty())
    reader.refuse("text", "at least one character");
  else if (!problem.empty())
    reader.add("text", 0, fmt::format("prompt.text is {}", problem));
  return prompt;
}

/// The key names the category and must equal the file's name, so that selections and rows agree.
std::string read_category_name(ConfigReader& reader, const std::string& path) {
  std::string category;
  const std::string expected = std::filesystem::path(path).stem().string();
  reader.read("category", category);
  if (category != expected)
    reader.refuse("category", fmt::format("\"{}\", as the file is named", expected));
  else if (!table_text_problem(category).empty())
    reader.refuse("category", kTableTextRule);
  return category;
}

void read_toml_file(const std::string& path, PromptSet& set) {
  const ConfigNode root = read_config(path);
  Findings findings;
  ConfigReader reader(root, "", &findings);
  const std::string category = read_category_name(reader, path);
  const ConfigNode* list = reader.list("prompt");
  reader.finish();
  if (list)
    for (const ConfigNode& node : std::get<ConfigNode::List>(list->value))
      set.prompts.push_back(read_prompt(node, category, findings));
  findings.throw_if_any();
}

/// Adds the records of one file.
class RecordFile {
 public:
  RecordFile(const std::string& path, PromptSet& set)
      : path_(path), stem_(std::filesystem::path(path).stem().string()), set_(set) {
    if (const std::string problem = table_text_problem(stem_); !problem.empty())
      throw ConfigError(
          fmt::format("{}: {} in its name, which tables show; allowed: {}; rename the file",
                      escaped(path, kLongestPath), problem, kTableTextRule));
  }

  /// @param what  "line" or "record"
  void add(const PlainJson& json, const char* what, std::size_t number) try {
    std::optional<PromptRecord> record = read_prompt_record(json);
    if (!record) {
      ++set_.num_left_out;
      return;
    }
    Prompt& prompt = record->prompt;
    if (prompt.category.empty()) prompt.category = stem_;
    if (record->has_numbered_id) prompt.id = stem_ + "-" + prompt.id;
    if (prompt.id.empty()) prompt.id = fmt::format("{}:{}", stem_, number);
    set_.num_cut += record->has_more_turns ? 1 : 0;
    set_.prompts.push_back(std::move(prompt));
  } catch (const ConfigError& error) {
    throw ConfigError(
        fmt::format("{}, {} {}: {}", escaped(path_, kLongestPath), what, number, error.what()));
  }

  [[noreturn]] void refuse(const char* what, std::size_t number, const std::string& found) const {
    throw ConfigError(
        fmt::format("{}, {} {}: {}; allowed: JSON, one record a line or an array of them, in UTF-8",
                    escaped(path_, kLongestPath), what, number, found));
  }

 private:
  const std::string path_, stem_;
  PromptSet& set_;
};

/// The reason alone, without the library's error number and without "line 1", which is always so.
std::string reason_of(const PlainJson::exception& error) {
  constexpr std::string_view kFirstLine = "parse error at line 1, ";
  std::string text = error.what();
  if (const std::size_t end = text.find("] "); end != std::string::npos) text.erase(0, end + 2);
  if (text.starts_with(kFirstLine)) text.erase(0, kFirstLine.size());
  return escaped(text, 200);
}

/// Each element is read and dropped, so that a large file needs no memory of its size.
void read_array(std::istream& file, RecordFile& records) {
  std::size_t number = 0;
  const auto take = [&](int depth, PlainJson::parse_event_t event, PlainJson& value) {
    if (depth > kMostJsonDepth) records.refuse("record", number + 1, kTooDeep);
    const bool is_element = depth == 1 && (event == PlainJson::parse_event_t::object_end ||
                                           event == PlainJson::parse_event_t::array_end ||
                                           event == PlainJson::parse_event_t::value);
    if (is_element) records.add(value, "record", ++number);
    return !is_element;
  };
  try {
    [[maybe_unused]] const PlainJson dropped = PlainJson::parse(file, take);
  } catch (const PlainJson::exception& error) {
    records.refuse("record", number + 1, reason_of(error));
  }
}

void read_lines(std::istream& file, RecordFile& records) {
  std::string line;
  for (std::size_t number = 1; std::getline(file, line); ++number) {
    if (line.find_first_not_of(" \t\r") == std::string::npos) continue;
    if (json_depth(line) > kMostJsonDepth) records.refuse("line", number, kTooDeep);
    PlainJson record;
    try {
      record = PlainJson::parse(line);
    } catch (const PlainJson::exception& error) {
      records.refuse("line", number, reason_of(error));
    }
    records.add(record, "line", number);
  }
}

void skip_byte_order_mark(std::istream& file) {
  std::string head(kByteOrderMark.size(), '\0');
  file.read(head.data(), static_cast<std::streamsize>(head.size()));
  file.clear();
  file.seekg(head == kByteOrderMark ? static_cast<std::streamoff>(head.size()) : 0);
}

void read_json_file(const std::string& path, PromptSet& set) {
  std::ifstream file(path, std::ios::binary);
  if (!file)
    throw ConfigError(fmt::format("{}: cannot be read; check the path and its permissions",
                                  escaped(path, kLongestPath)));
  skip_byte_order_mark(file);
  RecordFile records(path, set);
  while (std::isspace(file.peek())) file.get();
  const bool is_array = file.peek() == '[';
  if (!is_array) {
    file.clear();
    file.seekg(0);
    skip_byte_order_mark(file);
  }
  is_array ? read_array(file, records) : read_lines(file, records);
  if (file.bad())
    throw ConfigError(
        fmt::format("{}: reading it fails; check the disk", escaped(path, kLongestPath)));
}

}  // namespace

void read_prompt_file(const std::string& path, PromptSet& set) {
  std::filesystem::path(path).extension() == ".toml" ? read_toml_file(path, set)
                                                     : read_json_file(path, set);
}

}  // namespace speclab::experiments
