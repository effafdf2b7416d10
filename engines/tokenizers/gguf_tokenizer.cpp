#include <initializer_list>

#include "engines/formats/gguf_file.h"
#include "engines/tokenizers/load_tokenizer.h"
#include "engines/tokenizers/vocabulary_builder.h"
#include "sim/core/errors.h"

namespace speclab::engines {
namespace {

constexpr const char* kPrefix = "tokenizer.ggml.";

/// @source ggml's token types: 1 normal, 2 unknown, 3 control, 4 user-defined, 5 unused, 6 byte
TokenKind kind_of(const GgufMetadata& metadata, std::int64_t type) {
  switch (type) {
    case 1:
      return TokenKind::normal;
    case 2:
    case 3:
      return TokenKind::control;
    case 4:
      return TokenKind::user_defined;
    case 5:
      return TokenKind::unused;
    default:
      metadata.fail("tokenizer.ggml.token_type", std::to_string(type), "1 to 5");
  }
}

void add_tokens(const GgufMetadata& metadata, const TokenizerLimits& limits,
                VocabularyBuilder& builder) {
  const std::vector<std::string>& texts = metadata.get_strings("tokenizer.ggml.tokens");
  const std::vector<std::int64_t> types = metadata.get_integers("tokenizer.ggml.token_type");
  if (texts.empty() || texts.size() > limits.tokens) {
    metadata.fail("tokenizer.ggml.tokens", std::to_string(texts.size()) + " tokens",
                  "1 to " + std::to_string(limits.tokens));
  }
  if (types.size() != texts.size()) {
    metadata.fail("tokenizer.ggml.token_type", std::to_string(types.size()) + " types",
                  std::to_string(texts.size()) + ", one a token");
  }
  for (std::size_t i = 0; i < texts.size(); ++i) {
    if (texts[i].size() > limits.token_bytes)
      metadata.fail(
          "tokenizer.ggml.tokens",
          "entry " + std::to_string(i) + " of " + std::to_string(texts[i].size()) + " bytes",
          "at most " + std::to_string(limits.token_bytes));
    builder.add_token(texts[i], kind_of(metadata, types[i]));
  }
}

void add_merges(const GgufMetadata& metadata, std::size_t max_merges, VocabularyBuilder& builder) {
  const std::vector<std::string>& lines = metadata.get_strings("tokenizer.ggml.merges");
  if (lines.size() > max_merges) {
    metadata.fail("tokenizer.ggml.merges", std::to_string(lines.size()) + " merges",
                  "at most " + std::to_string(max_merges));
  }
  for (const std::string& line : lines) builder.add_merge_line(line);
}

void add_ends(const GgufMetadata& metadata, VocabularyBuilder& builder) {
  for (const std::string& field :
       std::initializer_list<std::string>{"eos_token_id", "eot_token_id"}) {
    if (const auto id = metadata.find<std::int64_t>(kPrefix + field))
      builder.add_end_of_sequence(field, *id);
  }
}

/// A file that does not say whether texts begin with a token means: only those of the Llama 3
/// family do. @source llama.cpp
void add_begin(const GgufMetadata& metadata, const std::string& pre_tokenizer,
               VocabularyBuilder& builder) {
  const auto wanted = metadata.find<bool>("tokenizer.ggml.add_bos_token");
  const bool is_known = metadata.contains("tokenizer.ggml.bos_token_id");
  if (!wanted.value_or(pre_tokenizer == "llama-bpe" && is_known)) return;
  builder.set_begin_of_sequence("bos_token_id",
                                metadata.get<std::int64_t>("tokenizer.ggml.bos_token_id"));
}

}  // namespace

std::shared_ptr<const Tokenizer> load_tokenizer_from_gguf(const GgufFile& file,
                                                          const TokenizerLimits& limits) {
  const GgufMetadata& metadata = file.metadata();
  const auto model = metadata.get<std::string>("tokenizer.ggml.model");
  if (model != "gpt2")
    metadata.fail("tokenizer.ggml.model", "'" + escaped(model, 40) + "'", "gpt2 (byte-level BPE)");
  VocabularyBuilder builder(
      [&](const std::string& field, const std::string& found, const std::string& allowed) {
        metadata.fail(kPrefix + field, found, allowed);
      });
  add_tokens(metadata, limits, builder);
  add_merges(metadata, limits.merges, builder);
  const std::string pre_tokenizer =
      metadata.find<std::string>("tokenizer.ggml.pre").value_or("default");
  builder.set_pre_tokenizer("pre", pre_tokenizer);
  add_begin(metadata, pre_tokenizer, builder);
  add_ends(metadata, builder);
  if (auto source = metadata.find<std::string>("tokenizer.chat_template"))
    builder.set_chat_template(std::move(*source));
  return std::make_shared<BpeTokenizer>(builder.finish());
}

}  // namespace speclab::engines
