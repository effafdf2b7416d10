#include "engines/constraints/regex_reader.h"

#include "engines/constraints/regex_cursor.h"

namespace speclab::engines {
namespace {

constexpr int kMostGroups = 100;  ///< one within the other

/// The sets in which the dialects of regular expressions differ.
struct Dialect {
  CharacterSet blanks;        ///< \s
  CharacterSet not_line_end;  ///< the point
};

/// Blanks are those of ASCII; a line ends with its feed alone.
const Dialect kPlainDialect{{{U'\t', U'\r'}, {U' ', U' '}},
                            CharacterSet{{U'\n', U'\n'}}.complement()};
/// WhiteSpace and LineTerminator of ECMA-262 (2024, 12.2 and 12.3), which JSON Schema names.
const Dialect kSchemaDialect{
    {{U'\t', U'\r'},
     {U' ', U' '},
     {0xA0, 0xA0},
     {0x1680, 0x1680},
     {0x2000, 0x200A},
     {0x2028, 0x2029},
     {0x202F, 0x202F},
     {0x205F, 0x205F},
     {0x3000, 0x3000},
     {0xFEFF, 0xFEFF}},
    CharacterSet{{U'\n', U'\n'}, {U'\r', U'\r'}, {0x2028, 0x2029}}.complement()};

const Dialect& dialect_of(RegexUse use) {
  return use == RegexUse::schema_pattern ? kSchemaDialect : kPlainDialect;
}

class RegexReader {
 public:
  RegexReader(std::string_view text, RegexUse use, const std::string& name)
      : dialect_(dialect_of(use)), cursor_(text, dialect_.blanks, name), use_(use) {}

  Expression read() {
    Expression all = alternatives();
    if (!cursor_.at_end()) cursor_.fail("a ) without its (", "\\) for the character");
    return all;
  }

 private:
  Expression alternatives() {
    std::vector<Expression> all{alternative()};
    while (cursor_.take(U'|')) all.push_back(alternative());
    return all.size() == 1 ? all.front() : Expression::choice(std::move(all));
  }

  Expression alternative() {
    std::vector<Expression> parts;
    const bool begins = depth_ == 0 && cursor_.take(U'^');
    if (depth_ == 0 && use_ == RegexUse::schema_pattern && !begins) parts.push_back(any_text());
    while (!cursor_.at_end() && !cursor_.sees(U'|') && !cursor_.sees(U')') && !is_final_dollar())
      parts.push_back(repeated(atom()));
    const bool ends = is_final_dollar() && cursor_.take(U'$');
    if (depth_ == 0 && use_ == RegexUse::schema_pattern && !ends) parts.push_back(any_text());
    return Expression::sequence(std::move(parts));
  }

  bool is_final_dollar() const {
    return depth_ == 0 && (cursor_.sees(U"$|") || (cursor_.sees(U'$') && cursor_.is_last()));
  }

  static Expression any_text() {
    return Expression::repeated(Expression::characters(CharacterSet::all()), 0);
  }

  Expression atom() {
    const char32_t character = cursor_.take_any("a character");
    switch (character) {
      case U'(':
        return group();
      case U'[':
        return Expression::characters(cursor_.take_class());
      case U'.':
        return Expression::characters(dialect_.not_line_end);
      case U'\\':
        return Expression::characters(cursor_.take_escape());
      case U'^':
      case U'$':
        cursor_.fail("an anchor", "^ and $ at the ends of an outermost alternative; \\^ and \\$",
                     1);
      case U'*':
      case U'+':
      case U'?':
      case U'{':
        cursor_.fail("a repetition of nothing", "\\ before the character itself", 1);
      default:
        return Expression::characters({{character, character}});
    }
  }

  Expression group() {
    if (++depth_ > kMostGroups) cursor_.fail("groups within groups", "at most 100", 1);
    if (cursor_.sees(U'?') && !cursor_.sees(U"?:"))
      cursor_.fail("a group that begins with (?",
                   "(...) and (?:...): no look-around, names or flags", 1);
    if (cursor_.take(U'?')) cursor_.take(U':');
    Expression inner = alternatives();
    if (!cursor_.take(U')')) cursor_.fail("a group that does not end", ") behind it");
    --depth_;
    return inner;
  }

  Expression repeated(Expression part) {
    Expression all = part;
    if (cursor_.take(U'*'))
      all = Expression::repeated(std::move(part), 0);
    else if (cursor_.take(U'+'))
      all = Expression::repeated(std::move(part), 1);
    else if (cursor_.take(U'?'))
      all = Expression::optional(std::move(part));
    else if (cursor_.take(U'{'))
      all = counted(std::move(part));
    else
      return all;
    for (const char32_t sign : {U'*', U'+', U'?', U'{'})
      if (cursor_.sees(sign))
        cursor_.fail("a repetition behind a repetition", "one; (?:...) around the inner one");
    return all;
  }

  Expression counted(Expression part) {
    constexpr const char* kAllowed = "{m}, {m,} or {m,n} with m <= n; \\{ for the character";
    const auto least = cursor_.take_number();
    if (!least) cursor_.fail("a { without a number", kAllowed, 1);
    const bool is_open = cursor_.take(U',');
    const auto most = is_open ? cursor_.take_number() : least;
    if (!cursor_.take(U'}') || (most && *most < *least))
      cursor_.fail("a wrong number of repetitions", kAllowed);
    return Expression::repeated(std::move(part), *least, most);
  }

  const Dialect& dialect_;
  RegexCursor cursor_;
  RegexUse use_;
  int depth_ = 0;
};

}  // namespace

Expression read_regex(std::string_view text, RegexUse use, const std::string& name) {
  return RegexReader(text, use, name).read();
}

}  // namespace speclab::engines
