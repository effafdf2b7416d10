#pragma once
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace speclab::engines {

/// Parses the text of a schema, members in their order.
/// @throws ConfigError if it is too long, too deep or no valid JSON, or if a key stands twice in
/// one object
nlohmann::ordered_json parse_schema(std::string_view text, const std::string& file);

}  // namespace speclab::engines
