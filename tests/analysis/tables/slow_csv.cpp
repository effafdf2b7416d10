#include "tests/analysis/tables/slow_csv.h"

#include <set>

namespace speclab::testing {
namespace {

struct Refusal {};

class SlowCsv {
 public:
  explicit SlowCsv(const std::string& bytes)
      : bytes_(bytes), at_(bytes.rfind("\xEF\xBB\xBF", 0) == 0 ? 3 : 0) {}

  std::vector<SlowCsvRow> rows() {
    std::vector<SlowCsvRow> rows;
    while (at_ < bytes_.size()) rows.push_back(row());
    return rows;
  }

 private:
  std::size_t line_end() const {
    return bytes_.compare(at_, 1, "\n") == 0 ? 1 : bytes_.compare(at_, 2, "\r\n") == 0 ? 2 : 0;
  }
  bool is_at(char c) const { return at_ < bytes_.size() && bytes_[at_] == c; }
  bool is_field_over() const { return at_ == bytes_.size() || is_at(',') || line_end() > 0; }

  SlowCsvRow row() {
    if (line_end() > 0) throw Refusal();
    SlowCsvRow row = {field()};
    for (; is_at(','); row.push_back(field())) ++at_;
    at_ += line_end();
    return row;
  }

  std::optional<std::string> field() {
    const bool is_quoted = is_at('"');
    std::string text = is_quoted ? quoted() : bare();
    if (!is_field_over()) throw Refusal();
    if (text.empty() && !is_quoted) return std::nullopt;
    return text;
  }

  std::string bare() {
    std::string text;
    for (; !is_field_over(); ++at_) {
      if (is_at('"') || is_at('\r')) throw Refusal();
      text += bytes_[at_];
    }
    return text;
  }

  std::string quoted() {
    std::string text;
    for (++at_;; ++at_) {
      if (at_ == bytes_.size()) throw Refusal();
      if (is_at('"') && bytes_.compare(at_, 2, "\"\"") != 0) break;
      if (is_at('"')) ++at_;
      text += bytes_[at_];
    }
    ++at_;
    return text;
  }

  const std::string& bytes_;
  std::size_t at_;
};

void check(const std::vector<SlowCsvRow>& rows) {
  if (rows.empty()) throw Refusal();
  std::set<std::string> names;
  for (const auto& name : rows[0])
    if (!name || name->empty() || !names.insert(*name).second) throw Refusal();
  for (const auto& row : rows)
    if (row.size() != rows[0].size()) throw Refusal();
}

}  // namespace

std::optional<std::vector<SlowCsvRow>> read_csv_slowly(const std::string& bytes) try {
  std::vector<SlowCsvRow> rows = SlowCsv(bytes).rows();
  check(rows);
  return rows;
} catch (const Refusal&) {
  return std::nullopt;
}

}  // namespace speclab::testing
