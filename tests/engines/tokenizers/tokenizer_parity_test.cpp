// The default model's tokenizer against ids made by Hugging Face's tokenizers and llama.cpp
// (tests/golden/make_tokenizer_fixture.py).

#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <random>

#include "engines/formats/gguf_file.h"
#include "engines/interface/chat_request.h"
#include "engines/tokenizers/load_tokenizer.h"
#include "sim/system/errors.h"
#include "sim/system/files.h"

namespace speclab::engines {
namespace {

class DefaultTokenizer : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    tokenizer_ = load_tokenizer_from_gguf(
        GgufFile::open(user_cache_folder() + "/models/smollm2-135m-instruct-q4_1.gguf"));
  }
  static void TearDownTestSuite() { tokenizer_.reset(); }

  static std::vector<nlohmann::json> fixture() {
    std::ifstream file(std::string(SPECLAB_SOURCE_DIR) + "/tests/golden/tokenizer_smollm2.jsonl");
    std::vector<nlohmann::json> lines;
    for (std::string line; std::getline(file, line);) lines.push_back(nlohmann::json::parse(line));
    return lines;
  }

  static std::shared_ptr<const Tokenizer> tokenizer_;
};

std::shared_ptr<const Tokenizer> DefaultTokenizer::tokenizer_;

TEST_F(DefaultTokenizer, GivesTheIdsOfThePeers) {
  const auto lines = fixture();
  EXPECT_GE(lines.size(), 2000U);
  for (const nlohmann::json& line : lines) {
    ASSERT_EQ(tokenizer_->encode(line["text"].get<std::string>(), SpecialText::parsed),
              line["ids"].get<std::vector<Token>>())
        << line["text"];
  }
}

TEST_F(DefaultTokenizer, GivesTextsBackExactly) {
  std::size_t exact = 0;
  for (const nlohmann::json& line : fixture()) {
    const auto text = line["text"].get<std::string>();
    if (tokenizer_->num_bytes_without_token(text) != 0) continue;
    ++exact;
    EXPECT_EQ(tokenizer_->decode(tokenizer_->encode(text, SpecialText::parsed)), text);
    EXPECT_EQ(tokenizer_->decode(tokenizer_->encode(text, SpecialText::as_plain_text)), text);
  }
  EXPECT_GE(exact, 2000U);
}

/// So whatever the model emits can be spelled again, which is asked of every generation.
TEST_F(DefaultTokenizer, SpellsWhatAnyTokensSpell) {
  std::mt19937 random(4);
  for (Token token = 0; token < tokenizer_->vocab_size(); ++token) {
    const auto other =
        static_cast<Token>(random() % static_cast<unsigned>(tokenizer_->vocab_size()));
    const std::string text = tokenizer_->decode(std::vector{token, other, token});
    EXPECT_EQ(tokenizer_->decode(tokenizer_->encode(text, SpecialText::parsed)), text)
        << token << " and " << other;
  }
}

TEST_F(DefaultTokenizer, GivesInvalidUtf8BackExactly) {
  std::mt19937 random(3);
  for (int trial = 0; trial < 2000; ++trial) {
    std::string bytes;
    while (bytes.size() < 30) {
      const char byte = static_cast<char>(random() % 256);
      if (tokenizer_->num_bytes_without_token({&byte, 1}) == 0) bytes += byte;
    }
    ASSERT_EQ(tokenizer_->decode(tokenizer_->encode(bytes, SpecialText::as_plain_text)), bytes);
  }
}

TEST_F(DefaultTokenizer, LacksTheBytesThatItsVocabularyLacks) {
  std::vector<int> missing;
  for (int byte = 0; byte < 256; ++byte) {
    const char one = static_cast<char>(byte);
    if (tokenizer_->num_bytes_without_token({&one, 1}) != 0) missing.push_back(byte);
  }
  EXPECT_EQ(missing,
            (std::vector<int>{0x04, 0x06, 0x13, 0x14, 0x16, 0x1D, 0xC0, 0xC1, 0xF1, 0xF2, 0xF5,
                              0xF6, 0xF7, 0xF8, 0xF9, 0xFA, 0xFB, 0xFC, 0xFD, 0xFE, 0xFF}));
}

TEST_F(DefaultTokenizer, StreamsTheSameTextAsItDecodes) {
  for (const nlohmann::json& line : fixture()) {
    const auto text = line["text"].get<std::string>();
    if (tokenizer_->num_bytes_without_token(text) != 0) continue;
    const auto decoder = tokenizer_->streaming_decoder();
    std::string streamed;
    for (const Token token : line["ids"]) streamed += decoder->push(token);
    ASSERT_EQ(streamed + decoder->flush(), text);
  }
}

TEST_F(DefaultTokenizer, CompletesOnAMegabyteOfOneCharacter) {
  for (const char* unit : {"a", " ", "\n", "=", "1", "\u00e9", "\u4e2d", "<", "\x80"}) {
    std::string text;
    while (text.size() < 1'000'000) text += unit;
    EXPECT_EQ(tokenizer_->decode(tokenizer_->encode(text, SpecialText::parsed)), text) << unit;
  }
}

TEST_F(DefaultTokenizer, EndsAtBothOfItsEnds) {
  EXPECT_TRUE(tokenizer_->is_end_of_sequence(0)) << "<|endoftext|>";
  EXPECT_FALSE(tokenizer_->is_end_of_sequence(1)) << "<|im_start|>";
  EXPECT_TRUE(tokenizer_->is_end_of_sequence(2)) << "<|im_end|>";
}

// Made with transformers' apply_chat_template(..., add_generation_prompt=True).
TEST_F(DefaultTokenizer, AppliesItsChatTemplate) {
  ASSERT_TRUE(tokenizer_->has_chat_template());
  EXPECT_EQ(tokenizer_->apply_chat_template(ChatRequest::of_user("Hi\nthere")),
            "<|im_start|>system\nYou are a helpful AI assistant named SmolLM, trained by Hugging "
            "Face<|im_end|>\n"
            "<|im_start|>user\nHi\nthere<|im_end|>\n<|im_start|>assistant\n");
  EXPECT_THROW(tokenizer_->apply_chat_template(ChatRequest()), ConfigError)
      << "transformers refuses an empty conversation too";
}

}  // namespace
}  // namespace speclab::engines
