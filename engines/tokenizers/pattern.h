#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace speclab::engines {

/// The steps that all patterns of a tokenizer may take together in one text: a pattern in use takes
/// some tens a byte. A step is the trial of one item of a pattern, or one character of the text
/// that is passed.
class PatternSteps {
 public:
  static constexpr std::uint64_t kBase = 20'000'000, kPerByte = 80;

  explicit PatternSteps(std::size_t text_bytes)
      : text_bytes_(text_bytes), left_(kBase + kPerByte * text_bytes) {}

  std::size_t text_bytes() const { return text_bytes_; }
  /// False, and none left, if these are more than are left.
  bool take(std::uint64_t steps) {
    const bool is_enough = steps <= left_;
    left_ = is_enough ? left_ - steps : 0;
    return is_enough;
  }

 private:
  std::size_t text_bytes_;
  std::uint64_t left_;
};

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
  /// @param text   valid UTF-8
  /// @param steps  those that the walk takes are taken off
  /// @throws ModelFileError if the expression takes too much memory, or more steps than are left
  void visit_matches(std::string_view text, PatternSteps& steps,
                     const std::function<void(std::size_t, std::size_t)>& match) const;

 private:
  struct Code;
  class Matching;
  Pattern() = default;
  std::shared_ptr<const Code> code_;
};

/// The expression in PCRE2's syntax: \s, \w, \d, \h as Oniguruma knows them, and intersections of
/// sets as look-ahead.
/// @return empty, and a reason in `problem`, if it uses what cannot be expressed
std::string pcre2_of_oniguruma(std::string_view text, std::string& problem);

}  // namespace speclab::engines
