#pragma once
#include <string>
#include <vector>

namespace speclab::testing {

/// Additions, products and left shifts in C++ source text, as "left + right", one space around the
/// operator. Operands are names, numbers and calls as they stand, without blanks. Left out is what
/// cannot wrap a number from a file: constants' definitions (a line that begins with constexpr or
/// is a static_assert), operands that are CheckedSize(...) or declared as CheckedSize, texts (an
/// operand is a literal, or a call of escaped, format or to_string), pointer types, increments.
std::vector<std::string> raw_arithmetic(const std::string& source);

}  // namespace speclab::testing
