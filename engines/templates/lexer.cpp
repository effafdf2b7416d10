#include "engines/templates/lexer.h"

#include <algorithm>

#include "engines/templates/characters.h"
#include "engines/templates/tag_token.h"
#include "engines/templates/template_error.h"

namespace speclab::templates {
namespace {

[[noreturn]] void fail_at(int line, const std::string& message) {
  throw TemplateError(Fault::syntax, line, message);
}

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

class Lexer {
 public:
  explicit Lexer(std::string source) : source_(std::move(source)), rest_(source_) {}

  std::vector<Token> read() {
    while (!rest_.empty()) read_data_and_tag();
    add(TokenType::end, "");
    return std::move(tokens_);
  }

 private:
  void add(TokenType type, std::string text) { tokens_.push_back({type, std::move(text), line_}); }

  /// Takes the next bytes and counts their lines.
  std::string_view take(std::size_t count) {
    const std::string_view taken = rest_.substr(0, count);
    line_ += static_cast<int>(std::ranges::count(taken, '\n'));
    if (!taken.empty()) begins_line_ = taken.back() == '\n';
    rest_.remove_prefix(count);
    return taken;
  }
  bool take_if(std::string_view text) {
    if (!rest_.starts_with(text)) return false;
    take(text.size());
    return true;
  }
  void take_spaces() { take(rest_.size() - without_spaces(rest_, Side::left).size()); }

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
    std::size_t begin = rest_.find('{');
    while (begin != rest_.npos && begin + 1 < rest_.size() &&
           std::string_view("{%#").find(rest_[begin + 1]) == std::string_view::npos)
      begin = rest_.find('{', begin + 1);
    if (begin == rest_.npos || begin + 1 >= rest_.size()) {
      add(TokenType::data, std::string(rest_));
      take(rest_.size());
      return;
    }
    const char kind = rest_[begin + 1];
    const char sign = begin + 2 < rest_.size() ? rest_[begin + 2] : ' ';
    const bool begins_line = begins_line_;
    const std::string_view data = rest_.substr(0, begin);
    add_data(data, sign, kind != '{', begins_line);
    take(begin + 2);
    if (sign == '-' || sign == '+') take(1);
    if (kind == '#') return skip_comment();
    if (kind == '%' && begins_raw()) return read_raw();
    read_tag(kind == '%');
  }

  /// The end of a comment or of a block: `-%}` takes the blanks behind it, `%}` one line feed.
  bool take_end(char kind) {
    const std::string end{kind, '}'};
    if (take_if("-" + end)) {
      take_spaces();
      return true;
    }
    if (take_if("+" + end)) return true;
    if (!take_if(end)) return false;
    take_if("\n");
    return true;
  }

  void skip_comment() {
    if (rest_.empty()) return;  // like jinja2: nothing was opened
    const int line = line_;
    for (std::size_t at = rest_.find("#}"); at != rest_.npos; at = rest_.npos) {
      if (at > 0 && (rest_[at - 1] == '-' || rest_[at - 1] == '+')) --at;
      take(at);
      if (take_end('#')) return;
    }
    fail_at(line, "a comment without its end; close it with #}");
  }

  /// Takes `raw %}` if it stands here.
  bool begins_raw() {
    std::string_view rest = without_spaces(rest_, Side::left);
    if (!rest.starts_with("raw")) return false;
    rest = without_spaces(rest.substr(3), Side::left);
    const bool takes_blanks = rest.starts_with("-%}");
    if (!takes_blanks && !rest.starts_with("%}")) return false;
    take(rest_.size() - rest.size() + (takes_blanks ? 3 : 2));
    if (takes_blanks) take_spaces();
    return true;
  }

  void read_raw() {
    if (rest_.empty()) return;
    const int line = line_;
    const bool begins_line = begins_line_;
    for (std::size_t at = rest_.find("{%"); at != rest_.npos; at = rest_.find("{%", at + 1)) {
      std::string_view tag = rest_.substr(at + 2);
      const char sign = tag.empty() ? ' ' : tag[0];
      if (sign == '-' || sign == '+') tag.remove_prefix(1);
      tag = without_spaces(tag, Side::left);
      if (!tag.starts_with("endraw")) continue;
      tag = without_spaces(tag.substr(6), Side::left);
      if (!tag.starts_with("%}") && !tag.starts_with("-%}") && !tag.starts_with("+%}")) continue;
      add_data(rest_.substr(0, at), sign, true, begins_line);
      take(rest_.size() - tag.size());
      take_end('%');
      return;
    }
    fail_at(line, "a raw block without its end; close it with {% endraw %}");
  }

  void read_tag(bool is_block) {
    const int line = line_;
    add(is_block ? TokenType::block_begin : TokenType::variable_begin, is_block ? "{%" : "{{");
    open_.clear();
    while (!rest_.empty()) {
      if (open_.empty() && ends_tag(is_block)) return;
      read_token();
    }
    fail_at(line, is_block ? "a tag without its end; close it with %}"
                           : "an expression without its end; close it with }}");
  }

  bool ends_tag(bool is_block) {
    const TokenType type = is_block ? TokenType::block_end : TokenType::variable_end;
    const int line = line_;
    if (is_block) {
      if (!take_end('%')) return false;
    } else if (take_if("-}}")) {
      take_spaces();
    } else if (!take_if("}}")) {
      return false;
    }
    tokens_.push_back({type, is_block ? "%}" : "}}", line});
    return true;
  }

  void read_token() {
    if (const std::size_t blanks = rest_.size() - without_spaces(rest_, Side::left).size()) {
      take(blanks);
      return;
    }
    const bool is_behind_dot = tokens_.back().type == TokenType::sign && tokens_.back().text == ".";
    TagToken read = tag_token(rest_, is_behind_dot, line_);
    if (read.token.type == TokenType::sign) note_bracket(read.token.text[0]);
    take(read.length);
    tokens_.push_back(std::move(read.token));
  }

  void note_bracket(char sign) {
    if (std::string_view("([{").find(sign) != std::string_view::npos) open_.push_back(sign);
    if (std::string_view(")]}").find(sign) != std::string_view::npos) close(sign);
  }

  void close(char sign) {
    const char opening = sign == ')' ? '(' : sign == ']' ? '[' : '{';
    if (open_.empty() || open_.back() != opening)
      fail_at(line_, std::string("'") + sign + "' without '" + opening + "' before it");
    open_.pop_back();
  }

  std::string source_;
  std::string_view rest_;
  int line_ = 1;
  bool begins_line_ = true;
  std::string open_;  ///< brackets of the tag that are not closed
  std::vector<Token> tokens_;
};

}  // namespace

std::vector<Token> tokens_of(std::string_view source, const Limits& limits) {
  if (source.size() > limits.source_bytes)
    throw TemplateError(Fault::limit, 1,
                        std::to_string(source.size()) + " bytes of source; allowed: at most " +
                            std::to_string(limits.source_bytes));
  if (!is_valid_utf8(source)) fail_at(1, "bytes that are no UTF-8");
  return Lexer(with_line_feeds(source)).read();
}

}  // namespace speclab::templates
