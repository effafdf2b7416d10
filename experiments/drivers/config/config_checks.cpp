#include "experiments/drivers/config/config_checks.h"

#include <algorithm>
#include <cctype>

namespace speclab::experiments {

bool is_name(const std::string& text) {
  const auto is_name_character = [](unsigned char c) { return std::isalnum(c) || c == '_' || c == '-' || c == '.'; };
  return !text.empty() && text.front() != '.' && std::ranges::all_of(text, is_name_character);
}

}  // namespace speclab::experiments
