#pragma once
#include <memory>
#include <string>

#include "engines/interface/tokenizer.h"

namespace speclab::engines {

class GgufFile;

struct TokenizerLimits {
  std::size_t tokens = 2'000'000;
  std::size_t merges = 4'000'000;
  std::size_t token_bytes = 1 << 16;
};

/// From the metadata `tokenizer.ggml.*` and `tokenizer.chat_template`.
/// @throws ModelFileError if it is missing, damaged, or not byte-level BPE with a known
/// pre-tokenizer
std::shared_ptr<const Tokenizer> load_tokenizer_from_gguf(const GgufFile& file,
                                                          const TokenizerLimits& limits = {});

/// From a Hugging Face tokenizer.json; tokenizer_config.json and chat_template.jinja are read if
/// they stand beside it.
/// @throws ModelFileError if it is damaged, or not byte-level BPE with a known pre-tokenizer
std::shared_ptr<const Tokenizer> load_tokenizer_from_json(const std::string& path,
                                                          const TokenizerLimits& limits = {});

}  // namespace speclab::engines
