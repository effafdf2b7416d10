#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "engines/templates/expression_parser.h"

namespace speclab::templates {

/// Reads data, expressions that are printed, and blocks.
class StatementParser {
 public:
  StatementParser(TokenStream& stream, const Limits& limits)
      : stream_(stream), expressions_(stream, limits) {}

  Body whole();

 private:
  using Ends = std::vector<std::string_view>;

  /// Statements up to a tag whose name is one of `ends`; its name is then the current token.
  Body statements(const Ends& ends);
  Statement tag();
  void end_tag();
  void begin_body();
  /// The body of a block whose tag has just been read, and the name of its end.
  Body body_until(std::string_view end);

  /// Each reads one tag behind its name, and its body.
  Statement loop(int line);
  Statement choice(int line);
  Statement jump(int line);
  Statement print(int line);
  Statement filter_block(int line);
  Statement generation(int line);
  Statement with_values(int line);
  Statement assignment(int line);
  Statement macro(int line);
  Statement call_block(int line);

  /// One target, or several with commas between them. @param end  the name that ends them, or ""
  Target targets(std::string_view end);
  Target target();
  static bool assigns(const Target& target, std::string_view name);
  /// A name that can be assigned.
  std::string name();

  Signature signature();
  /// The body of a macro, of a call or of a generation block: a loop around it cannot be left.
  MacroDefinition defined(std::string name, Signature signature, std::string_view end);

  TokenStream& stream_;
  ExpressionParser expressions_;
  int loops_ = 0;  ///< that a break would find
};

}  // namespace speclab::templates
