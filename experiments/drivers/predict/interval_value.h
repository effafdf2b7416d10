#pragma once
#include <optional>
#include <string>
#include <vector>

#include "analysis/tables/estimate.h"

namespace speclab::experiments {

/// A number, with its interval where one is known.
struct IntervalValue {
  double value = 0.0;
  std::optional<analysis::Interval> interval{};

  double low() const { return interval ? interval->low : value; }
  double high() const { return interval ? interval->high : value; }
};

/// What a number on the command line may be.
struct AllowedNumbers {
  double low = 0.0;
  double high = 0.0;
  const char* text = "";  ///< for the message: "numbers from 0 to 1"
};

/// The parts between separators, empty ones too.
std::vector<std::string> split(const std::string& text, char separator);

/// A finite number, all of `text`. @param option  its name, for the message @throws ConfigError
double parse_number(const std::string& option, const std::string& text,
                    const AllowedNumbers& allowed);

/// VALUE, or VALUE:LOW:HIGH with LOW <= VALUE <= HIGH. @throws ConfigError
IntervalValue parse_interval_value(const std::string& option, const std::string& text,
                                   const AllowedNumbers& allowed);

}  // namespace speclab::experiments
