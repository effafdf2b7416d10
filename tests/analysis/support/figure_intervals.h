#pragma once
// Every point that was measured has an interval, or its figure says why it has none.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <regex>
#include <string>
#include <string_view>

#include "analysis/plots/figure.h"

namespace speclab::analysis::testing {

/// Words of a caption that account for points without an interval.
inline constexpr std::array<std::string_view, 4> kAccounts{"none for a single prompt", "No interval was noted by", "without intervals", "none where nothing drafted pays"};

/// Filled marks are ours and measured; hollow ones with no interval are a paper's, and parts of bars have theirs at the bars' ends.
inline std::size_t points_without_interval(const Figure& figure) {
  const auto is_bare = [](const Point& point) { return !point.interval && point.mark == Mark::filled; };
  std::size_t bare = static_cast<std::size_t>(std::ranges::count_if(figure.totals, is_bare));
  if (figure.kind == FigureKind::stacked_bars || figure.kind == FigureKind::waterfall) return bare;
  for (const Series& series : figure.series) bare += static_cast<std::size_t>(std::ranges::count_if(series.points, is_bare));
  return bare;
}

/// Whether the caption counts what is behind a point.
inline bool tells_a_number(const std::string& caption) {
  static const std::regex kNumber("[0-9]+ (prompts?|places|logged drafts|passes)|one generation each|No interval was noted by");
  return std::regex_search(caption, kNumber);
}

inline void expect_intervals(const Figure& figure, const std::string& whose) {
  const bool is_accounted_for = std::ranges::any_of(kAccounts, [&](std::string_view words) { return figure.caption.find(words) != std::string::npos; });
  const std::size_t bare = points_without_interval(figure);
  EXPECT_TRUE(bare == 0 || is_accounted_for) << whose << ": " << figure.id << ": " << bare << " points without an interval; " << figure.caption;
  EXPECT_TRUE(tells_a_number(figure.caption)) << whose << ": " << figure.id << ": " << figure.caption;
}

}  // namespace speclab::analysis::testing
