// Tags and their bodies: loops, choices, assignments, macros and calls with a body.

#include <algorithm>
#include <array>
#include <utility>

#include "engines/templates/parser.h"

namespace speclab::templates {

Body StatementParser::whole() {
  Body body = statements({});
  if (!stream_.is(TokenType::end)) stream_.fail("text or a tag");
  return body;
}

Body StatementParser::statements(const Ends& ends) {
  const ExpressionParser::Nested nested(expressions_);
  Body body;
  while (!stream_.is(TokenType::end)) {
    const int line = stream_.line();
    if (stream_.is(TokenType::data)) {
      body.push_back({line, DataOutput{stream_.take().text}});
    } else if (stream_.is(TokenType::variable_begin)) {
      stream_.take();
      body.push_back({line, ExpressionOutput{expressions_.tuple(true)}});
      stream_.expect(TokenType::variable_end, "an operator or }}");
    } else {
      stream_.expect(TokenType::block_begin, "text or a tag");
      if (std::ranges::any_of(ends, [&](auto end) { return stream_.is_name(end); })) return body;
      body.push_back(tag());
      end_tag();
    }
  }
  if (!ends.empty()) stream_.fail("{% " + std::string(ends.back()) + " %}");
  return body;
}

Statement StatementParser::tag() {
  using Reader = Statement (StatementParser::*)(int);
  static constexpr std::array<std::pair<std::string_view, Reader>, 11> kTags = {{
      {"for", &StatementParser::loop},
      {"if", &StatementParser::choice},
      {"set", &StatementParser::assignment},
      {"macro", &StatementParser::macro},
      {"call", &StatementParser::call_block},
      {"filter", &StatementParser::filter_block},
      {"generation", &StatementParser::generation},
      {"with", &StatementParser::with_values},
      {"print", &StatementParser::print},
      {"break", &StatementParser::jump},
      {"continue", &StatementParser::jump},
  }};
  const int line = stream_.line();
  const auto* known =
      std::ranges::find_if(kTags, [&](const auto& each) { return stream_.is_name(each.first); });
  if (known == kTags.end())
    stream_.fail(
        "the tags break, call, continue, filter, for, generation, if, macro, print, raw, set, "
        "with and their ends");
  if (known->first != "break" && known->first != "continue") stream_.take();
  return (this->*known->second)(line);
}

void StatementParser::end_tag() { stream_.expect(TokenType::block_end, "the end of the tag, %}"); }

void StatementParser::begin_body() {
  stream_.take_sign(":");
  end_tag();
}

Body StatementParser::body_until(std::string_view end) {
  begin_body();
  Body body = statements({end});
  stream_.take();
  return body;
}

Body parsed(std::string_view source, const Limits& limits) {
  TokenStream stream(tokens_of(source, limits));
  return StatementParser(stream, limits).whole();
}

Statement StatementParser::loop(int line) {
  Loop loop;
  loop.target = targets("in");
  if (assigns(loop.target, "loop")) stream_.fail("another target than loop");
  if (!stream_.take_name("in")) stream_.fail("in");
  loop.items = expressions_.tuple(false);
  loop.condition = stream_.take_name("if") ? expressions_.expression() : nullptr;
  loop.is_recursive = stream_.take_name("recursive");
  begin_body();
  ++loops_;
  loop.body = std::make_shared<const Body>(statements({"else", "endfor"}));
  --loops_;
  if (stream_.take_name("else")) {
    begin_body();
    loop.otherwise = statements({"endfor"});
  }
  stream_.take();
  return {line, std::move(loop)};
}

Statement StatementParser::choice(int line) {
  Choice choice;
  for (bool more = true; more;) {
    ExpressionPtr condition = expressions_.tuple(false);
    begin_body();
    choice.branches.emplace_back(std::move(condition), statements({"elif", "else", "endif"}));
    more = stream_.take_name("elif");
  }
  if (stream_.take_name("else")) {
    begin_body();
    choice.otherwise = statements({"endif"});
  }
  stream_.take();
  return {line, std::move(choice)};
}

Statement StatementParser::jump(int line) {
  if (loops_ == 0) stream_.fail("break and continue only inside of a loop");
  return {line, stream_.take().text == "break" ? Jump::leave_loop : Jump::next_round};
}

Statement StatementParser::print(int line) {
  Choice printed;  // without a branch: its else
  do printed.otherwise.push_back({line, ExpressionOutput{expressions_.expression()}});
  while (stream_.take_sign(","));
  return {line, std::move(printed)};
}

Statement StatementParser::filter_block(int line) {
  ExpressionPtr filter = expressions_.filters_without_input();
  Body body = body_until("endfilter");
  return {line, FilterBlock{std::move(filter), std::move(body)}};
}

Statement StatementParser::generation(int line) {
  return {line, FilterBlock{nullptr, defined("", {}, "endgeneration").body}};
}

Statement StatementParser::with_values(int line) {
  Scoped scoped;
  while (!stream_.is(TokenType::block_end) && !stream_.is_sign(":")) {
    if (!scoped.values.empty()) stream_.expect_sign(",");
    Target each = target();
    stream_.expect_sign("=");
    scoped.values.emplace_back(std::move(each), expressions_.expression());
  }
  scoped.body = body_until("endwith");
  return {line, std::move(scoped)};
}

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
