#pragma once
// Values of GenerationConfig keys as files and command lines have them.

#include <optional>
#include <string>
#include <vector>

#include "experiments/drivers/generation/generation_keys.h"

namespace speclab::experiments {

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

}  // namespace speclab::experiments
