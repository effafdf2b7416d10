#include "engines/training/byte_tokenizer.h"

#include <nlohmann/json.hpp>

#include "engines/tokenizers/characters.h"
#include "sim/system/files.h"
#include "sim/system/utf8.h"

namespace speclab::engines {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kEndOfText = "<|endoftext|>";
constexpr int kBytes = 256;

/// The characters of the byte-level alphabet, which all lie below U+0200, with the byte that each
/// stands for.
Json byte_vocabulary() {
  Json vocabulary = Json::object();
  for (char32_t code = 0; code < 2 * kBytes; ++code)
    if (const auto bytes = bytes_of_token_text(utf8_of(code)))
      vocabulary[utf8_of(code)] = static_cast<unsigned char>(bytes->front());
  return vocabulary;
}

}  // namespace

void write_byte_tokenizer(const std::string& folder) {
  const Json end_of_text{{"id", kBytes},    {"content", kEndOfText}, {"single_word", false},
                         {"lstrip", false}, {"rstrip", false},       {"normalized", false},
                         {"special", true}};
  const Json byte_level{{"type", "ByteLevel"},
                        {"add_prefix_space", false},
                        {"trim_offsets", true},
                        {"use_regex", true}};
  const Json model{{"type", "BPE"},
                   {"dropout", nullptr},
                   {"unk_token", nullptr},
                   {"continuing_subword_prefix", nullptr},
                   {"end_of_word_suffix", nullptr},
                   {"fuse_unk", false},
                   {"byte_fallback", false},
                   {"vocab", byte_vocabulary()},
                   {"merges", Json::array()}};
  const Json tokenizer{{"version", "1.0"},
                       {"truncation", nullptr},
                       {"padding", nullptr},
                       {"added_tokens", Json::array({end_of_text})},
                       {"normalizer", nullptr},
                       {"pre_tokenizer", byte_level},
                       {"post_processor", nullptr},
                       {"decoder", byte_level},
                       {"model", model}};
  write_file(folder + "/tokenizer.json", tokenizer.dump(1) + "\n");
  write_file(
      folder + "/tokenizer_config.json",
      Json{{"tokenizer_class", "PreTrainedTokenizerFast"}, {"eos_token", kEndOfText}}.dump(1) +
          "\n");
}

}  // namespace speclab::engines
