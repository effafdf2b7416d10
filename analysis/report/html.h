#pragma once
#include <string>
#include <string_view>

#include "analysis/tables/estimate.h"

namespace speclab::analysis {

/// Text made safe for element content and quoted attributes.
std::string html_escaped(std::string_view text);

/// JSON or script made safe inside a <script> element.
std::string script_escaped(std::string text, std::string_view what, std::string_view replacement);

/// An estimate as texts that share their decimals; `low` and `high` are empty where there is no
/// interval.
struct EstimateText {
  std::string value;
  std::string low;
  std::string high;
};
EstimateText estimate_text(const Estimate& estimate, double factor = 1, int digits = 3);

/// "95 %: 1.91 to 2.42 UNIT, n = 56".
std::string interval_text(const Estimate& estimate, double factor, const std::string& unit,
                          int digits = 3);

/// "2.10 [1.91, 2.42]", values times `factor`; without brackets where there is no interval.
std::string with_interval(const Estimate& estimate, double factor = 1, int digits = 3);

}  // namespace speclab::analysis
