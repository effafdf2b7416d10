#pragma once
#include <string>
#include <string_view>

#include "engines/templates/rendering.h"

namespace speclab::templates {

/// A field of a format takes as long as so many evaluated nodes.
inline constexpr std::uint64_t kStepsOfField = 4;

/// Python's specification of a format: [[fill]align][sign][#][0][width][,][.precision][type].
struct FormatSpec {
  static constexpr std::size_t kMostWidth = 1'000'000;

  std::string fill = " ";
  char align = 0;  ///< < > ^ =, or 0: texts to the left, numbers to the right
  char sign = '-';
  bool alternate = false;
  bool fill_zero = false;
  std::size_t width = 0;
  char group = 0;  ///< , or _ between thousands
  int precision = -1;
  char type = 0;
};

/// Takes a number off a text; 0 if there is none. @throws TemplateError above kMostWidth
std::size_t take_number(const Rendering& rendering, std::string_view& text);
/// @throws TemplateError if it is none
FormatSpec parsed_spec(Rendering& rendering, std::string_view text);
/// @throws TemplateError if the type does not fit the value
std::string formatted(Rendering& rendering, const FormatSpec& spec, const Value& value);
/// Cut towards zero. @throws TemplateError for infinity, NaN and more than 127 bits
Value whole_part(const Rendering& rendering, double number);

}  // namespace speclab::templates
