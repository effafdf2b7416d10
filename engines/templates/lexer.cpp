#include "engines/templates/lexer.h"

#include <algorithm>
#include <array>

#include "engines/templates/characters.h"
#include "engines/templates/template_error.h"

namespace speclab::templates {
namespace {

[[noreturn]] void fail_at(int line, const std::string& message) {
  throw TemplateError(Fault::syntax, line, message);
}

bool is_digit_byte(char byte) { return byte >= '0' && byte <= '9'; }
bool is_name_byte(char byte) {
  return is_digit_byte(byte) || (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') ||
         byte == '_' || static_cast<signed char>(byte) < 0;
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
  void take_spaces() {
    take(rest_.size() - without_spaces(rest_, Side::left).size());
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
    const std::size_t blanks = rest_.size() - without_spaces(rest_, Side::left).size();
    if (blanks > 0) {
      take(blanks);
    } else if (is_digit_byte(rest_[0])) {
      read_number();
    } else if (is_name_byte(rest_[0])) {
      read_name();
    } else if (rest_[0] == '\'' || rest_[0] == '"') {
      read_text();
    } else {
      read_sign();
    }
  }

  void read_name() {
    std::size_t length = 0;
    while (length < rest_.size() && is_name_byte(rest_[length])) ++length;
    for (const char32_t character : code_points(rest_.substr(0, length)))
      if (character >= 0x80 && !is_alphabetic(character) && !is_digit(character))
        fail_at(line_, "a character that no name may have");
    add(TokenType::name, std::string(take(length)));
  }

  /// Digits with single underscores between them, from `at` on.
  std::size_t end_of_digits(std::size_t at, std::string_view digits) const {
    const auto is_one = [&](std::size_t i) {
      return i < rest_.size() && digits.find(rest_[i]) != digits.npos;
    };
    while (is_one(at) || (at < rest_.size() && rest_[at] == '_' && is_one(at + 1))) ++at;
    return at;
  }

  void read_number() {
    constexpr std::string_view kDecimal = "0123456789";
    const char base = rest_.size() > 2 && rest_[0] == '0' ? static_cast<char>(rest_[1] | 0x20) : 0;
    for (const auto& [letter, digits] : {std::pair('x', "0123456789abcdefABCDEF"),
                                         std::pair('o', "01234567"), std::pair('b', "01")})
      if (base == letter && end_of_digits(2, digits) > 2)
        return add(TokenType::integer, std::string(take(end_of_digits(2, digits))));
    const std::size_t whole = end_of_digits(0, kDecimal);
    std::size_t end = whole;
    const bool is_behind_dot = !tokens_.empty() && tokens_.back().type == TokenType::sign &&
                               tokens_.back().text == ".";
    const auto is_digit_at = [&](std::size_t i) {
      return i < rest_.size() && is_digit_byte(rest_[i]);
    };
    if (!is_behind_dot && rest_.substr(end).starts_with('.') && is_digit_at(end + 1))
      end = end_of_digits(end + 1, kDecimal);
    if (!is_behind_dot && end < rest_.size() && (rest_[end] | 0x20) == 'e') {
      const bool has_sign =
          end + 1 < rest_.size() && (rest_[end + 1] == '+' || rest_[end + 1] == '-');
      const std::size_t first = end + (has_sign ? 2 : 1);
      if (is_digit_at(first)) end = end_of_digits(first, kDecimal);
    }
    std::string text(take(end));
    std::erase(text, '_');
    add(end > whole ? TokenType::real : TokenType::integer, std::move(text));
  }

  void read_text() {
    const int line = line_;
    std::size_t end = 1;
    while (end < rest_.size() && rest_[end] != rest_[0]) end += rest_[end] == '\\' ? 2 : 1;
    if (end >= rest_.size()) fail_at(line, "a string without its end");
    const std::string_view text = take(end + 1);
    tokens_.push_back({TokenType::text, unescaped(text.substr(1, end - 1), line), line});
  }

  void read_sign() {
    static constexpr std::array<std::string_view, 6> kLong = {"//", "**", "==", "!=",
                                                              ">=", "<="};
    static constexpr std::string_view kShort = "+-*/%~[](){}><=.:|,;";
    const std::string_view two = rest_.substr(0, 2);
    if (std::ranges::find(kLong, two) != kLong.end())
      return add(TokenType::sign, std::string(take(2)));
    const char sign = rest_[0];
    if (kShort.find(sign) == kShort.npos) fail_at(line_, "a character that no expression has");
    if (std::string_view("([{").find(sign) != std::string_view::npos) open_.push_back(sign);
    if (std::string_view(")]}").find(sign) != std::string_view::npos) close(sign);
    add(TokenType::sign, std::string(take(1)));
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
