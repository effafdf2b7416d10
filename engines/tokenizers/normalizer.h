#pragma once
// Changes of a text before it is cut into pieces.

#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "engines/tokenizers/charsmap.h"
#include "engines/tokenizers/pattern.h"
#include "sim/system/errors.h"

namespace speclab::engines {

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

class NormalizerStep {
 public:
  virtual ~NormalizerStep() = default;
  /// @param text      valid UTF-8
  /// @param is_first  it stands at the beginning of what the user gave
  /// @param work      says how many bytes it may make; they stay there for the steps behind it
  /// @throws TooLongTextError instead of taking memory for more than some times as many
  virtual std::string apply(std::string text, bool is_first, TextWork& work) const = 0;
};

/// Steps in turn; none leaves the text as it is.
using Normalizer = std::vector<std::shared_ptr<const NormalizerStep>>;

/// @param work  of all texts together; the bytes of this one are taken off
/// @throws TooLongTextError if it becomes longer
std::string normalized(const Normalizer& steps, std::string_view text, bool is_first,
                       TextWork& work);

/// Whether pieces begin with the mark of a blank that the text does not have.
enum class PrependScheme : std::uint8_t { always, first, never };

enum class UnicodeForm : std::uint8_t { nfc, nfd, nfkc, nfkd };

/// Each of these is one kind of Hugging Face's tokenizers, by its name there.
/// @source tokenizers/src/normalizers
std::shared_ptr<const NormalizerStep> unicode_form_step(UnicodeForm form);
std::shared_ptr<const NormalizerStep> lowercase_step();
std::shared_ptr<const NormalizerStep> strip_accents_step();
std::shared_ptr<const NormalizerStep> nmt_step();
std::shared_ptr<const NormalizerStep> strip_step(bool left, bool right);
std::shared_ptr<const NormalizerStep> prepend_step(std::string text);
/// @param from  not empty
std::shared_ptr<const NormalizerStep> replace_step(std::string from, std::string by);
std::shared_ptr<const NormalizerStep> replace_step(std::shared_ptr<const Pattern> from,
                                                   std::string by);
std::shared_ptr<const NormalizerStep> precompiled_step(Charsmap charsmap);

/// Changes that SentencePiece's own library makes to a text.
struct SentencePieceRules {
  PrependScheme dummy_prefix = PrependScheme::always;
  bool remove_extra_whitespaces = true;
  bool escape_whitespaces = true;           ///< a blank becomes U+2581
  bool treat_whitespace_as_suffix = false;  ///< the mark stands behind the words
};

/// @param kept  texts that are left as they are
/// @source SentencePiece's Normalizer::Normalize
std::shared_ptr<const NormalizerStep> sentencepiece_step(const SentencePieceRules& rules,
                                                         Charsmap charsmap,
                                                         const std::vector<std::string>& kept);

}  // namespace speclab::engines
