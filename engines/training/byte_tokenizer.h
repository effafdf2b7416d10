#pragma once
#include <string>

namespace speclab::engines {

/// Writes tokenizer.json and tokenizer_config.json of a vocabulary of the 256 bytes, whose ids they
/// are, and an end of text, 256: the smallest that spells every text. @throws WriteError
void write_byte_tokenizer(const std::string& folder);

}  // namespace speclab::engines
