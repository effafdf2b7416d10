#include "experiments/drivers/predict/text_table.h"

#include <algorithm>
#include <string_view>

#include "sim/system/errors.h"

namespace speclab::experiments {
namespace {

/// Characters of UTF-8 text: all bytes but those that continue one.
std::size_t width_of(const std::string& text) {
  return static_cast<std::size_t>(std::ranges::count_if(
      text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

}  // namespace

void TextTable::add_row(std::vector<std::string> row) {
  SPECLAB_EXPECT(row.size() == rows_[0].size(), std::to_string(row.size()) +
                                                    " fields, the table has " +
                                                    std::to_string(rows_[0].size()) + " columns");
  rows_.push_back(std::move(row));
}

bool TextTable::has_words(std::size_t column) const {
  const auto is_number = [&](const auto& row) {
    return row[column].empty() ||
           std::string_view("-0123456789").find(row[column][0]) != std::string_view::npos;
  };
  return !std::all_of(rows_.begin() + 1, rows_.end(), is_number);
}

std::string TextTable::text() const {
  std::vector<std::size_t> widths(rows_[0].size(), 0);
  for (const auto& row : rows_)
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], width_of(row[i]));
  std::vector<bool> words;
  for (std::size_t i = 0; i < widths.size(); ++i) words.push_back(has_words(i));
  std::string text;
  for (const auto& row : rows_) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      const std::string blanks(widths[i] - width_of(row[i]), ' ');
      text += (i == 0 ? "" : "  ") + (words[i] ? row[i] + blanks : blanks + row[i]);
    }
    text.erase(text.find_last_not_of(' ') + 1);
    text += '\n';
  }
  return text;
}

}  // namespace speclab::experiments
