#pragma once
// Options that take numbers.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <charconv>
#include <initializer_list>
#include <limits>
#include <optional>
#include <string>
#include <type_traits>

#include "sim/system/errors.h"

namespace speclab::experiments {

/// The whole text must be a number of the option's type: CLI11 would take "" for 0 and let large
/// seeds saturate.
template <typename Number>
CLI::Validator whole_number() {
  const auto check = [](const std::string& text) -> std::string {
    Number value{};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (!text.empty() && error == std::errc() && end == text.data() + text.size()) return "";
    if constexpr (std::is_integral_v<Number>)
      return fmt::format("'{}'; allowed: integers from {} to {}", escaped(text, 40),
                         std::numeric_limits<Number>::min(), std::numeric_limits<Number>::max());
    return fmt::format("'{}'; allowed: numbers", escaped(text, 40));
  };
  return CLI::Validator(check, "");
}

/// For texts where an empty one would be taken for none.
inline CLI::Validator not_empty() {
  return CLI::Validator(
      [](const std::string& text) {
        return text.empty() ? std::string("''; allowed: anything but an empty text")
                            : std::string();
      },
      "");
}

/// The numbers that an option takes, for --help; the command checks them where it knows all
/// options.
inline CLI::Validator takes(const std::string& range) { return CLI::Validator(range); }

/// Says which names an option takes, so that shells complete them.
template <typename Names>
CLI::Validator takes_one_of(const Names& names) {
  return CLI::Validator(fmt::format("{{{}}}", fmt::join(names, ",")));
}
inline CLI::Validator takes_one_of(std::initializer_list<const char*> names) {
  return CLI::Validator(fmt::format("{{{}}}", fmt::join(names, ",")));
}

/// @param names  what takes_one_of makes
inline CLI::Option* add_choice(CLI::App* command, const char* name, std::string& value,
                               const char* description, const CLI::Validator& names) {
  return command->add_option(name, value, description)->capture_default_str()->check(names);
}

template <typename Number>
CLI::Option* add_number(CLI::App* command, const char* name, Number& value,
                        const char* description) {
  return command->add_option(name, value, description)
      ->capture_default_str()
      ->check(whole_number<Number>());
}

template <typename Number>
CLI::Option* add_number(CLI::App* command, const char* name, std::optional<Number>& value,
                        const char* description) {
  return command->add_option(name, value, description)->check(whole_number<Number>());
}

}  // namespace speclab::experiments
