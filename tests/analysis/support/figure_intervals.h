#pragma once
// Every point that was measured has an interval and a number behind it, or its figure says why it
// has none.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <regex>
#include <string>

#include "analysis/plots/figure.h"

namespace speclab::analysis::testing {

/// What a figure's hollow marks are.
enum class Hollow : std::uint8_t { measured, of_a_paper };

inline bool says(const Figure& figure, const std::string& words) {
  return figure.caption.find(words) != std::string::npos;
}

/// The trainings that the caption says to have noted no interval, up to the end of the sentence;
/// empty where there are none.
inline std::string unnoted(const Figure& figure) {
  const std::size_t begin = figure.caption.find("No interval was noted by ");
  return begin == std::string::npos
             ? ""
             : figure.caption.substr(begin, figure.caption.find(". ", begin) - begin);
}

/// Whether the caption accounts for the points of this very series.
inline bool is_accounted_for(const Figure& figure, const Series& series) {
  if (series.name == "predicted")
    return says(figure, "without intervals") || says(figure, "without an interval");
  if (series.name == "training text") return says(figure, "so it has no interval");
  const std::string of_whom =
      says(figure, "Training of ") ? "noted by" : series.name.substr(0, series.name.find(','));
  return unnoted(figure).find(of_whom) != std::string::npos;
}

/// What is wrong with a figure; empty where nothing is.
inline std::string complaint(const Figure& figure, Hollow hollow) {
  const auto is_bare = [hollow](const Point& p) {
    return !p.interval && p.mark != Mark::none &&
           !(hollow == Hollow::of_a_paper && p.mark == Mark::hollow);
  };
  static const std::regex kNumber(
      "[0-9]+ (prompts?|places|logged drafts|passes)|one generation each");
  if (!std::regex_search(figure.caption, kNumber) && unnoted(figure).empty())
    return "the caption counts nothing";
  if (figure.kind == FigureKind::stacked_bars || figure.kind == FigureKind::waterfall)
    return figure.totals.empty() || std::ranges::any_of(figure.totals, is_bare)
               ? "a bar whose end has no interval"
               : "";
  for (const Series& series : figure.series)
    if (std::ranges::any_of(series.points, is_bare) && !is_accounted_for(figure, series))
      return fmt::format("points of '{}' without an interval", series.name);
  return "";
}

inline void expect_intervals(const Figure& figure, const std::string& whose,
                             Hollow hollow = Hollow::measured) {
  EXPECT_EQ(complaint(figure, hollow), "") << whose << ": " << figure.id << ": " << figure.caption;
}

}  // namespace speclab::analysis::testing
