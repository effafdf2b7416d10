// Data, comments and raw blocks of a template; tag_tokens.cpp reads what stands inside a tag.

#include <algorithm>
#include <string>
#include <string_view>

#include "engines/templates/characters.h"
#include "engines/templates/template.h"
#include "engines/templates/tokens.h"

namespace speclab::templates {
namespace {

/// Line ends become line feeds, and one at the end goes.
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

/// A place in the source of a template that only goes forward.
class SourceCursor {
 public:
  explicit SourceCursor(std::string_view source)
      : source_(with_line_feeds(source)), rest_(source_) {}
  SourceCursor(const SourceCursor&) = delete;
  SourceCursor& operator=(const SourceCursor&) = delete;

  std::string_view rest() const { return rest_; }
  bool is_at_end() const { return rest_.empty(); }
  int line() const { return line_; }
  bool begins_line() const { return begins_line_; }

  void take(std::size_t count) {
    const std::string_view taken = rest_.substr(0, count);
    line_ += static_cast<int>(std::ranges::count(taken, '\n'));
    if (!taken.empty()) begins_line_ = taken.back() == '\n';
    rest_.remove_prefix(count);
  }
  bool take_if(std::string_view text) {
    const bool is_here = rest_.starts_with(text);
    if (is_here) take(text.size());
    return is_here;
  }
  /// True if there were some.
  bool take_blanks() {
    const std::size_t before = rest_.size();
    take(before - without_spaces(rest_, Side::left).size());
    return rest_.size() < before;
  }

  /// The end of a comment or of a block: `-%}` takes the blanks behind it, `%}` one line feed.
  bool take_end(char kind) {
    const std::string end{kind, '}'};
    if (take_if("-" + end)) return take_blanks(), true;
    if (take_if("+" + end)) return true;
    return take_if(end) && (take_if("\n"), true);
  }
  /// The end of an expression that is printed: `-}}` takes the blanks behind it.
  bool take_expression_end() {
    if (take_if("-}}")) return take_blanks(), true;
    return take_if("}}");
  }
  /// Takes `raw %}` if it stands here.
  bool take_raw() {
    std::string_view rest = without_spaces(rest_, Side::left);
    if (!rest.starts_with("raw")) return false;
    rest = without_spaces(rest.substr(3), Side::left);
    const bool takes_blanks = rest.starts_with("-%}");
    if (!takes_blanks && !rest.starts_with("%}")) return false;
    take(rest_.size() - rest.size() + (takes_blanks ? 3 : 2));
    if (takes_blanks) take_blanks();
    return true;
  }

 private:
  std::string source_;
  std::string_view rest_;
  int line_ = 1;
  bool begins_line_ = true;
};

class Lexer {
 public:
  explicit Lexer(std::string_view source) : source_(source) {}

  std::vector<Token> read() {
    while (!source_.is_at_end()) read_data_and_tag();
    add(TokenType::end, "");
    return std::move(tokens_);
  }

 private:
  void add(TokenType type, std::string text) {
    tokens_.push_back({type, std::move(text), source_.line()});
  }

  /// Text up to a tag loses blanks: all of them before `{%-`, and before a block or comment on a
  /// line of its own those of that line.
  void add_data(std::string_view data, char sign, bool is_block, bool begins_line) {
    if (sign == '-') {
      data = without_spaces(data, Side::right);
    } else if (sign != '+' && is_block) {
      const std::size_t line_feed = data.rfind('\n');
      const std::size_t begin = line_feed == data.npos ? 0 : line_feed + 1;
      const bool is_at_begin = begin > 0 || begins_line;
      if (is_at_begin && without_spaces(data.substr(begin), Side::left).empty())
        data = data.substr(0, begin);
    }
    if (!data.empty()) add(TokenType::data, std::string(data));
  }

  void read_data_and_tag() {
    const std::string_view rest = source_.rest();
    std::size_t begin = rest.find('{');
    while (begin != rest.npos && begin + 1 < rest.size() &&
           std::string_view("{%#").find(rest[begin + 1]) == std::string_view::npos)
      begin = rest.find('{', begin + 1);
    if (begin == rest.npos || begin + 1 >= rest.size()) {
      add(TokenType::data, std::string(rest));
      source_.take(rest.size());
      return;
    }
    const char kind = rest[begin + 1];
    const char sign = begin + 2 < rest.size() ? rest[begin + 2] : ' ';
    const bool begins_line = source_.begins_line();
    const std::string_view data = rest.substr(0, begin);
    add_data(data, sign, kind != '{', begins_line);
    source_.take(begin + 2);
    if (sign == '-' || sign == '+') source_.take(1);
    if (kind == '#') return skip_comment();
    if (kind == '%' && source_.take_raw()) return read_raw();
    read_tag(kind == '%');
  }

  void skip_comment() {
    if (source_.is_at_end()) return;  // like jinja2: nothing was opened
    const int line = source_.line();
    const std::string_view rest = source_.rest();
    for (std::size_t at = rest.find("#}"); at != rest.npos; at = rest.npos) {
      if (at > 0 && (rest[at - 1] == '-' || rest[at - 1] == '+')) --at;
      source_.take(at);
      if (source_.take_end('#')) return;
    }
    fail_syntax(line, "a comment without its end; close it with #}");
  }

  void read_raw() {
    if (source_.is_at_end()) return;
    const int line = source_.line();
    const std::string_view rest = source_.rest();
    const bool begins_line = source_.begins_line();
    for (std::size_t at = rest.find("{%"); at != rest.npos; at = rest.find("{%", at + 1)) {
      std::string_view tag = rest.substr(at + 2);
      const char sign = tag.empty() ? ' ' : tag[0];
      if (sign == '-' || sign == '+') tag.remove_prefix(1);
      tag = without_spaces(tag, Side::left);
      if (!tag.starts_with("endraw")) continue;
      tag = without_spaces(tag.substr(6), Side::left);
      if (!tag.starts_with("%}") && !tag.starts_with("-%}") && !tag.starts_with("+%}")) continue;
      add_data(rest.substr(0, at), sign, true, begins_line);
      source_.take(rest.size() - tag.size());
      source_.take_end('%');
      return;
    }
    fail_syntax(line, "a raw block without its end; close it with {% endraw %}");
  }

  void read_tag(bool is_block) {
    const int line = source_.line();
    add(is_block ? TokenType::block_begin : TokenType::variable_begin, is_block ? "{%" : "{{");
    open_.clear();
    while (!source_.is_at_end()) {
      if (open_.empty() && ends_tag(is_block)) return;
      read_token();
    }
    fail_syntax(line, is_block ? "a tag without its end; close it with %}"
                               : "an expression without its end; close it with }}");
  }

  bool ends_tag(bool is_block) {
    const TokenType type = is_block ? TokenType::block_end : TokenType::variable_end;
    const int line = source_.line();
    if (!(is_block ? source_.take_end('%') : source_.take_expression_end())) return false;
    tokens_.push_back({type, is_block ? "%}" : "}}", line});
    return true;
  }

  void read_token() {
    if (source_.take_blanks()) return;
    const bool is_behind_dot = tokens_.back().type == TokenType::sign && tokens_.back().text == ".";
    TagToken read = tag_token(source_.rest(), is_behind_dot, source_.line());
    if (read.token.type == TokenType::sign) note_bracket(read.token.text[0]);
    source_.take(read.length);
    tokens_.push_back(std::move(read.token));
  }

  void note_bracket(char sign) {
    if (std::string_view("([{").find(sign) != std::string_view::npos) open_.push_back(sign);
    if (std::string_view(")]}").find(sign) != std::string_view::npos) close(sign);
  }

  void close(char sign) {
    const char opening = sign == ')' ? '(' : sign == ']' ? '[' : '{';
    if (open_.empty() || open_.back() != opening)
      fail_syntax(source_.line(),
                  std::string("'") + sign + "' without '" + opening + "' before it");
    open_.pop_back();
  }

  SourceCursor source_;
  std::string open_;  ///< brackets of the tag that are not closed
  std::vector<Token> tokens_;
};

}  // namespace

std::vector<Token> tokens_of(std::string_view source, const Limits& limits) {
  if (source.size() > limits.source_bytes)
    throw TemplateError(Fault::limit, 1,
                        std::to_string(source.size()) + " bytes of source; allowed: at most " +
                            std::to_string(limits.source_bytes));
  if (!is_valid_utf8(source)) fail_syntax(1, "bytes that are no UTF-8");
  return Lexer(source).read();
}

}  // namespace speclab::templates
