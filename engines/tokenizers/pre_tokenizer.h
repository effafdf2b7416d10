#pragma once
// Cuts text into the pieces within which tokens are merged.

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engines/tokenizers/normalizer.h"
#include "engines/tokenizers/pattern.h"

namespace speclab::engines {

using PieceSink = std::function<void(std::string_view piece)>;

/// @param text      valid UTF-8, not empty
/// @param is_first  the text stands at the beginning of what the user gave
/// @param work      keeps texts that are made on the way, so that pieces can point into them
using PreTokenizerStep = std::function<void(std::string_view text, bool is_first, TextWork& work,
                                            const PieceSink& sink)>;

/// Steps in turn, each cutting the pieces of the one before.
class PreTokenizer {
 public:
  using Steps = std::vector<PreTokenizerStep>;

  explicit PreTokenizer(Steps steps) : steps_(std::move(steps)) {}
  /// @param patterns  PCRE2 syntax; text between matches is a piece too
  /// @throws ContractError if a pattern does not compile
  explicit PreTokenizer(std::span<const std::string_view> patterns);

  /// @param text  valid UTF-8
  void split(std::string_view text, bool is_first, TextWork& work, const PieceSink& sink) const;

 private:
  void split_from(std::size_t step, std::string_view text, bool is_first, TextWork& work,
                  const PieceSink& sink) const;

  Steps steps_;
};

/// The fate of the matches of a pattern.
/// @source SplitDelimiterBehavior of Hugging Face's tokenizers
enum class SplitBehavior : std::uint8_t {
  removed,
  isolated,
  merged_with_previous,
  merged_with_next,
  contiguous
};

/// @param is_inverted  what the pattern does not match counts as matched
PreTokenizerStep split_step(std::shared_ptr<const Pattern> pattern, SplitBehavior behavior,
                            bool is_inverted);
/// A blank before each piece that has none.
PreTokenizerStep prefix_space_step();
/// @param mark  takes the place of blanks @param splits  cuts before each mark
PreTokenizerStep metaspace_step(std::string mark, PrependScheme scheme, bool splits);

/// The patterns of a pre-tokenizer by its GGUF name ("smollm", "gpt-2", "llama-bpe", "qwen2",
/// "default", ...); empty if unknown.
std::span<const std::string_view> pre_tokenizer_patterns(std::string_view name);
/// Names whose files mean that a piece that is a token is that token, merges or not.
bool takes_whole_pieces_first(std::string_view pre_tokenizer);
/// Names whose files mean that a text begins with the begin of sequence, where they do not say.
bool begins_texts_by_default(std::string_view pre_tokenizer);
/// All names, for error messages.
std::string known_pre_tokenizers();

}  // namespace speclab::engines
