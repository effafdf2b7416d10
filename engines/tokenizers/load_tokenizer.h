#pragma once
#include <memory>
#include <string>

#include "engines/interface/tokenizer.h"

namespace speclab::engines {

class GgufFile;

/// From the metadata `tokenizer.ggml.*` and `tokenizer.chat_template`.
/// @throws ModelFileError if it is missing, damaged, or not byte-level BPE with a known pre-tokenizer
std::shared_ptr<const Tokenizer> load_tokenizer_from_gguf(const GgufFile& file);

/// From a Hugging Face tokenizer.json; tokenizer_config.json and chat_template.jinja are read if they stand beside it.
/// @throws ModelFileError if it is damaged, or not byte-level BPE with a known pre-tokenizer
std::shared_ptr<const Tokenizer> load_tokenizer_from_json(const std::string& path);

}  // namespace speclab::engines
