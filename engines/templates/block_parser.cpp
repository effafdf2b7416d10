// Loops, choices and the other tags that assign nothing, or only inside their body.

#include "engines/templates/statement_parser.h"

namespace speclab::templates {

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

}  // namespace speclab::templates
