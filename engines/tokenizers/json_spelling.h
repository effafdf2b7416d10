#pragma once
#include <optional>
#include <string>

#include "engines/formats/json_file.h"
#include "engines/tokenizers/json_vocabulary.h"
#include "engines/tokenizers/normalizer.h"
#include "engines/tokenizers/token_spelling.h"

namespace speclab::engines {

/// @param node        `decoder` of a tokenizer.json; nothing: a blank stands between two tokens
/// @param normalizer  of the file, for the added tokens that it changes
/// @param path        of the file, for messages
/// @throws ModelFileError if the decoder is not read, or makes too many bytes
SpellingRules json_spelling(const std::optional<JsonNode>& node, const JsonVocabulary& vocabulary,
                            const Normalizer& normalizer, const std::string& path);

}  // namespace speclab::engines
