#include "tests/layering/raw_arithmetic.h"

#include <algorithm>
#include <regex>

namespace speclab::testing {
namespace {

/// Without comments; string literals are "" and character literals 0.
std::string bare(const std::string& source) {
  static const std::regex hidden(
      R"~(//[^\n]*|/\*[^]*?\*/|R"\([^]*?\)"|"(\\.|[^"\\\n])*"|'(\\.|[^'\\\n])'|#include[^\n]*)~");
  std::string text;
  auto from = source.cbegin();
  for (std::sregex_iterator match(source.begin(), source.end(), hidden), end; match != end;
       ++match) {
    text.append(from, source.cbegin() + match->position());
    const std::string found = match->str();
    text += found[0] == '"' || found[0] == 'R' ? "\"\"" : found[0] == '\'' ? "0" : "";
    from = source.cbegin() + match->position() + match->length();
  }
  return text.append(from, source.cend());
}

/// Names, numbers with their digit separators, literals, and operators, the longest first.
std::vector<std::string> tokens(const std::string& text) {
  static const std::regex token(
      R"([A-Za-z_]\w*|\d[\w'.]*|""|<<=|>>=|->|::|\+\+|--|<<|>>|[-+*/%&|^<>=!]=|&&|\|\||\S)");
  std::vector<std::string> all;
  for (std::sregex_iterator match(text.begin(), text.end(), token), end; match != end; ++match)
    all.push_back(match->str());
  return all;
}

bool is_name(const std::string& token) {
  return std::isalnum(static_cast<unsigned char>(token[0])) || token[0] == '_' || token == "\"\"";
}
bool is_join(const std::string& token) { return token == "." || token == "->" || token == "::"; }
bool is_one_of(const std::string& token, std::initializer_list<const char*> all) {
  return std::ranges::find(all, token) != all.end();
}

using Tokens = std::vector<std::string>;

/// Index of the bracket that belongs to the one at `at`, looking in `step` direction.
std::size_t partner(const Tokens& all, std::size_t at, int step) {
  int depth = 0;
  for (std::size_t i = at; i < all.size(); i += static_cast<std::size_t>(step)) {
    const bool opens = is_one_of(all[i], {"(", "[", "{"}),
               closes = is_one_of(all[i], {")", "]", "}"});
    depth += opens ? step : closes ? -step : 0;
    if (depth == 0) return i;
  }
  return at;
}

std::string joined(const Tokens& all, std::size_t begin, std::size_t end) {
  std::string text;
  for (std::size_t i = begin; i < end; ++i) text += all[i];
  return text;
}

/// The operand that ends before `at`.
std::string left_operand(const Tokens& all, std::size_t at) {
  std::size_t begin = at;
  while (begin > 0) {
    const std::string& token = all[begin - 1];
    if (begin != at && is_name(all[begin]) && !is_join(token)) break;
    if (is_one_of(token, {")", "]", "}"}))
      begin = partner(all, begin - 1, -1);
    else if (is_name(token))
      --begin;
    else if (is_join(token))
      --begin;
    else
      break;
  }
  return joined(all, begin, at);
}

/// The operand that begins behind `at`.
std::string right_operand(const Tokens& all, std::size_t at) {
  std::size_t end = at + 1;
  while (end < all.size() && is_one_of(all[end], {"-", "!", "~", "*"})) ++end;
  const std::size_t first = end;
  while (end < all.size()) {
    if (is_one_of(all[end], {"(", "[", "{"}))
      end = partner(all, end, 1) + 1;
    else if (is_join(all[end]) || (is_name(all[end]) && (end == first || is_join(all[end - 1]))))
      ++end;
    else
      break;
  }
  return joined(all, at + 1, end);
}

bool is_text(const std::string& operand) {
  static const std::regex text(
      R"((""|(std::|fmt::)?(escaped|format|to_string)\(.*|(quoted|quoted_key|std::string)\(.*))");
  return std::regex_match(operand, text);
}

/// Made on the spot, or a name that the source declares as one.
bool is_checked(const std::string& operand, const std::string& source) {
  return operand.find("CheckedSize(") != std::string::npos ||
         source.find("CheckedSize " + operand + " ") != std::string::npos;
}
bool is_number(const std::string& operand) {
  static const std::regex number(R"((std::\w+\{)?\d[\w']*\}?)");
  return std::regex_match(operand, number);
}

/// Inside the statement that begins behind the last ; { or }.
bool in_constant(const Tokens& all, std::size_t at) {
  std::size_t begin = at;
  while (begin > 0 && !is_one_of(all[begin - 1], {";", "{", "}"})) --begin;
  return std::ranges::find(all.begin() + static_cast<std::ptrdiff_t>(begin),
                           all.begin() + static_cast<std::ptrdiff_t>(at),
                           "constexpr") != all.begin() + static_cast<std::ptrdiff_t>(at);
}

bool is_binary(const Tokens& all, std::size_t at) {
  if (at == 0 || at + 1 >= all.size()) return false;
  const std::string& before = all[at - 1];
  if (!is_name(before) && !is_one_of(before, {")", "]", "}"})) return false;
  if (is_one_of(before, {"return", "operator", "case"})) return false;
  static const std::regex type("(auto|char|byte|void|int|float|double|T|[A-Z]\\w*[a-z]\\w*|json)");
  const bool pointer =
      all[at] == "*" && (std::regex_match(before, type) || (before == "to" && all[at + 1] == ")"));
  return !pointer;
}

}  // namespace

std::vector<std::string> raw_arithmetic(const std::string& source) {
  const Tokens all = tokens(bare(source));
  std::vector<std::string> found;
  for (std::size_t at = 0; at < all.size(); ++at) {
    if (!is_one_of(all[at], {"+", "*", "<<", "+=", "*=", "<<="}) || !is_binary(all, at) ||
        in_constant(all, at))
      continue;
    const std::string left = left_operand(all, at), right = right_operand(all, at);
    if (is_text(left) || is_text(right) || is_checked(left, source) || is_checked(right, source) ||
        (is_number(left) && is_number(right)))
      continue;
    found.push_back(left + " " + all[at] + " " + right);
  }
  return found;
}

}  // namespace speclab::testing
