#include "analysis/io/laws.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <numeric>
#include <string_view>

#include "sim/core/errors.h"
#include "sim/core/files.h"

namespace speclab::analysis {
namespace {

constexpr double kSumTolerance = 1e-6;  // laws written with six or seven decimals
constexpr std::string_view kSeparators = ", \t\r";

struct Line {
  std::size_t number = 1;
  std::vector<double> values;
};

[[noreturn]] void fail(const std::string& path, std::size_t line, const std::string& message) {
  throw DataError(fmt::format("{}:{}: {}", path, line, message));
}

/// The text between the brackets, if it has them.
std::string_view without_brackets(std::string_view text) {
  const auto first = text.find_first_not_of(kSeparators), last = text.find_last_not_of(kSeparators);
  if (first == std::string_view::npos || text[first] != '[' || text[last] != ']') return text;
  return text.substr(first + 1, last - first - 1);
}

double probability(const std::string& path, std::size_t line, std::string_view word) {
  double value = 0.0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (error != std::errc() || end != word.data() + word.size() || !std::isfinite(value) || value < 0.0 || value > 1.0)
    fail(path, line, fmt::format("'{}'; allowed: probabilities from 0 to 1, separated by commas or blanks", escaped(word, 40)));
  return value;
}

/// Leaving it out would move all tokens behind it.
bool has_empty_entry(std::string_view text) {
  bool after_comma = true;
  for (const char c : text) {
    if (c == ',' && after_comma) return true;
    if (c == ',' || kSeparators.find(c) == std::string_view::npos) after_comma = c == ',';
  }
  return false;
}

std::vector<double> probabilities(const std::string& path, std::size_t line, std::string_view text) {
  std::vector<double> values;
  text = without_brackets(text);
  if (has_empty_entry(text)) fail(path, line, "a comma with nothing before it; allowed: a probability for every token");
  for (; (text = text.substr(std::min(text.size(), text.find_first_not_of(kSeparators)))).size() > 0;) {
    const std::size_t length = std::min(text.size(), text.find_first_of(kSeparators));
    values.push_back(probability(path, line, text.substr(0, length)));
    text.remove_prefix(length);
  }
  return values;
}

/// Lines that hold nothing are left out only at the end of the file.
std::vector<Line> read_lines(const std::string& path) {
  std::vector<Line> lines;
  const std::string content = read_file(path);
  for (std::size_t begin = 0, number = 1; begin < content.size(); ++number) {
    const std::size_t end = std::min(content.size(), content.find('\n', begin));
    lines.push_back({number, probabilities(path, number, std::string_view(content).substr(begin, end - begin))});
    begin = end + 1;
  }
  while (!lines.empty() && lines.back().values.empty()) lines.pop_back();
  if (lines.empty()) throw DataError(path + ": no law; give a line of probabilities for each prefix");
  for (const Line& line : lines)
    if (line.values.empty()) fail(path, line.number, "no number on this line; allowed: one law a line");
  return lines;
}

std::vector<Line> as_one_law_if_column(std::vector<Line> lines) {
  const bool is_column = lines.size() > 1 && std::ranges::all_of(lines, [](const Line& line) { return line.values.size() == 1; });
  if (!is_column) return lines;
  for (std::size_t i = 1; i < lines.size(); ++i) lines[0].values.push_back(lines[i].values[0]);
  lines.resize(1);
  return lines;
}

}  // namespace

std::vector<std::vector<double>> read_laws(const std::string& path) {
  std::vector<std::vector<double>> laws;
  for (Line& line : as_one_law_if_column(read_lines(path))) {
    const double sum = std::reduce(line.values.begin(), line.values.end());
    if (!(std::abs(sum - 1.0) <= kSumTolerance))
      fail(path, line.number, fmt::format("{} probabilities that sum to {}; allowed: a sum of 1 within {}", line.values.size(), sum, kSumTolerance));
    if (!laws.empty() && line.values.size() != laws[0].size())
      fail(path, line.number,
           fmt::format("{} probabilities, the line before has {}; all laws need the same vocabulary", line.values.size(), laws[0].size()));
    for (double& value : line.values) value /= sum;
    laws.push_back(std::move(line.values));
  }
  return laws;
}

}  // namespace speclab::analysis
