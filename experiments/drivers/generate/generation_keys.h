#pragma once
// The keys of transformers' GenerationConfig, version 4.49.

#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace speclab::experiments {

struct GenerationValues;

/// A key's value, in the form that it has in a file.
using KeyValue = nlohmann::ordered_json;

/// The numbers that a key takes.
struct KeyRange {
  double least = -std::numeric_limits<double>::infinity();
  double most = std::numeric_limits<double>::infinity();
  bool has_least = true, has_most = true;  ///< false: the limit itself is not in the range
};

/// JSON values that a key takes, apart from null.
struct KeyForm {
  bool (*takes)(const KeyRange& range, const KeyValue& value);
  const char* allowed;  ///< in words, for messages
  KeyRange range{};
  bool is_text = false;  ///< a bare word of the command line is a text
};

enum class KeyGroup : std::uint8_t {
  mode,           ///< chooses how texts are searched or drafted
  decoding,       ///< changes scores or laws
  length,         ///< lengths and stops
  special_token,  ///< ends and their like
  drafting,       ///< how an assistant drafts
  no_effect,      ///< is taken and changes no text
  refused         ///< would change texts in a way that speclab cannot; its default is taken
};

struct GenerationKey {
  const char* name;
  /// Writes a value, which is not null, where the engines read it; null if the key has no effect.
  void (*put)(const KeyValue& value, GenerationValues& values);
  KeyForm form;
  const char* default_json;  ///< of transformers 4.49
  const char* help;
  KeyGroup group;

  /// True if the key takes the value. Null is not a value.
  bool takes(const KeyValue& value) const { return form.takes(form.range, value); }
  KeyValue default_value() const { return KeyValue::parse(default_json); }
  /// The option's name: "--num-beams".
  std::string option() const;
};

/// All of them, in the order of --help.
std::span<const GenerationKey> generation_keys();

/// Null if there is none of this name.
const GenerationKey* find_generation_key(std::string_view name);

/// "; did you mean KEY?" with the key that is nearest to a word.
std::string nearest_key_hint(std::string_view unknown);

// generation_values.cpp: the values of keys as files and command lines have them.

/// Origin of the values that a model brings.
inline constexpr const char* kFolderOrigin = "generation_config.json of the folder";

/// Values by key, from one place. Null and what describes the file itself are left out.
struct GivenValues {
  std::string origin;  ///< for messages: "command line", a file's path
  KeyValue values = KeyValue::object();
  std::vector<std::string> notes{};
};

/// Reads FILE of --generation-config.
/// @throws ConfigError if it is no JSON object, for an unknown key and for a value out of range
GivenValues read_generation_file(const std::string& path);

/// Reads generation_config.json of a model's folder. An unknown key is a note, because newer
/// versions of transformers write more keys.
/// @param model  as --model has it; only a folder can have that file
/// @return nothing if there is none @throws ConfigError as read_generation_file
std::optional<GivenValues> read_folder_generation_file(const std::string& model);

/// The value that a text on the command line stands for: JSON, also with True, False and None, or a
/// bare word.
KeyValue command_line_value(const GenerationKey& key, const std::string& text);

/// A key's value from a file or the command line. For top_k, null stands for 0.
/// @throws ConfigError naming origin, key, found and allowed
void add_given_value(GivenValues& given, const GenerationKey& key, KeyValue value);

/// The value as ASCII JSON, cut where it is long; for messages.
std::string shown(const KeyValue& value, std::size_t longest = 100);

}  // namespace speclab::experiments
