#pragma once
// Changes of a text before it is cut, and the cuts into pieces within which tokens are merged.

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engines/tokenizers/pattern.h"
#include "sim/system/errors.h"

namespace speclab::engines {

/// The table by which SentencePiece normalizes: texts and what takes their place. It comes as a
/// double-array trie and the replacements behind it, each ended by a zero byte.
/// @source SentencePiece's Normalizer and the library darts-clone
class Charsmap {
 public:
  struct Match {
    std::size_t length = 0;  ///< bytes of the text; 0 if nothing matches
    std::string_view replacement;
  };

  /// @param bytes  may be empty: then nothing matches
  /// @param problem  what is wrong with the bytes; the table is empty then
  Charsmap(std::string_view bytes, std::string& problem);

  bool empty() const { return units_.empty(); }
  /// The longest entry that `text` begins with.
  Match longest(std::string_view text) const { return match(text, true); }
  /// The shortest one.
  Match shortest(std::string_view text) const { return match(text, false); }

 private:
  Match match(std::string_view text, bool is_longest) const;

  std::vector<std::uint32_t> units_;
  std::string replacements_;
};

/// Bytes that steps may make of a text with so many. 40 steps that replace "a" by "aa" would fill
/// the memory without a bound.
std::size_t most_made_bytes(std::size_t text_bytes);
/// One text on its way through a tokenizer.
struct TextWork {
  explicit TextWork(std::size_t text_bytes)
      : bytes_left(most_made_bytes(text_bytes)), pattern_steps(text_bytes) {}

  std::size_t bytes_left;          ///< that steps may still make of it
  PatternSteps pattern_steps;      ///< that patterns may still take in it
  std::deque<std::string> made{};  ///< texts that pieces point into
};
inline constexpr const char* kMostMadeBytes = "at most 64 times the text and 1 MiB";

/// Steps make more of a text than is allowed.
class TooLongTextError : public ModelFileError {
 public:
  using ModelFileError::ModelFileError;
};
/// @throws TooLongTextError if there are more bytes than allowed
void check_made_bytes(std::size_t bytes, std::size_t most);

/// @param text      valid UTF-8
/// @param is_first  it stands at the beginning of what the user gave
/// @param work      says how many bytes it may make; they stay there for the steps behind it
/// @throws TooLongTextError instead of taking memory for more than some times as many
using NormalizerStep = std::function<std::string(std::string text, bool is_first, TextWork& work)>;
/// Steps in turn; none leaves the text as it is.
using Normalizer = std::vector<NormalizerStep>;

/// @param work  of all texts together; the bytes of this one are taken off
/// @throws TooLongTextError if it becomes longer
std::string normalized(const Normalizer& steps, std::string_view text, bool is_first,
                       TextWork& work);

/// Whether pieces begin with the mark of a blank that the text does not have.
enum class PrependScheme : std::uint8_t { always, first, never };

enum class UnicodeForm : std::uint8_t { nfc, nfd, nfkc, nfkd };

/// Each of these is one kind of Hugging Face's tokenizers, by its name there.
/// @source tokenizers/src/normalizers
NormalizerStep unicode_form_step(UnicodeForm form);
NormalizerStep lowercase_step();
NormalizerStep strip_accents_step();
NormalizerStep nmt_step();
NormalizerStep strip_step(bool left, bool right);
NormalizerStep prepend_step(std::string text);
/// @param from  not empty
NormalizerStep replace_step(std::string from, std::string by);
NormalizerStep replace_step(std::shared_ptr<const Pattern> from, std::string by);
NormalizerStep precompiled_step(Charsmap charsmap);

/// Changes that SentencePiece's own library makes to a text.
struct SentencePieceRules {
  PrependScheme dummy_prefix = PrependScheme::always;
  bool remove_extra_whitespaces = true;
  bool escape_whitespaces = true;           ///< a blank becomes U+2581
  bool treat_whitespace_as_suffix = false;  ///< the mark stands behind the words
};

/// @param kept  texts that are left as they are
/// @source SentencePiece's Normalizer::Normalize
NormalizerStep sentencepiece_step(const SentencePieceRules& rules, Charsmap charsmap,
                                  const std::vector<std::string>& kept);

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
