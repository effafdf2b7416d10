#pragma once
#include <optional>
#include <string>

#include "engines/interface/chat_request.h"

namespace speclab::experiments {

/// A conversation and what its template may ask for, as options of a command.
struct ChatOptions {
  std::optional<std::string> messages;   ///< file with an array
  std::optional<std::string> tools;      ///< file with an array
  std::optional<std::string> variables;  ///< file with an object
  std::optional<std::string> system;     ///< text of a first message
};

/// What the files of the options hold; messages are empty where no file is given.
/// @throws ConfigError naming option and file where one is no such JSON, too large or too deep, or
/// where a system message is given twice
engines::ChatRequest read_chat_request(const ChatOptions& options);

}  // namespace speclab::experiments
