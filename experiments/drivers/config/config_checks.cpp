#include "experiments/drivers/config/config_checks.h"

#include <algorithm>
#include <cctype>

namespace speclab::experiments {
namespace {

/// Leaves room for what file systems and tables put beside it: 255 bytes are a file's name.
constexpr std::size_t kLongestName = 200;

}  // namespace

bool is_name(const std::string& text) {
  const auto is_name_character = [](unsigned char c) {
    return std::isalnum(c) || c == '_' || c == '-' || c == '.';
  };
  return !text.empty() && text.size() <= kLongestName && text.front() != '.' &&
         std::ranges::all_of(text, is_name_character);
}

}  // namespace speclab::experiments
