#pragma once
#include <string>
#include <vector>

#include "engines/formats/gguf_file.h"
#include "engines/tokenizers/load_tokenizer.h"
#include "engines/tokenizers/scored_vocabulary.h"

namespace speclab::engines {

/// Opens the name of every field of a tokenizer.
inline const std::string kGgufPrefix = "tokenizer.ggml.";

/// The tokens of a GGUF file, which all kinds of tokenizers read alike.
class GgufTokens {
 public:
  /// @param metadata  outlives this
  /// @throws ModelFileError as do the others: no tokens, too many, too long, or another number of
  /// types or scores
  GgufTokens(const GgufMetadata& metadata, const TokenizerLimits& limits);

  const std::vector<std::string>& texts() const { return texts_; }
  /// Files without types have normal tokens alone.
  std::vector<PieceType> types() const;
  /// Files without scores have zeros.
  std::vector<float> scores() const;

 private:
  void check_count(const char* key, const char* what, std::size_t count) const;

  const GgufMetadata& metadata_;
  const std::vector<std::string>& texts_;
};

}  // namespace speclab::engines
