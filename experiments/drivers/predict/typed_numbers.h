#pragma once
// Numbers of the command line, with intervals where they are known.

#include <string>
#include <vector>

#include "analysis/tables/estimate.h"

namespace speclab::experiments {

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
analysis::Estimate parse_estimate(const std::string& option, const std::string& text,
                                  const AllowedNumbers& allowed);

}  // namespace speclab::experiments
