#pragma once
#include <nlohmann/json.hpp>
#include <string>

namespace speclab::experiments {

/// One line of standard input. @param allowed  what it may be, for the message @throws ConfigError
/// naming the line
nlohmann::json parse_json_line(const std::string& line, std::size_t number, const char* allowed);

/// Whether it is a number that can be a token id.
bool is_token_id(const nlohmann::json& value);

}  // namespace speclab::experiments
