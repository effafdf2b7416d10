#include "experiments/drivers/program/json_line.h"

#include <fmt/format.h>

#include <cstdint>
#include <limits>

#include "sim/core/token.h"
#include "sim/system/errors.h"
#include "sim/system/json_text.h"

namespace speclab::experiments {

nlohmann::json parse_json_line(const std::string& line, std::size_t number, const char* allowed) {
  if (json_depth(line) > kMostJsonDepth)
    throw ConfigError(fmt::format("standard input:{}: nested deeper than {}; allowed: {}", number,
                                  kMostJsonDepth, allowed));
  try {
    return nlohmann::json::parse(line);
  } catch (const nlohmann::json::exception& error) {
    throw ConfigError(fmt::format("standard input:{}: {}; allowed: {} ({})", number,
                                  escaped(line, 60), allowed, escaped(error.what(), 200)));
  }
}

bool is_token_id(const nlohmann::json& value) {
  return value.is_number_unsigned() &&
         value.get<std::uint64_t>() <=
             static_cast<std::uint64_t>(std::numeric_limits<Token>::max());
}

}  // namespace speclab::experiments
