#include "engines/templates/parser.h"

#include <algorithm>
#include <array>

#include "engines/templates/statement_parser.h"

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

}  // namespace speclab::templates
