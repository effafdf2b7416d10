#pragma once
#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engines/interface/tokenizer.h"

namespace speclab::experiments {

/// Places at which a text is parted while it comes.
enum class StreamPieces : std::uint8_t {
  words,       ///< as TextStreamer of transformers does: see words_end
  characters,  ///< behind every whole character
  whole,       ///< nowhere
};

/// Special tokens that a text leaves out.
enum class LeftOutTokens : std::uint8_t { ends, special, none };

struct TextStreamOptions {
  StreamPieces pieces = StreamPieces::whole;
  LeftOutTokens left_out = LeftOutTokens::ends;
  std::vector<std::string> stop_strings{};  ///< none of them empty
  std::vector<Token> ends{};                ///< that count beside the tokenizer's
};

/// Bytes at the begin of a text that make whole words: all of it if it ends with a newline or a CJK
/// character, else up to its last blank.
/// @param text  valid UTF-8
/// @source TextStreamer of transformers 4.49
std::size_t words_end(std::string_view text);

/// Parts the text of tokens into pieces as it comes. Joined, they are the text, which ends before
/// the first stop string. No piece ends inside a character.
class TextStream {
 public:
  /// @param tokenizer  outlives this; null where the model has none: then there is no text
  TextStream(const engines::Tokenizer* tokenizer, const TextStreamOptions& options);

  /// A prompt that belongs to the text. Neither stop strings nor ends count in it.
  std::string push_prompt(std::span<const Token> tokens);
  /// @return the piece that these tokens complete; may be empty
  std::string push(std::span<const Token> tokens);
  /// @return the rest
  std::string finish();
  const std::string& text() const { return text_; }

 private:
  void append(std::span<const Token> tokens, LeftOutTokens left_out);
  bool is_left_out(Token token, LeftOutTokens left_out) const;
  void cut_at_stop_string(std::size_t size_before);
  std::size_t held_back() const;
  std::size_t pieces_end() const;
  std::string piece_to(std::size_t end);

  const engines::Tokenizer* tokenizer_;
  std::unique_ptr<engines::StreamingDecoder> decoder_;
  TextStreamOptions options_;
  std::string text_;
  std::size_t begin_ = 0;  ///< of the text behind the prompt
  std::size_t given_ = 0;  ///< bytes of the pieces so far
  bool is_cut_ = false;    ///< a stop string has ended the text
};

inline constexpr std::array<const char*, 4> kStreamForms{"words", "characters", "json", "off"};
/// Values of --skip-special-tokens.
inline constexpr std::array<const char*, 3> kSkippedTokens{"ends", "true", "false"};

/// How the text of `speclab generate` comes out.
struct StreamOptions {
  std::optional<std::string> form{};  ///< one of kStreamForms; words if not given
  bool skip_prompt = true;
  std::string skip_special_tokens = "ends";  ///< one of kSkippedTokens

  bool has_lines() const { return form == "json"; }
  /// The option that asks for text while it comes, for messages; empty if none does.
  std::string asked() const;
  LeftOutTokens left_out() const;
  /// @throws ConfigError for a name that is not known
  void check_names() const;
};

}  // namespace speclab::experiments
