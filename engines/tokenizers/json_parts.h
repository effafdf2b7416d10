#pragma once
// The parts of a tokenizer.json around its model. Each reader throws ModelFileError naming the
// field where a part is of a kind that is not read, or contradicts itself.

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "engines/formats/json_file.h"
#include "engines/tokenizers/json_vocabulary.h"
#include "engines/tokenizers/normalizer.h"
#include "engines/tokenizers/pre_tokenizer.h"
#include "engines/tokenizers/text_tokenizer.h"

namespace speclab::engines {

/// "true" or "false" of a member, or what a missing one means.
bool json_flag(const JsonNode& node, const char* key, bool missing);
/// Fails where a text is not one character.
const std::string& json_character(const JsonNode& node);
/// Fails where there are 1000 steps already.
void expect_few_steps(const JsonNode& node, std::size_t num_steps);

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

/// @param id_of  id of a token's text, or kNoToken
Surroundings json_post_processor(const JsonNode& node,
                                 const std::function<Token(const std::string&)>& id_of,
                                 std::int64_t most_id);

/// The step of a Replace, which normalizers and decoders have.
NormalizerStep json_replace(const JsonNode& node);
/// A pattern member {"Regex": text} or {"String": text}.
std::shared_ptr<const Pattern> json_pattern(const JsonNode& node);

/// The byte of "<0x41>", or nothing.
std::optional<char> byte_of_token(const std::string& text);

/// @param node        `decoder` of a tokenizer.json; nothing: a blank stands between two tokens
/// @param normalizer  of the file, for the added tokens that it changes
/// @param path        of the file, for messages
/// @throws ModelFileError if the decoder is not read, or makes too many bytes
SpellingRules json_spelling(const std::optional<JsonNode>& node, const JsonVocabulary& vocabulary,
                            const Normalizer& normalizer, const std::string& path);

}  // namespace speclab::engines
