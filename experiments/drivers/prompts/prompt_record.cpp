#include "experiments/drivers/prompts/prompt_files.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <string_view>
#include <vector>

#include "sim/system/errors.h"
#include "sim/system/json_text.h"
#include "sim/system/utf8.h"

namespace speclab::experiments {
namespace {

using PlainJson = nlohmann::json;

constexpr std::array<const char*, 6> kTextFields = {"turns",  "conversations", "messages",
                                                    "prompt", "question",      "text"};
constexpr std::array<const char*, 5> kIdFields = {"question_id", "id", "task_id", "prompt_id",
                                                  "conversation_id"};
constexpr std::array<const char*, 4> kTokenFields = {"prompt_token_ids", "input_ids", "token_ids",
                                                     "prompt_ids"};
constexpr const char* kTextRule =
    "allowed: text, because ids belong to one tokenizer, and the acceptance of random ones says "
    "nothing about texts";
constexpr std::size_t kShown = 60;  ///< bytes of a found value in a message

std::string shown(const PlainJson& value) {
  if (value.is_string()) return '"' + escaped(value.get_ref<const std::string&>(), kShown) + '"';
  return shown_json(value, kShown);
}

[[noreturn]] void refuse(const std::string& field, const PlainJson& found,
                         const std::string& allowed) {
  throw ConfigError(fmt::format("{} = {}; allowed: {}", field, shown(found), allowed));
}

std::string trimmed(const std::string& text, const char* marks) {
  const std::size_t first = text.find_first_not_of(marks);
  return first == std::string::npos ? ""
                                    : text.substr(first, text.find_last_not_of(marks) - first + 1);
}

std::string in_capitals(std::string text) {
  std::ranges::transform(text, text.begin(), [](unsigned char c) { return std::toupper(c); });
  return text;
}

bool is_placeholder(const std::string& text) {
  // The public file of SPEED-Bench has this text in the place of prompts that it may not give away.
  constexpr std::string_view kOfSpeedBench = "FULL BENCHMARK DATA SHOULD BE FETCHED";
  constexpr std::array<std::string_view, 9> kWords = {
      "PLACEHOLDER", "PROMPT",      "YOUR PROMPT", "YOUR PROMPT HERE", "INSERT PROMPT HERE",
      "TODO",        "PROMPT HERE", "REDACTED",    "YOUR_PROMPT_HERE"};
  const std::string word = in_capitals(trimmed(text, " \t\r\n<>[]{}().…\"'"));
  return in_capitals(trimmed(text, " \t\r\n")).starts_with(kOfSpeedBench) ||
         std::ranges::find(kWords, word) != kWords.end();
}

/// Eight or more integers and nothing else.
bool is_row_of_ids(const std::string& text) {
  constexpr int kLeast = 8;
  int numbers = 0;
  bool in_number = false;
  for (const char c : text) {
    const bool is_digit = c >= '0' && c <= '9';
    if (!is_digit && std::string_view(" ,\t\r\n[]").find(c) == std::string_view::npos) return false;
    numbers += is_digit && !in_number ? 1 : 0;
    in_number = is_digit;
  }
  return numbers >= kLeast;
}

/// @param field  for the message
std::string text_of(const PlainJson& value, const char* field) {
  if (!value.is_string()) refuse(field, value, "a text");
  const std::string& text = value.get_ref<const std::string&>();
  if (trimmed(text, " \t\r\n").empty()) refuse(field, value, "a text that is not empty");
  if (const std::string problem = prompt_text_problem(text); !problem.empty())
    throw ConfigError(fmt::format("{} = {}: {}", field, shown(value), problem));
  return text;
}

const PlainJson* member(const PlainJson& object, const char* field) {
  const auto found = object.find(field);
  return found == object.end() || found->is_null() ? nullptr : &*found;
}

/// The speaker and the content of an entry of a conversation.
struct Turn {
  std::string role;
  const PlainJson* content = nullptr;
};

Turn turn_of(const PlainJson& entry, const char* field) {
  const auto value = [&](std::initializer_list<const char*> names) -> const PlainJson* {
    for (const char* name : names)
      if (entry.is_object() && entry.contains(name)) return &entry.at(name);
    return nullptr;
  };
  const PlainJson *role = value({"from", "role"}), *content = value({"value", "content"});
  if (!role || !role->is_string() || !content)
    refuse(field, entry, "entries with from and value, or role and content");
  return {role->get<std::string>(), content};
}

bool is_human(const std::string& role) { return role == "human" || role == "user"; }

/// A system message would change what the model answers, so it is not left out in silence.
std::optional<PromptRecord> of_conversation(const PlainJson& entries, const char* field) {
  if (!entries.is_array()) refuse(field, entries, "a list of turns");
  if (entries.empty()) return std::nullopt;
  const Turn first = turn_of(entries.front(), field);
  if (first.role == "system")
    throw ConfigError(fmt::format(
        "{} opens with a system message; allowed: conversations that the user opens; leave the "
        "system message out, or put it into the prompt",
        field));
  if (!is_human(first.role)) return std::nullopt;
  PromptRecord record;
  record.prompt.text = text_of(*first.content, field);
  record.has_more_turns = std::ranges::any_of(entries.begin() + 1, entries.end(), [&](auto& entry) {
    return is_human(turn_of(entry, field).role);
  });
  return record;
}

PromptRecord of_turns(const PlainJson& turns) {
  if (!turns.is_array() || turns.empty()) refuse("turns", turns, "a list of texts");
  return {.prompt = {.id = "", .category = "", .text = text_of(turns.front(), "turns")},
          .has_more_turns = turns.size() > 1};
}

std::optional<PromptRecord> of_field(const PlainJson& value, const std::string& field) {
  if (field == "turns") return of_turns(value);
  if (field == "conversations" || field == "messages") return of_conversation(value, field.c_str());
  if (!value.is_array() || value.empty())
    return PromptRecord{
        .prompt = {.id = "", .category = "", .text = text_of(value, field.c_str())}};
  if (value.front().is_number())
    throw ConfigError(fmt::format("{} is a list of token ids; {}", field, kTextRule));
  return of_conversation(value, field.c_str());
}

/// A name for tables. @throws ConfigError if a table cannot hold it
std::string name_of(const PlainJson& value, const char* field) {
  if (!value.is_string()) refuse(field, value, "a text or an integer");
  const std::string& name = value.get_ref<const std::string&>();
  if (const std::string problem = table_text_problem(name); !problem.empty())
    refuse(field, value, fmt::format("{}; found: {}", kTableTextRule, problem));
  return name;
}

void read_names(const PlainJson& object, PromptRecord& record) {
  for (const char* field : kIdFields)
    if (const PlainJson* id = member(object, field); id && record.prompt.id.empty()) {
      record.has_numbered_id = id->is_number_integer();
      record.prompt.id = record.has_numbered_id ? id->dump() : name_of(*id, field);
    }
  if (const PlainJson* category = member(object, "category"))
    record.prompt.category = name_of(*category, "category");
}

/// Refuses a record without a prompt, and lists its fields.
[[noreturn]] void refuse_fields(const PlainJson& object) {
  for (const char* field : kTokenFields)
    if (member(object, field))
      throw ConfigError(fmt::format("{} without a text; {}", field, kTextRule));
  std::vector<std::string> fields;
  for (const auto& [field, value] : object.items()) fields.push_back(escaped(field, kShown));
  constexpr std::size_t kMostShown = 8;
  if (fields.size() > kMostShown) fields.resize(kMostShown);
  throw ConfigError(
      fmt::format("no prompt; found the fields: {}; allowed: one of {}",
                  fields.empty() ? "none" : fmt::format("{}", fmt::join(fields, ", ")),
                  fmt::join(kTextFields, ", ")));
}

}  // namespace

std::string prompt_text_problem(const std::string& text) {
  if (is_placeholder(text))
    return "a placeholder for a prompt that must be fetched or filled in; allowed: the text "
           "itself; "
           "leave such records out, or fetch the data with the benchmark's own script";
  if (is_row_of_ids(text))
    return "a row of numbers, as of random token ids; allowed: text, because the acceptance of "
           "random ids says nothing about texts";
  return "";
}

std::optional<PromptRecord> read_prompt_record(const PlainJson& record) {
  if (record.is_string())
    return PromptRecord{.prompt = {.id = "", .category = "", .text = text_of(record, "the line")}};
  if (!record.is_object()) refuse("a record", record, "an object with a prompt, or a text");
  for (const char* field : kTextFields)
    if (const PlainJson* value = member(record, field)) {
      std::optional<PromptRecord> read = of_field(*value, field);
      if (read) read_names(record, *read);
      return read;
    }
  refuse_fields(record);
}

}  // namespace speclab::experiments
