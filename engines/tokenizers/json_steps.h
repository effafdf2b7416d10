#pragma once
// The parts of a tokenizer.json around its model. Each reader throws ModelFileError naming the
// field where a part is of a kind that is not read, or contradicts itself.

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "engines/formats/json_file.h"
#include "engines/tokenizers/normalizer.h"
#include "engines/tokenizers/pre_tokenizer.h"
#include "engines/tokenizers/token_spelling.h"

namespace speclab::engines {

/// "true" or "false" of a member, or what a missing one means.
bool json_flag(const JsonNode& node, const char* key, bool missing);

Normalizer json_normalizer(const JsonNode& node);

struct JsonPreTokenizer {
  PreTokenizer::Steps steps;
  bool is_byte_level = false;  ///< pieces are bytes in the byte-level alphabet
  bool changes_text = false;   ///< pieces side by side are not the text
};
/// @param prefix_space  takes the place of a ByteLevel's add_prefix_space where the whole
///                      pre-tokenizer is one
/// @source transformers, PreTrainedTokenizerFast.__init__
JsonPreTokenizer json_pre_tokenizer(const JsonNode& node, std::optional<bool> prefix_space);

/// How one token and a whole text are spelt.
struct JsonDecoder {
  /// Steps in turn on a token's text.
  std::vector<std::function<std::string(std::string, TextWork&)>> of_token;
  std::string dropped_at_first, separator, stripped;  ///< as SpellingRules has them
  std::size_t strip_begin = 0, strip_end = 0;
};
JsonDecoder json_decoder(const JsonNode& node);

/// Ids that a text gets before and after it.
struct Surroundings {
  std::vector<Token> before, after;
};
/// @param id_of  id of a token's text, or kNoToken
Surroundings json_post_processor(const JsonNode& node,
                                 const std::function<Token(const std::string&)>& id_of,
                                 std::int64_t most_id);

/// A pattern member {"Regex": text} or {"String": text}.
std::shared_ptr<const Pattern> json_pattern(const JsonNode& node);

/// The byte of "<0x41>", or nothing.
std::optional<char> byte_of_token(const std::string& text);

}  // namespace speclab::engines
