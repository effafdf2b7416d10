#pragma once
#include <algorithm>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "engines/templates/template.h"

namespace speclab::templates {

enum class TokenType : std::uint8_t {
  data,
  variable_begin,
  variable_end,
  block_begin,
  block_end,
  name,
  text,
  integer,
  real,
  sign,
  end
};

struct Token {
  TokenType type;
  std::string text;  ///< of a text what it means; of the others what the source holds
  int line;
};

/// Splits a template into tokens, as jinja2 does with trim_blocks and lstrip_blocks. Comments and
/// blanks inside tags are gone, line ends are line feeds, and the last line end is dropped.
/// @throws TemplateError (syntax) also where the source is too long or no UTF-8
std::vector<Token> tokens_of(std::string_view source, const Limits& limits);

[[noreturn]] inline void fail_syntax(int line, const std::string& message) {
  throw TemplateError(Fault::syntax, line, message);
}

/// The tokens of a template in turn; it never runs past the end.
class TokenStream {
 public:
  explicit TokenStream(std::vector<Token> tokens) : tokens_(std::move(tokens)) {}

  const Token& current() const { return tokens_[at_]; }
  const Token& following() const { return tokens_[std::min(at_ + 1, tokens_.size() - 1)]; }
  bool is(TokenType type) const { return current().type == type; }
  bool is_sign(std::string_view sign) const {
    return is(TokenType::sign) && current().text == sign;
  }
  bool is_name(std::string_view name) const {
    return is(TokenType::name) && current().text == name;
  }
  bool is_any_name(std::initializer_list<std::string_view> names) const {
    return std::ranges::any_of(names, [this](std::string_view name) { return is_name(name); });
  }
  int line() const { return current().line; }

  const Token& take() {
    const Token& token = current();
    if (at_ + 1 < tokens_.size()) ++at_;
    return token;
  }
  bool take_sign(std::string_view sign) {
    const bool is_here = is_sign(sign);
    if (is_here) take();
    return is_here;
  }
  bool take_name(std::string_view name) {
    const bool is_here = is_name(name);
    if (is_here) take();
    return is_here;
  }
  void expect_sign(std::string_view sign) {
    if (!take_sign(sign)) fail("'" + std::string(sign) + "'");
  }
  std::string expect_name(const char* what = "a name") {
    if (!is(TokenType::name)) fail(what);
    return take().text;
  }
  void expect(TokenType type, const char* what) {
    if (!is(type)) fail(what);
    take();
  }

  /// @param allowed  what may stand here
  [[noreturn]] void fail(const std::string& allowed) const {
    const std::string found =
        is(TokenType::end) ? "the end of the template" : "'" + current().text.substr(0, 40) + "'";
    fail_syntax(line(), found + "; allowed here: " + allowed);
  }

 private:
  std::vector<Token> tokens_;
  std::size_t at_ = 0;
};

/// A token and how many bytes of the source it takes.
struct TagToken {
  Token token;
  std::size_t length;
};

/// The name, number, string or sign at the beginning of a text inside of a tag.
/// @param is_behind_dot  then digits are an index: `a.0.1`
/// @throws TemplateError (syntax) if none begins there
TagToken tag_token(std::string_view rest, bool is_behind_dot, int line);

}  // namespace speclab::templates
