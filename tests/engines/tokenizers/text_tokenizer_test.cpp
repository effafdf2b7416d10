#include "engines/tokenizers/text_tokenizer.h"
#include "engines/interface/chat_request.h"

#include <gtest/gtest.h>

#include <random>

#include "sim/system/errors.h"

namespace speclab::engines {
namespace {

constexpr Token kAb = 256, kControl = 257, kLonger = 258, kUser = 259, kWord = 260;

/// The bytes, "ab", the control tokens "<s>" and "<s>>", the user-defined token "[u]" and "word"
/// without its merges.
TextVocabulary small_vocabulary() {
  TextVocabulary vocabulary;
  for (int byte = 0; byte < 256; ++byte) vocabulary.texts.emplace_back(1, static_cast<char>(byte));
  vocabulary.texts.insert(vocabulary.texts.end(), {"ab", "<s>", "<s>>", "[u]", "word"});
  vocabulary.kinds.assign(vocabulary.texts.size(), TokenKind::normal);
  vocabulary.kinds[kControl] = vocabulary.kinds[kLonger] = TokenKind::control;
  vocabulary.kinds[kUser] = TokenKind::user_defined;
  vocabulary.merges = {{'a', 'b', kAb}};
  const auto patterns = pre_tokenizer_patterns("gpt-2");
  vocabulary.patterns.assign(patterns.begin(), patterns.end());
  vocabulary.end_of_sequence = {kControl};
  return vocabulary;
}

using Ids = std::vector<Token>;

TEST(TextTokenizer, MergesInsidePieces) {
  const TextTokenizer tokenizer(small_vocabulary());
  EXPECT_EQ(tokenizer.encode("ab a bab", SpecialText::parsed), (Ids{kAb, ' ', 'a', ' ', 'b', kAb}));
  EXPECT_TRUE(tokenizer.encode("", SpecialText::parsed).empty());
}

TEST(TextTokenizer, ParsesSpecialTextOnlyWhenAsked) {
  const TextTokenizer tokenizer(small_vocabulary());
  EXPECT_EQ(tokenizer.encode("a<s>b", SpecialText::parsed), (Ids{'a', kControl, 'b'}));
  EXPECT_EQ(tokenizer.encode("<s>", SpecialText::as_plain_text), (Ids{'<', 's', '>'}));
  EXPECT_EQ(tokenizer.encode("<s>>>", SpecialText::parsed), (Ids{kLonger, '>'}))
      << "the longest counts";
  EXPECT_EQ(tokenizer.encode("[u]", SpecialText::as_plain_text), Ids{kUser})
      << "user-defined tokens are found always";
  EXPECT_EQ(tokenizer.encode("<s", SpecialText::parsed), (Ids{'<', 's'}));
}

TEST(TextTokenizer, TakesWholePiecesFirstWhereTheVocabularySaysSo) {
  TextVocabulary vocabulary = small_vocabulary();
  EXPECT_EQ(TextTokenizer(vocabulary).encode("word", SpecialText::parsed),
            (Ids{'w', 'o', 'r', 'd'}));
  vocabulary.whole_pieces_first = true;
  EXPECT_EQ(TextTokenizer(vocabulary).encode("word", SpecialText::parsed), Ids{kWord});
}

TEST(TextTokenizer, GivesInvalidUtf8BackExactly) {
  const TextTokenizer tokenizer(small_vocabulary());
  std::mt19937 random(11);
  for (int trial = 0; trial < 2000; ++trial) {
    std::string bytes;
    for (auto length = random() % 40; length > 0; --length)
      bytes += static_cast<char>(random() % 3 == 0 ? random() % 256 : "ab \xc3\xa9"[random() % 5]);
    EXPECT_EQ(tokenizer.decode(tokenizer.encode(bytes, SpecialText::as_plain_text)), bytes);
  }
}

TEST(TextTokenizer, CountsBytesWithoutAToken) {
  TextVocabulary vocabulary = small_vocabulary();
  vocabulary.kinds['x'] = TokenKind::unused;
  const TextTokenizer tokenizer(vocabulary);
  EXPECT_EQ(tokenizer.num_bytes_without_token("axxb"), 2U);
  EXPECT_EQ(tokenizer.encode("axb", SpecialText::parsed), (Ids{'a', 'b'}));
}

/// Defect: an id of a row without a token ends the program.
TEST(TextTokenizer, DecodesIdsWithoutATokenToNothing) {
  const TextTokenizer tokenizer(small_vocabulary());
  EXPECT_EQ(tokenizer.decode(Ids{kControl, kAb, '\n'}), "<s>ab\n");
  EXPECT_THROW(tokenizer.decode(Ids{-1}), ConfigError);
  EXPECT_EQ(tokenizer.decode(Ids{kAb, tokenizer.vocab_size(), INT32_MAX}), "ab");
  const auto decoder = tokenizer.streaming_decoder();
  EXPECT_EQ(decoder->push(tokenizer.vocab_size()), "");
}

TEST(TextTokenizer, KnowsItsEndOfSequence) {
  const TextTokenizer tokenizer(small_vocabulary());
  EXPECT_TRUE(tokenizer.is_end_of_sequence(kControl));
  EXPECT_FALSE(tokenizer.is_end_of_sequence(kLonger));
}

/// Defect: a model without a template, or with a broken one, cannot be loaded for raw prompts.
TEST(TextTokenizer, ReadsItsChatTemplateWhereItIsUsed) {
  TextVocabulary vocabulary = small_vocabulary();
  const ChatRequest request = ChatRequest::of_user("Hi");
  EXPECT_FALSE(TextTokenizer(vocabulary).has_chat_template());
  EXPECT_THROW(TextTokenizer(vocabulary).apply_chat_template(request), ConfigError);
  vocabulary.roles.templates = {{"default", "{% broken", "chat_template.jinja"}};
  const TextTokenizer tokenizer(vocabulary);
  EXPECT_TRUE(tokenizer.has_chat_template());
  EXPECT_FALSE(tokenizer.encode("a", SpecialText::parsed).empty());
  EXPECT_THROW(tokenizer.apply_chat_template(request), ModelFileError);
}

TEST(StreamingDecoder, NeverSplitsACharacter) {
  const TextTokenizer tokenizer(small_vocabulary());
  const auto decoder = tokenizer.streaming_decoder();
  std::vector<std::string> pushed;
  for (const char byte : std::string("a\u00e9\U0001f600!"))
    pushed.push_back(decoder->push(static_cast<unsigned char>(byte)));
  EXPECT_EQ(pushed, (std::vector<std::string>{"a", "", "\u00e9", "", "", "", "\U0001f600", "!"}));
  EXPECT_EQ(decoder->flush(), "");
}

TEST(StreamingDecoder, ReplacesWhatIsNoCharacter) {
  const TextTokenizer tokenizer(small_vocabulary());
  const auto decoder = tokenizer.streaming_decoder();
  EXPECT_EQ(decoder->push(0xFF), "\ufffd");
  EXPECT_EQ(decoder->push(0xE4), "");
  EXPECT_EQ(decoder->push('a'), "\ufffda") << "the character will not be finished any more";
  EXPECT_EQ(decoder->push(0xF0), "");
  EXPECT_EQ(decoder->flush(), "\ufffd");
  EXPECT_EQ(decoder->flush(), "");
}

TEST(TextTokenizer, RefusesContradictions) {
  TextVocabulary outside = small_vocabulary();
  outside.merges.push_back({0, 1, 9999});
  EXPECT_THROW(TextTokenizer{outside}, ContractError);
  TextVocabulary without_kinds = small_vocabulary();
  without_kinds.kinds.pop_back();
  EXPECT_THROW(TextTokenizer{without_kinds}, ContractError);
}

}  // namespace
}  // namespace speclab::engines
