#pragma once
#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace speclab::engines {

/// A compiled regular expression. Match data belongs to the call, so that threads can share it.
class Pattern {
 public:
  /// @param text  PCRE2 syntax
  /// @throws ContractError if it does not compile
  explicit Pattern(std::string_view text);

  /// Compiles an expression of a model file, which is written for Oniguruma.
  /// @return nothing and a reason in `problem` if it does not compile
  static std::shared_ptr<const Pattern> from_file(std::string_view text, std::string& problem);

  /// Calls `match(begin, end)` with every match from left to right. An empty match right behind
  /// another one does not count.
  /// @param text  valid UTF-8
  /// @throws ModelFileError if the expression takes too much memory, or all matches together too
  ///         many steps
  void visit_matches(std::string_view text,
                     const std::function<void(std::size_t, std::size_t)>& match) const;

 private:
  struct Code;
  Pattern() = default;
  std::shared_ptr<const Code> code_;
};

/// The expression in PCRE2's syntax: \s, \w, \d, \h as Oniguruma knows them, and intersections of
/// sets as look-ahead.
/// @return empty, and a reason in `problem`, if it uses what cannot be expressed
std::string pcre2_of_oniguruma(std::string_view text, std::string& problem);

}  // namespace speclab::engines
