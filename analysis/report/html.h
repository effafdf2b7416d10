#pragma once
#include <string>
#include <string_view>

#include "analysis/stats/estimate.h"

namespace speclab::analysis {

/// Text made safe for element content and quoted attributes.
std::string html_escaped(std::string_view text);

/// JSON or script made safe inside a <script> element.
std::string script_escaped(std::string text, std::string_view what, std::string_view replacement);

/// "2.1 [1.9, 2.4]", values times `factor`; without brackets where there is no interval.
std::string with_interval(const Estimate& estimate, double factor = 1, int digits = 3);

}  // namespace speclab::analysis
