#include <gtest/gtest.h>

#include <functional>
#include <optional>

#include "engines/formats/gguf_file.h"
#include "engines/tokenizers/load_tokenizer.h"
#include "sim/system/errors.h"
#include "tests/engines/formats/gguf_bytes.h"
#include "tests/engines/formats/temporary_folder.h"

namespace speclab::engines {
namespace {

using namespace speclab::testing;

/// What the metadata of a tokenizer is made of.
struct Parts {
  std::string model = "gpt2";
  std::string pre = "smollm";
  std::vector<std::string> tokens = {"a",        "b",       "\u0120",     "ab",
                                     "\u0120ab", "<|end|>", "<|im_end|>", "[u]"};
  std::vector<std::int32_t> types = {1, 1, 1, 1, 1, 3, 3, 4};
  std::vector<std::string> merges = {"a b", "\u0120 ab"};
  std::uint32_t eos = 5;
  std::optional<bool> add_bos{};
  std::optional<std::uint32_t> bos{};
};

std::string strings(const std::vector<std::string>& texts) {
  std::string bytes = raw<std::uint32_t>(8) + raw<std::uint64_t>(texts.size());
  for (const std::string& text : texts) bytes += raw_string(text);
  return bytes;
}

std::shared_ptr<const Tokenizer> load(const Parts& parts) {
  const TemporaryFolder folder;
  std::string types = raw<std::uint32_t>(5) + raw<std::uint64_t>(parts.types.size());
  for (const std::int32_t type : parts.types) types += raw(type);
  GgufBytes file;
  file.metadata = {metadata_entry("tokenizer.ggml.model", 8, raw_string(parts.model)),
                   metadata_entry("tokenizer.ggml.pre", 8, raw_string(parts.pre)),
                   metadata_entry("tokenizer.ggml.tokens", 9, strings(parts.tokens)),
                   metadata_entry("tokenizer.ggml.token_type", 9, types),
                   metadata_entry("tokenizer.ggml.merges", 9, strings(parts.merges)),
                   metadata_entry("tokenizer.ggml.eos_token_id", 4, raw(parts.eos))};
  if (parts.add_bos)
    file.metadata.push_back(metadata_entry("tokenizer.ggml.add_bos_token", 7,
                                           raw<std::uint8_t>(*parts.add_bos ? 1 : 0)));
  if (parts.bos)
    file.metadata.push_back(metadata_entry("tokenizer.ggml.bos_token_id", 4, raw(*parts.bos)));
  return load_tokenizer_from_gguf(GgufFile::open(folder.file("vocab.gguf", file.str())));
}

TEST(GgufTokenizer, ReadsVocabularyMergesAndKinds) {
  const auto tokenizer = load({});
  EXPECT_EQ(tokenizer->vocab_size(), 8);
  EXPECT_EQ(tokenizer->encode("ab ab<|end|>[u]", SpecialText::parsed),
            (std::vector<Token>{3, 4, 5, 7}));
  EXPECT_EQ(tokenizer->decode(std::vector<Token>{4, 6}), " ab<|im_end|>");
}

TEST(GgufTokenizer, EndsAtTheNamedTokenAndAtTheUsualOnes) {
  const auto tokenizer = load({});
  EXPECT_TRUE(tokenizer->is_end_of_sequence(5)) << "eos_token_id";
  EXPECT_TRUE(tokenizer->is_end_of_sequence(6)) << "<|im_end|>";
  EXPECT_FALSE(tokenizer->is_end_of_sequence(7));
}

TEST(GgufTokenizer, BeginsAWholeTextWithTheTokenThatTheFileWants) {
  const auto tokenizer = load({.add_bos = true, .bos = 5});
  EXPECT_EQ(tokenizer->encode_whole("ab"), (std::vector<Token>{5, 3}));
  EXPECT_EQ(tokenizer->encode_whole(""), (std::vector<Token>{5}));
  EXPECT_EQ(tokenizer->encode_whole("<|end|>ab"), (std::vector<Token>{5, 5, 3}))
      << "as transformers: also where the text has it";
  EXPECT_EQ(tokenizer->encode("ab", SpecialText::parsed), (std::vector<Token>{3}))
      << "a chat template writes its own";
}

TEST(GgufTokenizer, BeginsATextWithNothingElseUnlessItIsOfTheLlama3Family) {
  EXPECT_EQ(load({.bos = 5})->encode_whole("ab"), (std::vector<Token>{3}));
  EXPECT_EQ(load({.add_bos = false, .bos = 5})->encode_whole("ab"), (std::vector<Token>{3}));
  EXPECT_EQ(load({.pre = "llama-bpe", .bos = 5})->encode_whole("ab"), (std::vector<Token>{5, 3}));
  EXPECT_EQ(load({.pre = "llama-bpe", .add_bos = false, .bos = 5})->encode_whole("ab"),
            (std::vector<Token>{3}));
  EXPECT_EQ(load({.pre = "llama-bpe"})->encode_whole("ab"), (std::vector<Token>{3}));
}

/// Defect: a file is refused because it says that there is no end, or has a row without a text.
TEST(GgufTokenizer, TakesEmptyTokensAndAnEndThatIsNone) {
  Parts parts{.eos = UINT32_MAX};
  parts.tokens[7] = "";
  const auto tokenizer = load(parts);
  EXPECT_EQ(tokenizer->decode(std::vector<Token>{3, 7}), "ab");
  EXPECT_FALSE(tokenizer->roles().end.has_value());
  EXPECT_TRUE(tokenizer->is_end_of_sequence(6)) << "<|im_end|> by its name";
}

std::string floats(const std::vector<float>& values) {
  std::string bytes = raw<std::uint32_t>(6) + raw<std::uint64_t>(values.size());
  for (const float value : values) bytes += raw(value);
  return bytes;
}

/// Pieces with scores, as SentencePiece makes them.
std::shared_ptr<const Tokenizer> load_scored(const char* model, bool add_space_prefix) {
  const TemporaryFolder folder;
  const std::vector<std::string> tokens = {"<unk>",  "<s>",      "</s>", "<0xC3>",
                                           "<0xA9>", "\u2581",   "a",    "b",
                                           "ab",     "\u2581ab", "[u]",  "\u2581\u2581"};
  std::string types = raw<std::uint32_t>(5) + raw<std::uint64_t>(tokens.size());
  for (const std::int32_t type : {2, 3, 3, 6, 6, 1, 1, 1, 1, 1, 4, 1}) types += raw(type);
  GgufBytes file;
  file.metadata = {metadata_entry("tokenizer.ggml.model", 8, raw_string(model)),
                   metadata_entry("tokenizer.ggml.tokens", 9, strings(tokens)),
                   metadata_entry("tokenizer.ggml.token_type", 9, types),
                   metadata_entry("tokenizer.ggml.scores", 9,
                                  floats({0, 0, 0, 0, 0, -5, -6, -7, -3, -2, 0, -4})),
                   metadata_entry("tokenizer.ggml.bos_token_id", 4, raw<std::uint32_t>(1)),
                   metadata_entry("tokenizer.ggml.eos_token_id", 4, raw<std::uint32_t>(2)),
                   metadata_entry("tokenizer.ggml.add_space_prefix", 7,
                                  raw<std::uint8_t>(add_space_prefix ? 1 : 0))};
  return load_tokenizer_from_gguf(GgufFile::open(folder.file("vocab.gguf", file.str())));
}

using Ids = std::vector<Token>;

/// Defect: pieces merge in the order of the file instead of their scores, blanks are not marked,
/// bytes of unknown characters are lost, or a text does not begin as its kind does.
TEST(GgufTokenizer, ReadsPiecesWithScores) {
  const auto llama = load_scored("llama", true);
  EXPECT_EQ(llama->encode("ab", SpecialText::parsed), Ids{9});
  EXPECT_EQ(llama->encode("aab  b", SpecialText::parsed), (Ids{5, 6, 8, 11, 7}));
  EXPECT_EQ(llama->encode("\u00e9", SpecialText::parsed), (Ids{5, 3, 4}));
  EXPECT_EQ(llama->encode("[u]ab</s>", SpecialText::parsed), (Ids{10, 9, 2}));
  EXPECT_EQ(llama->encode_whole("ab"), (Ids{1, 9}));
  EXPECT_EQ(llama->decode(Ids{9, 9, 3, 4}), "ab ab\u00e9");
  const auto gemma = load_scored("llama", false);
  EXPECT_EQ(gemma->encode("ab ab", SpecialText::parsed), (Ids{8, 9}));
  EXPECT_EQ(gemma->decode(Ids{9, 8}), " abab");
  const auto t5 = load_scored("t5", true);
  EXPECT_EQ(t5->encode_whole("ab b"), (Ids{9, 5, 7, 2}));
  EXPECT_EQ(t5->roles().kind, "Unigram");
}

struct Damage {
  std::string name;
  std::function<void(Parts&)> damage;
  std::string mentions;
};

void PrintTo(const Damage& damage, std::ostream* out) { *out << damage.name; }

std::vector<Damage> damages() {
  return {
      {"OtherModel", [](Parts& p) { p.model = "bert"; }, "tokenizer.ggml.model"},
      {"UnknownPreTokenizer", [](Parts& p) { p.pre = "mystery"; }, "deepseek-v3"},
      {"NoTokens", [](Parts& p) { p.tokens.clear(); }, "tokenizer.ggml.tokens"},
      {"TokenTwice", [](Parts& p) { p.tokens[1] = "a"; }, "'a' again"},
      {"TokenOutsideTheAlphabet", [](Parts& p) { p.tokens[0] = "\u4e2d"; }, "entry 0"},
      {"TokenOfInvalidUtf8", [](Parts& p) { p.tokens[0] = "\xff"; }, "entry 0"},
      {"TypesMissing", [](Parts& p) { p.types.pop_back(); }, "token_type"},
      {"ByteTokens", [](Parts& p) { p.types[0] = 6; }, "token_type"},
      {"NegativeType", [](Parts& p) { p.types[0] = -1; }, "token_type"},
      {"MergeWithoutBlank", [](Parts& p) { p.merges[0] = "ab"; }, "merges"},
      {"MergeOfUnknownTokens", [](Parts& p) { p.merges[0] = "b c"; }, "merges"},
      {"MergeIntoUnknownToken", [](Parts& p) { p.merges[0] = "b a"; }, "merges"},
      {"EosOutsideTheVocabulary", [](Parts& p) { p.eos = 8; }, "eos_token_id"},
      {"BosOutsideTheVocabulary", [](Parts& p) { p.add_bos = true, p.bos = 8; }, "bos_token_id"},
      {"BosMissing", [](Parts& p) { p.add_bos = true; }, "bos_token_id"},
  };
}

class GgufTokenizerRefusals : public ::testing::TestWithParam<Damage> {};

TEST_P(GgufTokenizerRefusals, NameTheKey) {
  Parts parts;
  GetParam().damage(parts);
  try {
    load(parts);
    FAIL() << "the file was accepted";
  } catch (const ModelFileError& error) {
    EXPECT_NE(std::string(error.what()).find(GetParam().mentions), std::string::npos)
        << error.what();
  }
}

INSTANTIATE_TEST_SUITE_P(, GgufTokenizerRefusals, ::testing::ValuesIn(damages()),
                         [](const auto& named) { return named.param.name; });

}  // namespace
}  // namespace speclab::engines
