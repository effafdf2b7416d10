#pragma once
// A second way to match: it walks the tree of an expression over characters, and builds nothing.

#include <set>
#include <string_view>

#include "engines/constraints/expression.h"
#include "sim/system/utf8.h"

namespace speclab::engines::testing {

/// Places of the text where the expression can end that begins at one of `begins`.
inline std::set<std::size_t> ends_of(const Expression& expression, std::u32string_view text,
                                     const std::set<std::size_t>& begins) {
  std::set<std::size_t> ends;
  switch (expression.kind()) {
    case Expression::Kind::characters:
      for (const std::size_t begin : begins)
        if (begin < text.size() && expression.set().contains(text[begin])) ends.insert(begin + 1);
      return ends;
    case Expression::Kind::sequence:
      ends = begins;
      for (const Expression& part : expression.parts()) ends = ends_of(part, text, ends);
      return ends;
    case Expression::Kind::choice:
      for (const Expression& part : expression.parts()) ends.merge(ends_of(part, text, begins));
      return ends;
    case Expression::Kind::repetition:
      break;
  }
  std::set<std::size_t> open = begins;
  const auto most =
      expression.most().value_or(static_cast<std::int32_t>(text.size()) + 1 + expression.least());
  for (std::int32_t count = 0; count <= most && !open.empty(); ++count) {
    if (count >= expression.least()) ends.insert(open.begin(), open.end());
    open = ends_of(expression.parts().front(), text, open);
  }
  return ends;
}

/// @param text  valid UTF-8
inline bool matches_slowly(const Expression& expression, std::string_view text) {
  const std::u32string characters = characters_of(text);
  return ends_of(expression, characters, {0}).contains(characters.size());
}

}  // namespace speclab::engines::testing
