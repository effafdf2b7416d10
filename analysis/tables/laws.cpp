#include "analysis/tables/laws.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <numeric>
#include <string_view>
#include <utility>

#include "sim/system/errors.h"
#include "sim/system/files.h"

namespace speclab::analysis {
namespace {

constexpr double kSumTolerance = 1e-6;  // laws written with six or seven decimals
constexpr std::string_view kSeparators = ", \t\r";

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
  if (error != std::errc() || end != word.data() + word.size() || !std::isfinite(value) ||
      value < 0.0 || value > 1.0)
    fail(path, line,
         fmt::format("'{}'; allowed: probabilities from 0 to 1, separated by commas or blanks",
                     escaped(word, 40)));
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

std::vector<double> probabilities(const std::string& path, std::size_t line,
                                  std::string_view text) {
  std::vector<double> values;
  text = without_brackets(text);
  if (has_empty_entry(text))
    fail(path, line, "a comma with nothing before it; allowed: a probability for every token");
  while (
      !(text = text.substr(std::min(text.size(), text.find_first_not_of(kSeparators)))).empty()) {
    const std::size_t length = std::min(text.size(), text.find_first_of(kSeparators));
    values.push_back(probability(path, line, text.substr(0, length)));
    text.remove_prefix(length);
  }
  return values;
}

}  // namespace

LawReader::LawReader(const std::string& path) : path_(path), file_(open_input(path)) {
  std::error_code error;
  if (const auto size = std::filesystem::file_size(path, error); !error && size > kLargestFileRead)
    throw DataError(
        fmt::format("{}: has {} bytes; allowed: at most {}; is it the file that was meant?", path,
                    size, kLargestFileRead));
}

bool LawReader::read_line() {
  std::string text;
  for (std::size_t blank = 0; std::getline(file_, text);) {
    ++number_;
    values_ = probabilities(path_, number_, text);
    if (values_.empty() && blank == 0) blank = number_;
    if (values_.empty())
      continue;  // lines that hold nothing are left out at the end of the file only
    if (blank != 0) fail(path_, blank, "no number on this line; allowed: one law a line");
    return true;
  }
  if (file_.bad()) throw DataError(path_ + ": cannot read: " + std::strerror(errno));
  return false;
}

/// Lines of one number each are one law, written down the page.
void LawReader::read_column() {
  std::vector<double> column;
  do {
    if (values_.size() != 1)
      fail(path_, number_,
           fmt::format("{} probabilities, the line before has 1; all laws need the same vocabulary",
                       values_.size()));
    column.push_back(values_[0]);
  } while (read_line());
  values_ = std::move(column);
  number_ = 1;
}

void LawReader::normalise() {
  const double sum = std::reduce(values_.begin(), values_.end());
  if (!(std::abs(sum - 1.0) <= kSumTolerance))
    fail(path_, number_,
         fmt::format("{} probabilities that sum to {}; allowed: a sum of 1 within {}",
                     values_.size(), sum, kSumTolerance));
  for (double& value : values_) value /= sum;
}

const std::vector<double>* LawReader::next() {
  if (!read_line()) {
    if (laws_ == 0)
      throw DataError(path_ + ": no law; give a line of probabilities for each prefix");
    return nullptr;
  }
  if (laws_ == 0 && values_.size() == 1) read_column();
  normalise();
  if (laws_ > 0 && values_.size() != vocab_)
    fail(path_, number_,
         fmt::format("{} probabilities, the line before has {}; all laws need the same vocabulary",
                     values_.size(), vocab_));
  vocab_ = values_.size();
  ++laws_;
  return &values_;
}

}  // namespace speclab::analysis
