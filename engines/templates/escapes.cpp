// Escapes of strings, as Python's codec unicode-escape reads them.

#include "engines/templates/characters.h"
#include "engines/templates/lexer.h"
#include "engines/templates/template_error.h"

namespace speclab::templates {
namespace {

class EscapeReader {
 public:
  EscapeReader(std::string_view text, int line) : rest_(text), line_(line) {}

  std::string read() {
    while (!rest_.empty()) {
      const std::size_t plain = std::min(rest_.find('\\'), rest_.size());
      text_ += rest_.substr(0, plain);
      rest_.remove_prefix(plain);
      if (!rest_.empty()) read_escape();
    }
    return std::move(text_);
  }

 private:
  [[noreturn]] void fail(const std::string& message) const {
    throw TemplateError(Fault::syntax, line_, message);
  }

  void read_escape() {
    const char kind = rest_[1];
    rest_.remove_prefix(2);
    switch (kind) {
      case '\n':
        return;
      case 'x':
        return add_hexadecimal(2);
      case 'u':
        return add_hexadecimal(4);
      case 'U':
        return add_hexadecimal(8);
      case 'N':
        fail("a character by its name (\\N); allowed: \\u and its number");
      default:
        break;
    }
    constexpr std::string_view kLetters = "\\'\"abfnrtv", kMeant = "\\'\"\a\b\f\n\r\t\v";
    if (const std::size_t i = kLetters.find(kind); i != kLetters.npos)
      text_.push_back(kMeant[i]);
    else if (kind >= '0' && kind <= '7')
      add_octal(kind);
    else
      (text_ += '\\') += kind;
  }

  void add_hexadecimal(std::size_t digits) {
    char32_t character = 0;
    if (rest_.size() < digits) fail("an escape that is cut short");
    for (const char digit : rest_.substr(0, digits)) {
      const std::size_t value =
          std::string_view("0123456789abcdef")
              .find(static_cast<char>(digit >= 'A' && digit <= 'F' ? digit | 0x20 : digit));
      if (value == std::string_view::npos) fail("an escape with a digit that is not hexadecimal");
      character = character << 4 | static_cast<char32_t>(value);
    }
    if (character > 0x10FFFF || (character >= 0xD800 && character < 0xE000))
      fail("an escape that is no character");
    append_utf8(text_, character);
    rest_.remove_prefix(digits);
  }

  void add_octal(char first) {
    auto character = static_cast<char32_t>(first - '0');
    for (int i = 0; i < 2 && !rest_.empty() && rest_[0] >= '0' && rest_[0] <= '7'; ++i) {
      character = character << 3 | static_cast<char32_t>(rest_[0] - '0');
      rest_.remove_prefix(1);
    }
    append_utf8(text_, character);
  }

  std::string_view rest_;
  int line_;
  std::string text_;
};

}  // namespace

std::string unescaped(std::string_view text, int line) { return EscapeReader(text, line).read(); }

}  // namespace speclab::templates
