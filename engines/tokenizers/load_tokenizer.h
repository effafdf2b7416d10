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

/// Reads the metadata `tokenizer.ggml.*` and `tokenizer.chat_template*`: byte-level BPE ("gpt2"),
/// SentencePiece's BPE with scores ("llama") and Unigram ("t5").
/// @throws ModelFileError if it is missing, damaged, or of another kind
std::shared_ptr<const Tokenizer> load_tokenizer_from_gguf(const GgufFile& file,
                                                          const TokenizerLimits& limits = {});

/// Reads a Hugging Face tokenizer.json and the files beside it (folder_tokens.h).
/// @throws ModelFileError if it is damaged, or of a kind that is not read
std::shared_ptr<const Tokenizer> load_tokenizer_from_json(const std::string& path,
                                                          const TokenizerLimits& limits = {});

/// Reads SentencePiece's tokenizer.model and the files beside it.
/// @throws ModelFileError if it is damaged, or of a kind that is not read
std::shared_ptr<const Tokenizer> load_tokenizer_from_sentencepiece(
    const std::string& path, const TokenizerLimits& limits = {});

/// Reads the first of tokenizer.json and tokenizer.model in a folder; null where it has neither.
std::shared_ptr<const Tokenizer> load_tokenizer_from_folder(const std::string& folder);

}  // namespace speclab::engines
