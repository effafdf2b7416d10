#include "experiments/drivers/config/config_place.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <string_view>
#include <vector>

#include "sim/core/errors.h"
#include "sim/core/utf8.h"

namespace speclab::experiments {
namespace {

constexpr std::size_t kShownBefore = 60, kShownAfter = 40;  ///< code points around the caret

std::string_view line_of(std::string_view content, int line) {
  std::size_t begin = 0;
  for (int i = 1; i < line && begin < content.size(); ++i) begin = std::min(content.find('\n', begin), content.size() - 1) + 1;
  return content.substr(begin, std::min(content.find_first_of("\r\n", begin), content.size()) - begin);
}

/// Code points, or bytes that are none of UTF-8; a byte-order mark is no part of the line.
std::vector<std::string_view> code_points(std::string_view line) {
  std::vector<std::string_view> points;
  if (line.starts_with("\xef\xbb\xbf")) line.remove_prefix(3);
  while (!line.empty()) {
    const Utf8Head head = utf8_head(line);
    const std::size_t length = head.state == Utf8State::complete ? head.length : 1;
    points.push_back(line.substr(0, length));
    line.remove_prefix(length);
  }
  return points;
}

/// One column wide: tabs are a blank, what cannot be shown a question mark.
std::string shown(std::string_view point) {
  if (point == "\t") return " ";
  const bool is_plain = point == "\"" || point == "\\" || escaped(point) == point;
  return is_plain ? std::string(point) : "?";
}

}  // namespace

std::string ConfigPlace::text() const { return line == 0 ? source->name : fmt::format("{}:{}:{}", source->name, line, column); }

std::string ConfigPlace::excerpt() const {
  if (line == 0) return "";
  const std::vector<std::string_view> points = code_points(line_of(source->content, line));
  const std::size_t at = std::min(static_cast<std::size_t>(std::max(column, 1)) - 1, points.size());
  const std::size_t begin = at > kShownBefore ? at - kShownBefore : 0, end = std::min(points.size(), at + kShownAfter);
  std::string text;
  for (std::size_t i = begin; i < end; ++i) text += shown(points[i]);
  const std::string before = begin > 0 ? "..." : "", after = end < points.size() ? "..." : "";
  return fmt::format("\n  {}{}{}\n  {}^", before, text, after, std::string(before.size() + at - begin, ' '));
}

ConfigPlace option_place(const std::string& option) {
  return {std::make_shared<SourceText>(SourceText{.name = option, .content = "", .order = std::numeric_limits<int>::max()})};
}

}  // namespace speclab::experiments
