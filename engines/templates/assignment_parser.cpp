// The left sides of assignments.

#include <algorithm>

#include "engines/templates/statement_parser.h"

namespace speclab::templates {

Statement StatementParser::assignment(int line) {
  Target target = targets("");
  if (stream_.take_sign("="))
    return {line, Assignment{std::move(target), expressions_.tuple(true)}};
  ExpressionPtr filter = stream_.take_sign("|") ? expressions_.filters_without_input() : nullptr;
  Body body = body_until("endset");
  return {line, BodyAssignment{std::move(target), std::move(filter), std::move(body)}};
}

Target StatementParser::targets(std::string_view end) {
  Target first = target();
  if (!stream_.is_sign(",")) return first;
  Target all;
  all.parts.push_back(std::move(first));
  while (stream_.take_sign(",")) {
    const bool ends =
        stream_.is_sign("=") || stream_.is_sign(")") || (!end.empty() && stream_.is_name(end));
    if (ends) break;
    all.parts.push_back(target());
  }
  return all;
}

Target StatementParser::target() {
  const ExpressionParser::Nested nested(expressions_);
  if (stream_.take_sign("(")) {
    Target inner = targets("");
    stream_.expect_sign(")");
    return inner;
  }
  Target target{name(), "", {}};
  if (stream_.take_sign(".")) target.attribute = stream_.expect_name();
  return target;
}

bool StatementParser::assigns(const Target& target, std::string_view name) {
  return target.name == name ||
         std::ranges::any_of(target.parts, [&](const Target& part) { return assigns(part, name); });
}

std::string StatementParser::name() {
  static constexpr std::string_view kConstants[] = {"true",  "True", "false",
                                                    "False", "none", "None"};
  if (std::ranges::any_of(kConstants, [&](auto each) { return stream_.is_name(each); }))
    stream_.fail("a name that can be assigned");
  return stream_.expect_name();
}

}  // namespace speclab::templates
