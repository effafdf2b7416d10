// Pieces of a text that comes token by token, with real tokenizers of every kind.

#include "experiments/drivers/generate/text_stream.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <random>

#include "engines/tokenizers/load_tokenizer.h"
#include "sim/system/utf8.h"
#include "tests/support/test_size.h"

namespace speclab::experiments {
namespace {

using engines::Tokenizer;

const std::string kGolden = std::string(SPECLAB_SOURCE_DIR) + "/tests/golden/";

std::shared_ptr<const Tokenizer> tokenizer_of_kind(const std::string& kind) {
  return engines::load_tokenizer_from_folder(kGolden + "tokenizers/" + kind);
}

std::vector<std::string> kinds() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(kGolden + "tokenizers"))
    if (entry.is_directory()) names.push_back(entry.path().filename().string());
  std::ranges::sort(names);
  return names;
}

/// Pieces of the tokens one by one, and the rest last.
std::vector<std::string> pieces_of(TextStream& stream, std::span<const Token> ids) {
  std::vector<std::string> pieces;
  for (const Token& id : ids) pieces.push_back(stream.push({&id, 1}));
  pieces.push_back(stream.finish());
  return pieces;
}

std::string joined(const std::vector<std::string>& pieces) {
  std::string text;
  for (const std::string& piece : pieces) text += piece;
  return text;
}

/// Bytes that are no character become U+FFFD, also an unfinished one at the end.
std::string valid(std::string_view bytes) {
  std::string text;
  while (!bytes.empty()) {
    const Utf8Head head = utf8_head(bytes);
    const bool is_whole = head.state == Utf8State::complete;
    text += is_whole ? bytes.substr(0, head.length) : kReplacementCharacter;
    bytes.remove_prefix(head.state == Utf8State::unfinished ? bytes.size() : head.length);
  }
  return text;
}

bool ends_a_word(std::string_view piece) {
  const char32_t last = last_character(piece);
  return last == U' ' || last == U'\n' || (last >= 0x3400 && last <= 0x9FFF) ||
         (last >= 0xF900 && last <= 0xFAFF) || (last >= 0x20000 && last <= 0x2FA1F);
}

/// A piece of the text, from one character to another.
std::string some_part(const std::string& text, std::mt19937& random) {
  std::vector<std::size_t> starts;
  for (std::size_t i = 0; i < text.size(); i += character_length(text[i])) starts.push_back(i);
  const std::size_t first = random() % starts.size();
  const std::size_t last = std::min(starts.size() - 1, first + random() % 4);
  const std::size_t end = last + 1 < starts.size() ? starts[last + 1] : text.size();
  return text.substr(starts[first], end - starts[first]);
}

class TextStreams : public ::testing::TestWithParam<std::string> {
 protected:
  std::vector<Token> some_ids() {
    std::vector<Token> ids(1 + random_() % 24);
    for (Token& id : ids)
      id = static_cast<Token>(random_() % static_cast<unsigned>(tokenizer_->vocab_size()));
    return ids;
  }
  std::vector<std::string> pieces(std::span<const Token> ids, StreamPieces form,
                                  const std::vector<std::string>& stops = {}) const {
    TextStream stream(tokenizer_.get(), {form, LeftOutTokens::none, stops});
    std::vector<std::string> pieces = pieces_of(stream, ids);
    EXPECT_EQ(joined(pieces), stream.text());
    return pieces;
  }

  std::shared_ptr<const Tokenizer> tokenizer_ = tokenizer_of_kind(GetParam());
  std::mt19937 random_{50};
};

INSTANTIATE_TEST_SUITE_P(, TextStreams, ::testing::ValuesIn(kinds()),
                         [](const auto& named) { return named.param; });

/// Defect: a piece that is lost or printed twice, half a character or half a word, or text of a
/// stop string that was printed before it was known.
TEST_P(TextStreams, JoinTheirPiecesToTheDecodedText) {
  const int count = testing::by_size(200, 2000, 2000);
  for (int i = 0; i < count; ++i) {
    const std::vector<Token> ids = some_ids();
    const std::string text = valid(tokenizer_->decode(ids));
    const std::vector<std::string> words = pieces(ids, StreamPieces::words),
                                   characters = pieces(ids, StreamPieces::characters);
    ASSERT_EQ(joined(words), text);
    ASSERT_EQ(joined(characters), text);
    for (const auto* all : {&words, &characters})
      for (const std::string& piece : *all)
        ASSERT_EQ(valid_utf8_prefix(piece), piece.size()) << piece;
    for (const std::string& piece : std::span(words).first(words.size() - 1))
      ASSERT_TRUE(piece.empty() || ends_a_word(piece)) << piece;
    if (text.empty()) continue;
    const std::string stop = some_part(text, random_), cut = text.substr(0, text.find(stop));
    ASSERT_EQ(joined(pieces(ids, StreamPieces::words, {stop})), cut) << stop;
    ASSERT_EQ(joined(pieces(ids, StreamPieces::characters, {stop})), cut) << stop;
  }
}

/// Defect: pieces that TextStreamer of transformers would print earlier, later or otherwise.
TEST(TextStream, GivesThePiecesOfTextStreamer) {
  std::ifstream lines(kGolden + "streamed_text.jsonl");
  int compared = 0;
  for (std::string text; std::getline(lines, text); ++compared) {
    const nlohmann::json line = nlohmann::json::parse(text);
    const auto tokenizer = tokenizer_of_kind(line["tokenizer"]);
    TextStream stream(tokenizer.get(),
                      {StreamPieces::words,
                       line["skip_special_tokens"] ? LeftOutTokens::special : LeftOutTokens::none});
    const auto ids = line["ids"].get<std::vector<Token>>();
    const auto prompt = std::span(ids).first(line["prompt"].get<std::size_t>());
    std::vector<std::string> pieces;
    if (!line["skip_prompt"]) pieces.push_back(stream.push_prompt(prompt));
    const auto others = pieces_of(stream, std::span(ids).subspan(prompt.size()));
    pieces.insert(pieces.end(), others.begin(), others.end());
    EXPECT_EQ(pieces, line["pieces"].get<std::vector<std::string>>()) << text;
  }
  EXPECT_EQ(compared, 22);
}

/// The pieces of a text with a tokenizer that parts it into small ones.
std::vector<std::string> pieces_of_text(const std::string& text, const TextStreamOptions& options) {
  const auto tokenizer = tokenizer_of_kind("byte_level_o200k");
  TextStream stream(tokenizer.get(), options);
  std::vector<std::string> pieces =
      pieces_of(stream, tokenizer->encode(text, engines::SpecialText::parsed));
  std::erase(pieces, "");
  return pieces;
}

using Pieces = std::vector<std::string>;

/// Defect: an end or another special token that stands in the text although it is left out, or the
/// other way round.
TEST(TextStream, LeavesOutTheSpecialTokensThatItIsTold) {
  const std::string text = "<|im_start|>a<|im_end|>";
  EXPECT_EQ(joined(pieces_of_text(text, {.left_out = LeftOutTokens::special})), "a");
  EXPECT_EQ(joined(pieces_of_text(text, {.left_out = LeftOutTokens::none})), text);
  const auto tokenizer = tokenizer_of_kind("byte_level_o200k");
  const std::vector<Token> ids = tokenizer->encode("ab", engines::SpecialText::as_plain_text);
  TextStream stream(tokenizer.get(), {.ends = {ids.back()}});
  pieces_of(stream, ids);
  EXPECT_EQ(stream.text(), tokenizer->decode(std::span(ids).first(ids.size() - 1)))
      << "an end of this call";
}

/// Defect: a text that a possible stop string holds back for longer than it can be one.
TEST(TextStream, HoldsBackOnlyWhatMayBeginAStopString) {
  const TextStreamOptions options{.pieces = StreamPieces::words, .stop_strings = {"two blanks"}};
  EXPECT_EQ(pieces_of_text("one two words", options), (Pieces{"one ", "two ", "words"}));
  EXPECT_EQ(pieces_of_text("one two blanks", options), Pieces{"one "});
  EXPECT_EQ(pieces_of_text("one two b", options), (Pieces{"one ", "two b"}));
}

/// Defect: a stop string of the prompt, or one that begins there, that ends the text.
TEST(TextStream, LooksForStopStringsBehindThePrompt) {
  const auto tokenizer = tokenizer_of_kind("byte_level_o200k");
  TextStream stream(tokenizer.get(), {.left_out = LeftOutTokens::none, .stop_strings = {"ab"}});
  const auto ids = [&](const char* text) {
    return tokenizer->encode(text, engines::SpecialText::as_plain_text);
  };
  stream.push_prompt(ids("ab a"));
  stream.push(ids("b c a"));
  stream.push(ids("b d"));
  stream.finish();
  EXPECT_EQ(stream.text(), "ab ab c ");
}

TEST(TextStream, HasNoTextWithoutATokenizer) {
  TextStream stream(nullptr, {.pieces = StreamPieces::words});
  const Token id = 1;
  EXPECT_EQ(stream.push({&id, 1}) + stream.finish(), "");
}

}  // namespace
}  // namespace speclab::experiments
