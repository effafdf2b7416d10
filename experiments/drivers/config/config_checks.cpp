#include "experiments/drivers/config/config_checks.h"

#include <algorithm>
#include <cctype>

#include "engines/interface/sampling_options.h"

namespace speclab::experiments {

bool is_name(const std::string& text) {
  const auto is_name_character = [](unsigned char c) { return std::isalnum(c) || c == '_' || c == '-' || c == '.'; };
  return !text.empty() && text.front() != '.' && std::ranges::all_of(text, is_name_character);
}

void read_temperatures(ConfigReader& reader, const char* key, std::vector<double>& temperatures) {
  reader.read(key, temperatures, {.low = 0, .high = 100});
  for (std::size_t i = 0; i < temperatures.size() && reader.has(key); ++i)
    if (temperatures[i] > 0 && temperatures[i] < engines::kLeastTemperature)
      reader.refuse_element(key, i, fmt::format("0, or numbers from {} to 100", engines::kLeastTemperature));
}

}  // namespace speclab::experiments
