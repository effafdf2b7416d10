// Macros and calls with a body: both have parameters.

#include <utility>

#include "engines/templates/statement_parser.h"

namespace speclab::templates {

Statement StatementParser::macro(int line) {
  std::string macro_name = name();
  Signature parameters = signature();
  return {line, std::make_shared<const MacroDefinition>(
                    defined(std::move(macro_name), std::move(parameters), "endmacro"))};
}

Statement StatementParser::call_block(int line) {
  Signature parameters = stream_.is_sign("(") ? signature() : Signature{};
  ExpressionPtr call = expressions_.expression();
  if (!std::holds_alternative<CallOf>(call->form)) stream_.fail("a call before it");
  return {line, std::make_shared<const CallBlock>(CallBlock{
                    defined("caller", std::move(parameters), "endcall"), std::move(call)})};
}

Signature StatementParser::signature() {
  Signature signature;
  stream_.expect_sign("(");
  while (!stream_.is_sign(")")) {
    if (!signature.parameters.empty()) stream_.expect_sign(",");
    std::string parameter = name();
    ExpressionPtr missing = stream_.take_sign("=") ? expressions_.expression() : nullptr;
    const bool had_default =
        !signature.parameters.empty() && signature.parameters.back().second != nullptr;
    if (!missing && had_default) stream_.fail("a default, as the parameter before has one");
    signature.parameters.emplace_back(std::move(parameter), std::move(missing));
  }
  stream_.expect_sign(")");
  return signature;
}

MacroDefinition StatementParser::defined(std::string name, Signature signature,
                                         std::string_view end) {
  const int loops = std::exchange(loops_, 0);
  const SpecialNames before = expressions_.special_names();
  Body body = body_until(end);
  const SpecialNames& after = expressions_.special_names();
  loops_ = loops;
  for (const auto& [parameter, missing] : signature.parameters)
    if (parameter == "caller" && !missing && after.caller > before.caller)
      stream_.fail("a default for the parameter caller, before this");
  return {std::move(name),
          std::move(signature),
          std::move(body),
          after.varargs > before.varargs,
          after.kwargs > before.kwargs,
          after.caller > before.caller};
}

}  // namespace speclab::templates
