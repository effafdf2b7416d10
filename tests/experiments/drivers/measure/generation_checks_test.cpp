#include "experiments/drivers/measure/measurement.h"

#include <gtest/gtest.h>

#include "sim/system/errors.h"
#include "tests/engines/decoding/letter_tokenizer.h"

namespace speclab::experiments {
namespace {

using engines::testing::LetterTokenizer;
constexpr Token kEnd = 5;

GenerationRecord generation(const std::vector<Token>& ids) {
  GenerationRecord record;
  record.output_ids = ids;
  record.fates.assign(ids.size(), TokenFate::plain);
  record.rounds.assign(ids.size(), {.emitted = 1});
  return record;
}

TEST(GenerationChecks, TakeAnOutputThatEndsOnce) {
  const LetterTokenizer tokenizer(26, kEnd);
  EXPECT_NO_THROW(check_generation(generation({1, 2, 3}), {}, tokenizer));
  EXPECT_NO_THROW(check_generation(generation({1, 2, kEnd}), {}, tokenizer));
  EXPECT_NO_THROW(check_generation(generation({kEnd, 2, kEnd}), {.ignore_eos = true}, tokenizer));
}

TEST(GenerationChecks, RefuseTokensBehindTheEnd) {
  const LetterTokenizer tokenizer(26, kEnd);
  EXPECT_THROW(check_generation(generation({1, kEnd, 3}), {}, tokenizer), ContractError);
  EXPECT_THROW(check_generation(generation({1, kEnd, kEnd}), {}, tokenizer), ContractError);
}

TEST(GenerationChecks, RefuseCountsThatDoNotAgree) {
  const LetterTokenizer tokenizer(26);
  GenerationRecord record = generation({1, 2, 3});
  record.rounds.pop_back();
  EXPECT_THROW(check_generation(record, {}, tokenizer), ContractError);
  record = generation({1, 2, 3});
  record.fates.pop_back();
  EXPECT_THROW(check_generation(record, {}, tokenizer), ContractError);
}

/// One letter streams as "?"; of a text that is spelled again the first letters are lost.
class FaultyTokenizer final : public engines::Tokenizer {
 public:
  explicit FaultyTokenizer(Token torn, std::size_t lost = 0) : torn_(torn), lost_(lost) {}
  std::int32_t vocab_size() const override { return 26; }
  std::vector<Token> encode(std::string_view text, engines::SpecialText special) const override {
    return whole_.encode(text.substr(lost_), special);
  }
  std::string decode(std::span<const Token> ids) const override { return whole_.decode(ids); }
  std::unique_ptr<engines::StreamingDecoder> streaming_decoder() const override {
    return std::make_unique<Stream>(torn_);
  }
  bool is_end_of_sequence(Token) const override { return false; }
  bool has_chat_template() const override { return false; }
  std::string apply_chat_template(const engines::ChatRequest&) const override { return ""; }

 private:
  struct Stream final : engines::StreamingDecoder {
    explicit Stream(Token torn_token) : torn(torn_token) {}
    std::string push(Token token) override {
      return token == torn ? "?" : LetterTokenizer::letter(token);
    }
    std::string flush() override { return ""; }
    Token torn;
  };
  LetterTokenizer whole_{26};
  Token torn_;
  std::size_t lost_;
};

TEST(GenerationChecks, RefuseAStreamThatIsNotTheText) {
  const std::vector<Token> ids{1, 2, 3};
  EXPECT_NO_THROW(check_text(ids, LetterTokenizer(26)));
  EXPECT_NO_THROW(check_text(ids, FaultyTokenizer(9)));
  for (const Token torn : ids)
    EXPECT_THROW(check_text(ids, FaultyTokenizer(torn)), ContractError) << torn;
}

TEST(GenerationChecks, RefuseATextThatItsTokenizerDoesNotSpellAgain) {
  EXPECT_THROW(check_text(std::vector<Token>{1, 2, 3}, FaultyTokenizer(9, 1)), ContractError);
}

}  // namespace
}  // namespace speclab::experiments
