#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <filesystem>

#include "experiments/drivers/generate/generation_keys.h"
#include "sim/system/errors.h"
#include "sim/system/files.h"
#include "sim/system/json_text.h"
#include "sim/system/utf8.h"

namespace speclab::experiments {
namespace {

constexpr std::size_t kMostConfigBytes = std::size_t{16} << 20;

[[noreturn]] void refuse_file(const std::string& path, const std::string& found,
                              const char* allowed) {
  throw ConfigError(
      fmt::format("{}: {}; allowed: {}", escaped(path, kLongestPath), found, allowed));
}

std::string text_of_config(const std::string& path) {
  std::string text;
  try {
    text = read_file(path);
  } catch (const DataError& error) {
    throw ConfigError(fmt::format("GenerationConfig: {}", error.what()));
  }
  if (text.size() > kMostConfigBytes)
    refuse_file(path, fmt::format("{} bytes", text.size()), "at most 16 MiB");
  // The parser takes a zero byte for the end.
  if (text.find('\0') != std::string::npos) refuse_file(path, "a zero byte", "JSON in UTF-8");
  if (json_depth(text) > kMostJsonDepth)
    refuse_file(path, "nested deeper than 100", "at most 100 levels");
  return text;
}

KeyValue read_config_object(const std::string& path) {
  try {
    KeyValue value = KeyValue::parse(text_of_config(path));
    if (!value.is_object())
      refuse_file(path, fmt::format("a JSON {}", value.type_name()), "an object");
    return value;
  } catch (const KeyValue::parse_error& error) {
    refuse_file(path, fmt::format("no valid JSON at byte {}", error.byte), "JSON in UTF-8");
  } catch (const KeyValue::out_of_range&) {
    refuse_file(path, "a number that no double holds", "numbers up to 1.7e308 in size");
  }
}

/// True for keys that describe the file and no generation.
bool describes_file(const std::string& key) {
  return key.starts_with('_') || key == "transformers_version";
}

/// Fills `given` with the values of a file.
/// @param take_unknown  is called with the text that says that a key is unknown
void add_file(GivenValues& given, const std::string& path, auto take_unknown) {
  const KeyValue object = read_config_object(path);
  for (const auto& [name, value] : object.items()) {
    if (describes_file(name)) continue;
    if (const GenerationKey* key = find_generation_key(name)) {
      // The tokenizer reads a folder's ends, and refuses wrong ones.
      if (given.origin != kFolderOrigin || key->group != KeyGroup::special_token ||
          key->takes(value))
        add_given_value(given, *key, value);
    } else {
      take_unknown(fmt::format("{}: {} is no key of transformers 4.49{}", given.origin,
                               escaped(name, 60), nearest_key_hint(name)));
    }
  }
}

/// Numbers that JSON does not know are read as other options read them: .5, 007.
std::optional<KeyValue> plain_number(const std::string& text) {
  const char* end = text.data() + text.size();
  std::int64_t whole = 0;
  if (const auto read = std::from_chars(text.data(), end, whole);
      read.ec == std::errc() && read.ptr == end)
    return KeyValue(whole);
  double number = 0;
  const auto read = std::from_chars(text.data(), end, number);
  if (read.ec != std::errc() || read.ptr != end) return std::nullopt;
  return KeyValue(number);
}

}  // namespace

std::string shown(const KeyValue& value, std::size_t longest) {
  if (value.is_number_float() && !std::isfinite(value.get<double>()))
    return fmt::format("{}", value.get<double>());  // JSON has no such numbers
  return shown_json(value, longest);
}

GivenValues read_generation_file(const std::string& path) {
  GivenValues given{.origin = escaped(path, kLongestPath)};
  add_file(given, path, [](const std::string& unknown) {
    throw ConfigError(unknown + " Allowed: the keys that speclab generate --help lists as options");
  });
  return given;
}

std::optional<GivenValues> read_folder_generation_file(const std::string& model) {
  const std::string path = model + "/generation_config.json";
  std::error_code ignored;
  if (!std::filesystem::is_directory(model, ignored) || !std::filesystem::exists(path, ignored))
    return std::nullopt;
  GivenValues given{.origin = kFolderOrigin};
  add_file(given, path, [&](const std::string& unknown) {
    given.notes.push_back(unknown + " It has no effect.");
  });
  return given;
}

KeyValue command_line_value(const GenerationKey& key, const std::string& text) {
  const auto refuse = [&](const char* found) {
    throw ConfigError(fmt::format("{}: {}; allowed: {}", key.option(), found, key.form.allowed));
  };
  if (valid_utf8_prefix(text) != text.size()) refuse("no valid UTF-8");
  if (json_depth(text) > kMostJsonDepth) refuse("nested deeper than 100");
  if (text == "True") return true;
  if (text == "False") return false;
  if (text == "None") return nullptr;
  if (!key.form.is_text)
    if (const auto number = plain_number(text)) return *number;
  try {
    const KeyValue value = KeyValue::parse(text);
    const bool is_word = key.form.is_text && !value.is_null() && !value.is_structured();
    return is_word && !key.takes(value) ? KeyValue(text) : value;
  } catch (const KeyValue::parse_error&) {
    return text;
  } catch (const KeyValue::out_of_range&) {
    refuse("a number that no double holds");
    throw;
  }
}

void add_given_value(GivenValues& given, const GenerationKey& key, KeyValue value) {
  const std::string name = key.name;
  if (value.is_null() && name == "top_k") value = 0;
  if (value.is_null()) return;
  if (!key.takes(value))
    throw ConfigError(fmt::format("{}: {} = {}; allowed: {}", given.origin, name, shown(value),
                                  key.form.allowed));
  given.values[name] = std::move(value);
}

}  // namespace speclab::experiments
