#include "experiments/drivers/toml/config_place.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <string_view>

#include "sim/system/errors.h"
#include "sim/system/utf8.h"

namespace speclab::experiments {
namespace {

constexpr std::size_t kShownBefore = 60, kShownAfter = 40;  ///< code points around the caret

std::string_view line_of(std::string_view content, int line) {
  std::size_t begin = 0;
  for (int i = 1; i < line && begin < content.size(); ++i)
    begin = std::min(content.find('\n', begin), content.size() - 1) + 1;
  return content.substr(begin,
                        std::min(content.find_first_of("\r\n", begin), content.size()) - begin);
}

/// Code points around a place of a line, or bytes that are none of UTF-8.
struct Window {
  std::deque<std::string_view> points{};
  std::size_t at = 0;  ///< the place, among the points; behind them where the line is shorter
  bool is_cut_before = false, is_cut_after = false;
};

/// No more of the line is kept than is shown. A byte-order mark is no part of it. @param at  from 0
Window window_around(std::string_view line, std::size_t at) {
  Window window;
  if (line.starts_with("\xef\xbb\xbf")) line.remove_prefix(3);
  for (std::size_t i = 0; !line.empty() && i < at + kShownAfter; ++i) {
    const Utf8Head head = utf8_head(line);
    const std::size_t length = head.state == Utf8State::complete ? head.length : 1;
    window.points.push_back(line.substr(0, length));
    line.remove_prefix(length);
    window.at += i < at;
    if (window.at <= kShownBefore) continue;
    window.points.pop_front();
    --window.at;
    window.is_cut_before = true;
  }
  window.is_cut_after = !line.empty();
  return window;
}

/// One column wide: tabs are a blank, what cannot be shown a question mark.
std::string shown(std::string_view point) {
  if (point == "\t") return " ";
  const bool is_plain = point == "\"" || point == "\\" || escaped(point) == point;
  return is_plain ? std::string(point) : "?";
}

}  // namespace

std::string ConfigPlace::text() const {
  return line == 0 ? source->name : fmt::format("{}:{}:{}", source->name, line, column);
}

std::string ConfigPlace::excerpt() const {
  if (line == 0) return "";
  const Window window = window_around(line_of(source->content, line),
                                      static_cast<std::size_t>(std::max(column, 1)) - 1);
  std::string text;
  for (const std::string_view point : window.points) text += shown(point);
  const std::string before = window.is_cut_before ? "..." : "",
                    after = window.is_cut_after ? "..." : "";
  return fmt::format("\n  {}{}{}\n  {}^", before, text, after,
                     std::string(before.size() + window.at, ' '));
}

void Findings::add(const ConfigPlace& where, const std::string& key, const std::string& message) {
  if (places_.insert(where).second) findings_.push_back({where, key, message});
}

bool Findings::concerns(const std::string& key) const {
  return std::ranges::any_of(findings_, [&](const Finding& finding) {
    return finding.key == key || finding.key.starts_with(key + ".");
  });
}

bool Findings::is_about(const std::string& key) const {
  return std::ranges::find(findings_, key, &Finding::key) != findings_.end();
}

void Findings::throw_if_any() const {
  if (findings_.empty()) return;
  std::vector<Finding> sorted = findings_;
  std::ranges::stable_sort(sorted,
                           [](const Finding& a, const Finding& b) { return a.where < b.where; });
  std::string text;
  for (std::size_t i = 0; i < std::min(sorted.size(), kMostShown); ++i)
    text += fmt::format("{}{}: {}{}", i == 0 ? "" : "\n", sorted[i].where.text(), sorted[i].message,
                        sorted[i].where.excerpt());
  if (sorted.size() > kMostShown) text += fmt::format("\nand {} more", sorted.size() - kMostShown);
  throw ConfigError(text);
}

}  // namespace speclab::experiments
