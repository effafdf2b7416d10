#pragma once
// Cuts text into the pieces within which tokens are merged.

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace speclab::engines {

using PieceSink = std::function<void(std::string_view piece)>;

/// One or more patterns in turn, each cutting the pieces of the one before; text between matches is
/// a piece too.
class PreTokenizer {
 public:
  /// @param patterns  PCRE2 syntax; known ones only, so that their cost is linear
  /// @throws ContractError if a pattern does not compile
  explicit PreTokenizer(std::span<const std::string_view> patterns);
  ~PreTokenizer();

  /// @param text  valid UTF-8
  void split(std::string_view text, const PieceSink& sink) const;

 private:
  class Pattern;
  void split_from(std::size_t stage, std::string_view text, const PieceSink& sink) const;

  std::vector<std::unique_ptr<Pattern>> stages_;
};

/// The patterns of a pre-tokenizer by its GGUF name ("smollm", "gpt-2", "llama-bpe", "qwen2",
/// "default"); empty if unknown.
std::span<const std::string_view> pre_tokenizer_patterns(std::string_view name);
/// All names, for error messages.
std::string known_pre_tokenizers();

}  // namespace speclab::engines
