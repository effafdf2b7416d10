#include "engines/constraints/expression.h"

#include <fmt/format.h>

#include <optional>
#include <utility>

#include "sim/system/errors.h"
#include "sim/system/utf8.h"

namespace speclab::engines {
namespace {

constexpr std::int32_t kMostRepetitions = 100'000;

const CharacterSet kDigits{{U'0', U'9'}};
const CharacterSet kWord{{U'0', U'9'}, {U'A', U'Z'}, {U'_', U'_'}, {U'a', U'z'}};

CharacterSet only(char32_t character) { return {{character, character}}; }
/// The only character of a set; nothing if it has several.
std::optional<char32_t> only_of(const CharacterSet& set) {
  const auto& ranges = set.ranges();
  const bool is_one = ranges.size() == 1 && ranges[0].first == ranges[0].last;
  return is_one ? std::optional(ranges[0].first) : std::nullopt;
}

/// A regular expression that is being read, character by character.
class RegexCursor {
 public:
  /// @param blanks  the characters that \s stands for; outlive it, as the name does
  /// @throws ConfigError if the text is too long or no valid UTF-8
  RegexCursor(std::string_view text, const CharacterSet& blanks, const std::string& name)
      : name_(name), blanks_(blanks) {
    if (text.size() > kMostRegexBytes)
      throw ConfigError(
          fmt::format("{} has {} bytes; allowed: at most {}", name, text.size(), kMostRegexBytes));
    if (!is_valid_utf8(text))
      throw ConfigError(fmt::format("{} is no valid UTF-8; allowed: UTF-8", name));
    characters_ = characters_of(text);
  }

  bool at_end() const { return next_ == characters_.size(); }
  bool is_last() const { return next_ + 1 == characters_.size(); }
  bool sees(char32_t character) const { return !at_end() && characters_[next_] == character; }
  bool sees(std::u32string_view text) const {
    return std::u32string_view(characters_).substr(next_).starts_with(text);
  }
  bool sees_one_of(std::u32string_view all) const {
    return !at_end() && all.find(characters_[next_]) != all.npos;
  }
  /// Passes the character if it is the next.
  bool take(char32_t character) { return sees(character) && ++next_ > 0; }
  /// Passes one character. @throws ConfigError at the end
  char32_t take_any(const char* wanted) {
    if (at_end()) fail("the end of the expression", wanted);
    return characters_[next_++];
  }

  /// Passes a decimal number; nothing if there is none. @throws ConfigError above kMostRepetitions
  std::optional<std::int32_t> take_number() {
    std::optional<std::int32_t> number;
    for (; !at_end() && kDigits.contains(characters_[next_]); ++next_) {
      number = number.value_or(0) * 10 + static_cast<std::int32_t>(characters_[next_] - U'0');
      if (*number > kMostRepetitions) fail("a number above 100000", "numbers up to it");
    }
    return number;
  }

  /// Behind a backslash: the set or the one character that the escape stands for.
  CharacterSet take_escape() {
    const char32_t letter = take_any("a character behind the backslash");
    if (const auto set = set_of_letter(letter)) return *set;
    constexpr std::u32string_view kLetters = U"nrtfv", kControls = U"\n\r\t\f\v";
    if (const std::size_t i = kLetters.find(letter); i != kLetters.npos) return only(kControls[i]);
    if (letter == U'x') return only(take_hexadecimal(2));
    if (letter == U'u') return only(take_code_point());
    if (kDigits.contains(letter))
      fail("a back-reference or an octal number", "\\xHH for a character", 2);
    if (letter != U'_' && kWord.contains(letter))
      fail(fmt::format("the escape \\{}", static_cast<char>(letter)),
           "\\d \\D \\w \\W \\s \\S \\n \\r \\t \\f \\v \\xHH \\uHHHH \\u{H...}, and signs", 2);
    return only(letter);
  }

  /// Behind `[`: up to and with `]`.
  CharacterSet take_class() {
    const std::size_t begin = next_;
    const bool is_negated = take(U'^');
    std::vector<CharacterRange> ranges;
    if (sees(U']')) fail("an empty class", "at least one character; \\] for the bracket");
    while (!take(U']')) {
      if (at_end()) fail("a class that does not end", "] behind it", next_ - begin + 1);
      const CharacterSet first = take_class_item();
      const auto from = only_of(first);
      if (from && sees(U'-') && !sees(U"-]")) {
        take(U'-');
        const auto to = only_of(take_class_item());
        if (!to || *to < *from) fail("a range that does not rise", "ranges like a-z", 1);
        ranges.push_back({*from, *to});
      } else {
        ranges.insert(ranges.end(), first.ranges().begin(), first.ranges().end());
      }
    }
    const CharacterSet set(std::move(ranges));
    return is_negated ? set.complement() : set;
  }

  /// @param back  characters before the next that are meant
  [[noreturn]] void fail(const std::string& found, const char* allowed,
                         std::size_t back = 0) const {
    throw ConfigError(fmt::format("{}: {} at character {}; allowed: {}", name_, found,
                                  next_ - back + 1, allowed));
  }

 private:
  /// \d, \w, \s, and in capitals their complements.
  std::optional<CharacterSet> set_of_letter(char32_t letter) const {
    for (const auto& [small, set] : {std::pair(U'd', &kDigits), {U'w', &kWord}, {U's', &blanks_}}) {
      if (letter == small) return *set;
      if ((letter | 0x20) == small) return set->complement();
    }
    return std::nullopt;
  }

  /// One character or one escape of a class.
  CharacterSet take_class_item() {
    if (sees(U"[:")) fail("a named class", "\\d, \\w, \\s and ranges");
    const char32_t character = take_any("] behind the class");
    return character == U'\\' ? take_escape() : only(character);
  }

  char32_t take_hexadecimal(std::size_t digits) {
    char32_t value = 0;
    for (std::size_t i = 0; i < digits; ++i) {
      const char32_t digit = take_any("hexadecimal digits");
      const std::size_t size = std::u32string_view(U"0123456789abcdef").find(digit | 0x20);
      if (size == std::u32string_view::npos || digit < U'0')
        fail("a character that is no hexadecimal digit", "\\xHH, \\uHHHH or \\u{H...}", 1);
      value = value << 4 | static_cast<char32_t>(size);
    }
    return value;
  }

  char32_t take_code_point() {
    char32_t value = 0;
    if (!take(U'{')) {
      value = take_hexadecimal(4);
    } else {
      if (sees(U'}')) fail("a number without digits", "\\u{H} to \\u{HHHHHH}");
      for (int digits = 0; digits < 6 && !sees(U'}'); ++digits)
        value = value << 4 | take_hexadecimal(1);
      if (!take(U'}')) fail("a number that does not end", "\\u{H} to \\u{HHHHHH}");
    }
    if (!CharacterSet::all().contains(value))
      fail("a number that is no character", "up to 10FFFF, without surrogates", 1);
    return value;
  }

  const std::string& name_;
  const CharacterSet& blanks_;
  std::u32string characters_;
  std::size_t next_ = 0;
};

constexpr std::u32string_view kRepetitions = U"*+?{";
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

class RegexReader {
 public:
  RegexReader(std::string_view text, RegexUse use, const std::string& name)
      : dialect_(use == RegexUse::schema_pattern ? kSchemaDialect : kPlainDialect),
        cursor_(text, dialect_.blanks, name),
        use_(use) {}

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
    if (cursor_.sees_one_of(kRepetitions))
      cursor_.fail("a repetition of nothing", "\\ before the character itself");
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
      default:
        return Expression::characters(only(character));
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
    if (!cursor_.sees_one_of(kRepetitions)) return part;
    const char32_t sign = cursor_.take_any("a repetition");
    const Expression all =
        sign == U'{' ? counted(std::move(part))
                     : Expression::repeated(std::move(part), sign == U'+' ? 1 : 0,
                                            sign == U'?' ? std::optional(1) : std::nullopt);
    if (cursor_.sees_one_of(kRepetitions))
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
