#include "engines/interface/sampling_options.h"

#include <fmt/format.h>

#include <cmath>
#include <type_traits>

#include "engines/interface/sampling_rows.h"
#include "sim/system/errors.h"

namespace speclab::engines {
namespace {

void check(bool valid, const char* field, double value, const char* allowed) {
  if (!valid || !std::isfinite(value))
    throw ConfigError(fmt::format("{} = {}; allowed: {}", field, value, allowed));
}

}  // namespace

void SamplingOptions::validate() const {
  check(temperature >= 0, "temperature", temperature, "finite numbers >= 0 (0 is greedy)");
  check(temperature == 0 || temperature >= kLeastTemperature, "temperature", temperature,
        "0 or at least 0.001");
  for_each_sampling_row([this](const auto& row) {
    if constexpr (std::is_arithmetic_v<std::remove_cvref_t<decltype(this->*row.member)>>)
      check(row.range.holds(this->*row.member), row.name, this->*row.member, row.range.allowed);
  });
  for (const std::int32_t token : suppress_tokens)
    check(token >= 0, "suppress_tokens", token, ranges::kIds.allowed);
  for (const std::int32_t token : eos_token_ids)
    check(token >= 0, "eos_token_ids", token, ranges::kIds.allowed);
  rules.validate();
}

void SamplingOptions::check_tokens(std::size_t vocab_size, const std::string& model) const {
  for (const auto* tokens : {&suppress_tokens, &eos_token_ids})
    for (const Token token : *tokens)
      if (token < 0 || static_cast<std::size_t>(token) >= vocab_size)
        throw ConfigError(fmt::format(
            "suppress_tokens or eos_token_ids has {}; allowed: 0 to {} ({}'s vocabulary)", token,
            vocab_size - 1, escaped(model, 200)));
  for (const Token token : rules.tokens())
    if (token < 0 || static_cast<std::size_t>(token) >= vocab_size)
      throw ConfigError(fmt::format(
          "sequence_bias, bad_words_ids, begin_suppress_tokens or a forced token has {}; allowed: "
          "0 to {} ({}'s vocabulary)",
          token, vocab_size - 1, escaped(model, 200)));
}

}  // namespace speclab::engines
