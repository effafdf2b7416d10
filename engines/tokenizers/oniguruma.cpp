
#include "engines/tokenizers/pattern.h"

namespace speclab::engines {
namespace {

// Members of sets. White space as Unicode's property White_Space has it; PCRE2's own \s adds
// U+180E.
constexpr std::string_view kSpaces =
    R"(\t-\r \x{85}\x{a0}\x{1680}\x{2000}-\x{200a}\x{2028}\x{2029}\x{202f}\x{205f}\x{3000})";
constexpr std::string_view kNoSpaces =
    R"(\x00-\x08\x0e-\x1f!-\x{84}\x{86}-\x{9f}\x{a1}-\x{167f}\x{1681}-\x{1fff}\x{200b}-\x{2027})"
    R"(\x{202a}-\x{202e}\x{2030}-\x{205e}\x{2060}-\x{2fff}\x{3001}-\x{d7ff}\x{e000}-\x{10ffff})";
constexpr std::string_view kWord = R"(\p{Alphabetic}\p{M}\p{Nd}\p{Pc})";

struct Class {
  char letter;
  std::string_view members;
};
/// @source Oniguruma's doc/RE for Ruby's syntax
constexpr Class kClasses[] = {{'s', kSpaces},     {'S', kNoSpaces},   {'w', kWord},
                              {'d', R"(\p{Nd})"}, {'D', R"(\P{Nd})"}, {'h', "0-9a-fA-F"},
                              {'v', R"(\x0b)"},   {'W', ""}};

const Class* class_of(char letter) {
  for (const Class& one : kClasses)
    if (one.letter == letter) return &one;
  return nullptr;
}

class Translation {
 public:
  Translation(std::string_view text, std::string& problem, int depth = 0)
      : text_(text), problem_(problem), depth_(depth) {}

  std::string run() {
    while (!ended() && problem_.empty()) {
      if (text_[at_] == '\\')
        escape();
      else if (text_[at_] == '[')
        set();
      else
        out_ += text_[at_++];
    }
    return problem_.empty() ? out_ : "";
  }

 private:
  bool ended() const { return at_ >= text_.size(); }
  bool follows(std::string_view what) const { return text_.substr(at_).starts_with(what); }

  void escape() {
    const char letter = at_ + 1 < text_.size() ? text_[at_ + 1] : '\0';
    if (letter == 'W') {
      out_.append("[^").append(kWord).append("]");
    } else if (letter == 'u') {
      return unicode_escape(out_);
    } else if (const Class* known = class_of(letter)) {
      out_.append("[").append(known->members).append("]");
    } else {
      return copy_escape(out_);
    }
    at_ += 2;
  }

  /// The backslash and what it stands before; \Q would quote the rest for PCRE2 alone.
  void copy_escape(std::string& into) {
    if (follows("\\Q") || follows("\\E")) return fail("\\Q and \\E");
    into += text_.substr(at_, 2);
    at_ += 2;
  }

  /// \uHHHH
  void unicode_escape(std::string& into) {
    const std::string_view digits = text_.substr(std::min(at_ + 2, text_.size()), 4);
    if (digits.size() < 4 ||
        digits.find_first_not_of("0123456789abcdefABCDEF") != std::string_view::npos)
      return fail("\\u without four digits");
    into.append("\\x{").append(digits).append("}");
    at_ += 6;
  }

  /// A set in brackets. [a&&b&&c] becomes the last member with look-ahead for the others.
  void set() {
    ++at_;
    const bool is_negated = take("^");
    std::vector<std::string> parts = {""};
    bool is_first = true;
    for (; !(follows("]") && !is_first); is_first = false) {
      if (ended() || !problem_.empty()) return fail("a set without ]");
      if (take("&&"))
        parts.emplace_back();
      else
        member(parts.back());
    }
    ++at_;
    write_set(parts, is_negated);
  }

  void write_set(const std::vector<std::string>& parts, bool is_negated) {
    if (parts.size() == 1) {
      const std::string one = with_brackets(parts[0]);
      const bool is_nested = parts[0].starts_with(kNested);
      if (is_negated && is_nested && one.starts_with("[^"))
        return fail("a negated set inside a set");
      out_ += is_negated ? "[^" + one.substr(1) : one;
      return;
    }
    if (is_negated) return fail("the negation of an intersection");
    out_ += "(?:";
    for (std::size_t i = 0; i < parts.size(); ++i) {
      const std::string one = with_brackets(parts[i]);
      out_ += i + 1 < parts.size() ? "(?=" + one + ")" : one;
    }
    out_ += ")";
  }

  /// A part that is a set in itself keeps its own brackets.
  static std::string with_brackets(const std::string& part) {
    const bool is_set = part.size() > 1 && part.front() == kNested;
    return is_set ? part.substr(1) : "[" + part + "]";
  }

  void member(std::string& members) {
    if (follows("[:")) return copy_until(":]", members);
    if (follows("[")) return nested_set(members);
    if (follows("\\u")) return unicode_escape(members);
    if (text_[at_] != '\\') {
      if (text_[at_] == kNested)
        members += "\\x01";
      else
        members += text_[at_];
      ++at_;
      return;
    }
    const Class* known = at_ + 1 < text_.size() ? class_of(text_[at_ + 1]) : nullptr;
    if (!known) return copy_escape(members);
    if (known->members.empty()) return fail("\\W inside a set");
    members += known->members;
    at_ += 2;
  }

  /// A set inside a set: its members, or where it is the whole of an intersection's part, itself.
  void nested_set(std::string& members) {
    if (depth_ == kMostNestedSets) return fail("more than 50 sets inside each other");
    Translation inner(text_.substr(at_), problem_, depth_ + 1);
    inner.set();
    if (!problem_.empty()) return;
    const std::string_view made = inner.out_;
    if (!made.starts_with("[")) return fail("an intersection inside a set");
    at_ += inner.at_;
    const bool is_whole_part = members.empty() && (follows("]") || follows("&&"));
    if (is_whole_part)
      members.append(1, kNested).append(made);
    else if (made.starts_with("[^"))
      fail("a negated set inside a set");
    else
      members += made.substr(1, made.size() - 2);
  }

  void copy_until(std::string_view end, std::string& into) {
    const std::size_t found = text_.find(end, at_);
    if (found == std::string_view::npos) return fail("[: without :]");
    into += text_.substr(at_, found + end.size() - at_);
    at_ = found + end.size();
  }

  bool take(std::string_view what) {
    if (!follows(what)) return false;
    at_ += what.size();
    return true;
  }
  void fail(const char* what) {
    if (problem_.empty()) problem_ = what;
    at_ = text_.size();
  }

  static constexpr char kNested = '\x01';  ///< before a part that has its own brackets
  static constexpr int kMostNestedSets = 50;

  std::string_view text_;
  std::string& problem_;
  int depth_;  ///< sets around the text
  std::size_t at_ = 0;
  std::string out_;
};

}  // namespace

std::string pcre2_of_oniguruma(std::string_view text, std::string& problem) {
  return Translation(text, problem).run();
}

}  // namespace speclab::engines
