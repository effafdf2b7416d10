#include "engines/tokenizers/gguf_tokens.h"

namespace speclab::engines {
namespace {

/// @source ggml's token types, which are SentencePiece's; 0 is undefined
PieceType piece_type(const GgufMetadata& metadata, std::int64_t type) {
  if (type < 0 || type > 6)
    metadata.fail(kGgufPrefix + "token_type", std::to_string(type), "0 to 6");
  return type == 0 ? PieceType::normal : static_cast<PieceType>(type);
}

}  // namespace

GgufTokens::GgufTokens(const GgufMetadata& metadata, const TokenizerLimits& limits)
    : metadata_(metadata), texts_(metadata.get_strings(kGgufPrefix + "tokens")) {
  if (texts_.empty() || texts_.size() > limits.tokens)
    metadata.fail(kGgufPrefix + "tokens", std::to_string(texts_.size()) + " tokens",
                  "1 to " + std::to_string(limits.tokens));
  for (std::size_t i = 0; i < texts_.size(); ++i)
    if (texts_[i].size() > limits.token_bytes)
      metadata.fail(
          kGgufPrefix + "tokens",
          "entry " + std::to_string(i) + " of " + std::to_string(texts_[i].size()) + " bytes",
          "at most " + std::to_string(limits.token_bytes));
}

std::vector<PieceType> GgufTokens::types() const {
  if (!metadata_.contains(kGgufPrefix + "token_type"))
    return std::vector<PieceType>(texts_.size(), PieceType::normal);
  std::vector<PieceType> types;
  for (const std::int64_t type : metadata_.get_integers(kGgufPrefix + "token_type"))
    types.push_back(piece_type(metadata_, type));
  check_count("token_type", "types", types.size());
  return types;
}

std::vector<float> GgufTokens::scores() const {
  if (!metadata_.contains(kGgufPrefix + "scores")) return std::vector<float>(texts_.size(), 0.0F);
  std::vector<float> scores;
  for (const double score : metadata_.get_floats(kGgufPrefix + "scores"))
    scores.push_back(static_cast<float>(score));
  check_count("scores", "scores", scores.size());
  return scores;
}

void GgufTokens::check_count(const char* key, const char* what, std::size_t count) const {
  if (count != texts_.size())
    metadata_.fail(kGgufPrefix + key, std::to_string(count) + " " + what,
                   std::to_string(texts_.size()) + ", one a token");
}

}  // namespace speclab::engines
