#include "engines/templates/source_cursor.h"

#include <algorithm>

#include "engines/templates/characters.h"

namespace speclab::templates {
namespace {

std::string with_line_feeds(std::string_view source) {
  std::string text;
  text.reserve(source.size());
  for (std::size_t i = 0; i < source.size(); ++i) {
    const bool is_pair = source[i] == '\r' && i + 1 < source.size() && source[i + 1] == '\n';
    if (!is_pair) text.push_back(source[i] == '\r' ? '\n' : source[i]);
  }
  if (text.ends_with('\n')) text.pop_back();
  return text;
}

}  // namespace

SourceCursor::SourceCursor(std::string_view source)
    : source_(with_line_feeds(source)), rest_(source_) {}

void SourceCursor::take(std::size_t count) {
  const std::string_view taken = rest_.substr(0, count);
  line_ += static_cast<int>(std::ranges::count(taken, '\n'));
  if (!taken.empty()) begins_line_ = taken.back() == '\n';
  rest_.remove_prefix(count);
}

bool SourceCursor::take_if(std::string_view text) {
  if (!rest_.starts_with(text)) return false;
  take(text.size());
  return true;
}

std::size_t SourceCursor::num_blanks() const {
  return rest_.size() - without_spaces(rest_, Side::left).size();
}

bool SourceCursor::take_end(char kind) {
  const std::string end{kind, '}'};
  if (take_if("-" + end)) {
    take_blanks();
    return true;
  }
  if (take_if("+" + end)) return true;
  if (!take_if(end)) return false;
  take_if("\n");
  return true;
}

bool SourceCursor::take_expression_end() {
  if (!take_if("-}}")) return take_if("}}");
  take_blanks();
  return true;
}

bool SourceCursor::take_raw() {
  std::string_view rest = without_spaces(rest_, Side::left);
  if (!rest.starts_with("raw")) return false;
  rest = without_spaces(rest.substr(3), Side::left);
  const bool takes_blanks = rest.starts_with("-%}");
  if (!takes_blanks && !rest.starts_with("%}")) return false;
  take(rest_.size() - rest.size() + (takes_blanks ? 3 : 2));
  if (takes_blanks) take_blanks();
  return true;
}

}  // namespace speclab::templates
