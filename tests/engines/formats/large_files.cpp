#include "tests/engines/formats/large_files.h"

#include <memory>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "engines/formats/gguf_file.h"
#include "engines/formats/json_file.h"
#include "engines/formats/safetensors_file.h"
#include "engines/ngrams/ngram_file.h"
#include "engines/tokenizers/load_tokenizer.h"
#include "tests/engines/formats/gguf_bytes.h"
#include "tests/engines/formats/memory_file.h"
#include "tests/engines/formats/safetensors_bytes.h"

namespace speclab::testing {

using namespace engines;

namespace {

std::string many_tensors(int n) {
  GgufBytes file;
  for (int i = 0; i < n; ++i)
    file.tensors.push_back(
        tensor_entry("blk." + std::to_string(i), {8}, 0, 32 * static_cast<std::uint64_t>(i)));
  file.data.resize(32 * static_cast<std::size_t>(n), '\0');
  return file.str();
}

std::string many_entries(int n, const std::function<std::string(int)>& entry) {
  GgufBytes file;
  for (int i = 0; i < n; ++i) file.metadata.push_back(entry(i));
  return file.str();
}

std::string string_array(const std::string& key, int n,
                         const std::function<std::string(int)>& text) {
  std::string texts;
  for (int i = 0; i < n; ++i) texts += raw_string(text(i));
  return metadata_entry(key, 9, raw<std::uint32_t>(8) + raw(static_cast<std::uint64_t>(n)) + texts);
}

std::string many_safetensors(int n) {
  std::string header = "{";
  for (int i = 0; i < n; ++i)
    header += (i == 0 ? "" : ",") +
              safetensors_entry("layers." + std::to_string(i), "U8", "[0]", "[0,0]");
  return safetensors_bytes(header + "}", "");
}

std::string token_name(int i) {
  std::string text;
  do text += static_cast<char>('a' + i % 26);
  while ((i /= 26) > 0);
  return text;
}

/// Token i, from 26 on, is that of its first letter and one of what follows.
std::string merge_text(int i, const char* between) {
  return token_name(i % 26) + between + token_name(i / 26);
}

std::string tokenizer(int n) {
  std::string vocab, merges;
  for (int i = 0; i < n; ++i)
    vocab += (i == 0 ? "\"" : ",\"") + token_name(i) + "\":" + std::to_string(i);
  for (int i = 26; i < n; ++i)
    merges += (i == 26 ? "" : ",") + (i % 2 == 0 ? "\"" + merge_text(i, " ") + "\""
                                                 : "[\"" + merge_text(i, "\",\"") + "\"]");
  return R"({"pre_tokenizer":{"type":"ByteLevel","add_prefix_space":false},"model":{"vocab":{)" +
         vocab + "},\"merges\":[" + merges + "]}}";
}

/// So many types of ordinary tokens.
std::string normal_types(int n) {
  std::string types;
  for (int i = 0; i < n; ++i) types += raw(std::int32_t{1});
  return types;
}

std::string gguf_tokenizer(int n) {
  GgufBytes file;
  file.metadata = {
      metadata_entry("tokenizer.ggml.model", 8, raw_string("gpt2")),
      metadata_entry("tokenizer.ggml.pre", 8, raw_string("smollm")),
      string_array("tokenizer.ggml.tokens", n, token_name),
      metadata_entry("tokenizer.ggml.token_type", 9,
                     raw<std::uint32_t>(5) + raw(static_cast<std::uint64_t>(n)) + normal_types(n)),
      string_array("tokenizer.ggml.merges", n - 26, [](int i) { return merge_text(i + 26, " "); }),
      metadata_entry("tokenizer.ggml.eos_token_id", 4, raw(std::uint32_t{0}))};
  return file.str();
}

/// Merges that pair everything again and again: a, aa, aaaa, ...
std::shared_ptr<const Tokenizer> pairing_tokenizer() {
  std::string vocab = R"("a":0)", merges;
  for (int i = 1; i < 8; ++i) {
    const std::string half(std::size_t{1} << (i - 1), 'a');
    vocab += ",\"" + half + half + "\":" + std::to_string(i);
    merges += (i == 1 ? "\"" : ",\"") + half + " " + half + "\"";
  }
  MemoryFile disk;
  disk.write(
      R"({"pre_tokenizer":{"type":"ByteLevel","add_prefix_space":false},"model":{"vocab":{)" +
      vocab + "},\"merges\":[" + merges + "]}}");
  return load_tokenizer_from_json(disk.path());
}

constexpr std::size_t kLongest = 128;  ///< letters of a token
/// Bytes of memory a byte of text: each is a piece of its own at first.
constexpr double kPieces = 32;

void encode_pairs(const std::string& text) {
  static const std::shared_ptr<const Tokenizer> tokenizer = pairing_tokenizer();
  const std::size_t num_tokens = tokenizer->encode(text, SpecialText::parsed).size();
  if (text.size() % kLongest == 0 && text.find_first_not_of('a') == std::string::npos &&
      num_tokens != text.size() / kLongest)
    throw std::logic_error("other tokens than expected");
}

Format gguf() {
  return {"GGUF", [](const std::string& path, const std::string&) { GgufFile::open(path); }};
}
Format safetensors() {
  return {"safetensors",
          [](const std::string& path, const std::string&) { SafetensorsFile::open(path); }};
}
Format json() {
  return {"JSON", [](const std::string& path, const std::string&) { read_json_file(path); }};
}
Format tokenizer_json() {
  return {"tokenizer.json",
          [](const std::string& path, const std::string&) { load_tokenizer_from_json(path); }};
}
Format tokenizer_of_gguf() {
  return {"GGUF's tokenizer", [](const std::string& path, const std::string&) {
            load_tokenizer_from_gguf(GgufFile::open(path));
          }};
}
Format ngrams() {
  return {"n-grams",
          [](const std::string& path, const std::string& bytes) { parse_ngrams(bytes, path); }};
}

}  // namespace

std::vector<Format> file_formats() {
  return {gguf(), safetensors(), json(), tokenizer_json(), tokenizer_of_gguf(), ngrams()};
}

Format text_tokens() {
  return {"a text's tokens",
          [](const std::string&, const std::string& text) { encode_pairs(text); }};
}

std::vector<LargeFile> large_files() {
  return {{"GgufTensors", gguf(), many_tensors, 10000},
          {"GgufKeys", gguf(),
           [](int n) {
             return many_entries(n,
                                 [](int i) { return metadata_entry(std::to_string(i), 0, "a"); });
           },
           20000},
          {"GgufStrings", gguf(),
           [](int n) {
             return many_entries(1, [&](int) {
               return string_array("texts", n, [](int i) { return "t" + std::to_string(i); });
             });
           },
           40000},
          {"GgufBytes", gguf(),
           [](int n) {
             return many_entries(1, [&](int) {
               return metadata_entry("k", 9,
                                     raw<std::uint32_t>(0) + raw(static_cast<std::uint64_t>(n)) +
                                         std::string(static_cast<std::size_t>(n), 'a'));
             });
           },
           800'000},
          {"Safetensors", safetensors(), many_safetensors, 5000},
          {"JsonKeys", json(), tokenizer, 10'000},
          {"JsonDepth", json(),
           [](int n) {
             std::string all = "[";
             for (int i = 0; i < n; ++i) all += "[[[]]],";
             return all + "1]";
           },
           10000},
          {"Tokenizer", tokenizer_json(), tokenizer, 25'000},
          {"GgufTokenizer", tokenizer_of_gguf(), gguf_tokenizer, 25'000},
          {"OneCharacter", text_tokens(),
           [](int n) { return std::string(static_cast<std::size_t>(n), 'a'); }, 5 << 16, kPieces}};
}

}  // namespace speclab::testing
