// The limits of tokenizer data: each at one less, at itself, and at one more.

#include <gtest/gtest.h>

#include "engines/formats/gguf_file.h"
#include "engines/tokenizers/load_tokenizer.h"
#include "sim/system/errors.h"
#include "tests/engines/formats/gguf_bytes.h"
#include "tests/engines/formats/temporary_folder.h"

namespace speclab::engines {
namespace {

using namespace speclab::testing;

/// Four tokens, two merges, the longest token of three bytes.
std::string json(int last_id = 3) {
  return R"({"pre_tokenizer":{"type":"ByteLevel","add_prefix_space":false},)"
         R"("model":{"type":"BPE","vocab":{"a":0,"b":1,"ab":2,"aba":)" +
         std::to_string(last_id) + R"(},"merges":["a b","ab a"]}})";
}

std::string json_strings(const std::vector<std::string>& texts) {
  std::string bytes = raw<std::uint32_t>(8) + raw<std::uint64_t>(texts.size());
  for (const std::string& text : texts) bytes += raw_string(text);
  return bytes;
}

std::string gguf() {
  GgufBytes file;
  std::string types = raw<std::uint32_t>(5) + raw<std::uint64_t>(4);
  for (int i = 0; i < 4; ++i) types += raw<std::int32_t>(1);
  file.metadata = {
      metadata_entry("tokenizer.ggml.model", 8, raw_string("gpt2")),
      metadata_entry("tokenizer.ggml.tokens", 9, json_strings({"a", "b", "ab", "aba"})),
      metadata_entry("tokenizer.ggml.token_type", 9, types),
      metadata_entry("tokenizer.ggml.merges", 9, json_strings({"a b", "ab a"}))};
  return file.str();
}

class TokenizerLimitsTest : public ::testing::TestWithParam<bool> {
 protected:
  bool accepted(const TokenizerLimits& limits, const std::string& field) const {
    try {
      if (GetParam())
        load_tokenizer_from_json(json_, limits);
      else
        load_tokenizer_from_gguf(GgufFile::open(gguf_), limits);
      return true;
    } catch (const ModelFileError& error) {
      EXPECT_NE(std::string(error.what()).find(field), std::string::npos) << error.what();
      return false;
    }
  }

  TemporaryFolder folder_;
  std::string json_ = folder_.file("tokenizer.json", json()),
              gguf_ = folder_.file("vocab.gguf", gguf());
};

TEST_P(TokenizerLimitsTest, AreReachedAndNotPassed) {
  static_assert(TokenizerLimits().tokens == 2'000'000 && TokenizerLimits().merges == 4'000'000 &&
                TokenizerLimits().token_bytes == 65536);
  for (const std::size_t limit : {3, 4, 5})
    EXPECT_EQ(accepted({.tokens = limit}, GetParam() ? "model.vocab" : "tokens"), limit >= 4)
        << limit;
  for (const std::size_t limit : {1, 2, 3})
    EXPECT_EQ(accepted({.merges = limit}, "merges"), limit >= 2) << limit;
  for (const std::size_t limit : {2, 3, 4})
    EXPECT_EQ(accepted({.token_bytes = limit}, "at most 2"), limit >= 3) << limit;
}

INSTANTIATE_TEST_SUITE_P(, TokenizerLimitsTest, ::testing::Bool(),
                         [](const auto& is_json) { return is_json.param ? "Json" : "Gguf"; });

TEST(TokenizerLimit, OfIdsIsTwiceTheNumberOfTokens) {
  const TemporaryFolder folder;
  for (const int id : {6, 7, 8}) {
    const std::string path = folder.file("tokenizer.json", json(id));
    if (id < 8) {
      EXPECT_EQ(load_tokenizer_from_json(path)->vocab_size(), id + 1);
    } else {
      EXPECT_THROW(load_tokenizer_from_json(path), ModelFileError);
    }
  }
}

}  // namespace
}  // namespace speclab::engines
