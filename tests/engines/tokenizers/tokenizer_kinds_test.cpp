// Tokenizers of every kind against ids and texts that Hugging Face's tokenizers and SentencePiece
// made (tests/golden/make_tokenizer_kinds.py).

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "engines/tokenizers/characters.h"
#include "engines/tokenizers/load_tokenizer.h"
#include "sim/system/files.h"
#include "tests/support/test_size.h"

namespace speclab::engines {
namespace {

const std::string kFolder = std::string(SPECLAB_SOURCE_DIR) + "/tests/golden/tokenizers/";
constexpr std::uint64_t kShown = 300, kBlock = 10;

std::vector<std::string> lines_of(const std::string& path) {
  std::ifstream file(path);
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);) lines.push_back(line);
  return lines;
}

/// Draws the strings that the recipe draws.
class Strings {
 public:
  explicit Strings(bool without_special)
      : pools_(nlohmann::json::parse(read_file(kFolder + "pieces.json"))
                   .get<std::vector<std::vector<std::string>>>()),
        without_special_(without_special) {}

  std::string operator[](std::uint64_t number) const {
    std::uint64_t state = number;
    const auto below = [&](std::size_t limit) {
      // Knuth's MMIX generator.
      state = state * 6364136223846793005U + 1442695040888963407U;
      return static_cast<std::size_t>((state >> 33) % limit);
    };
    const std::size_t kind = below(4);
    const std::string separator = kind == 1 || kind == 2 ? " " : "";
    std::string text;
    for (std::size_t left = 1 + below(9), i = 0; i < left; ++i) {
      const std::vector<std::string>& pool = pools_[below(pools_.size())];
      const std::string& part = pool[below(pool.size())];
      text += (i == 0 ? "" : separator) + (is_left_out(part) ? "" : part);
    }
    return text;
  }

 private:
  bool is_left_out(const std::string& part) const {
    return without_special_ &&
           (part == "<s>" || part == "</s>" || part == "<unk>" || part == "<pad>");
  }

  std::vector<std::vector<std::string>> pools_;
  bool without_special_;
};

/// FNV-1a of 64 bits.
class Digest {
 public:
  void add(std::string_view bytes) {
    for (const char byte : bytes)
      state_ = (state_ ^ static_cast<unsigned char>(byte)) * 0x100000001B3U;
  }
  std::string str() const {
    char text[17];
    std::snprintf(text, sizeof text, "%016lx", static_cast<unsigned long>(state_));
    return text;
  }

 private:
  std::uint64_t state_ = 0xCBF29CE484222325U;
};

std::vector<std::string> kinds() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(kFolder))
    if (entry.is_directory()) names.push_back(entry.path().filename().string());
  std::ranges::sort(names);
  return names;
}

class TokenizerKinds : public ::testing::TestWithParam<std::string> {
 protected:
  bool is_sentencepiece() const { return GetParam().starts_with("sp_"); }

  /// Streamed, what is no character is replaced, as the libraries do. SentencePiece writes
  /// something of its own for the unknown token, so that such texts are empty in the fixture.
  std::string decoded(const std::vector<Token>& ids) const {
    if (is_sentencepiece() && std::ranges::count(ids, 0) > 0) return "";
    const auto decoder = tokenizer_->streaming_decoder();
    std::string text;
    for (const Token id : ids) text += decoder->push(id);
    return text + decoder->flush();
  }

  std::shared_ptr<const Tokenizer> tokenizer_ = load_tokenizer_from_folder(kFolder + GetParam());
};

/// Defect: any step of a kind does something else than the library: a normalizer, a behaviour of a
/// split, the order of added tokens, bytes for unknown characters, ties of scores.
TEST_P(TokenizerKinds, GiveTheIdsAndTextsOfTheLibraries) {
  const Strings strings(is_sentencepiece());
  const auto lines = lines_of(kFolder + GetParam() + ".jsonl");
  ASSERT_EQ(lines.size(), kShown);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const nlohmann::json line = nlohmann::json::parse(lines[i]);
    const auto text = line["text"].get<std::string>();
    const auto ids = line["ids"].get<std::vector<Token>>();
    ASSERT_EQ(strings[i], text) << "the strings of the recipe";
    ASSERT_EQ(tokenizer_->encode(text, SpecialText::parsed), ids) << line["text"];
    ASSERT_EQ(decoded(ids), line["decoded"].get<std::string>()) << line["text"];
    if (!is_sentencepiece())
      ASSERT_EQ(tokenizer_->encode_whole(text),
                line.value("whole", line["ids"]).get<std::vector<Token>>())
          << line["text"];
  }
}

/// Defect: as above, in strings that 300 do not have.
TEST_P(TokenizerKinds, GiveTheDigestsOfTheLibraries) {
  const Strings strings(is_sentencepiece());
  const auto digests = lines_of(kFolder + GetParam() + ".digests");
  ASSERT_EQ(digests.size(), 500U);
  const std::size_t step = testing::by_size<std::size_t>(50, 10, 1);
  for (std::size_t block = 0; block < digests.size(); block += step) {
    Digest digest;
    for (std::uint64_t i = 0; i < kBlock; ++i) {
      const auto ids =
          tokenizer_->encode(strings[kShown + block * kBlock + i], SpecialText::parsed);
      digest.add({reinterpret_cast<const char*>(ids.data()), ids.size() * sizeof(Token)});
      digest.add(decoded(ids) + "\xff");
    }
    ASSERT_EQ(digest.str(), digests[block]) << "strings from " << kShown + block * kBlock << " on";
  }
}

/// Defect: a stretch of one character takes the square of its length.
TEST_P(TokenizerKinds, TakeAHundredThousandOfOneCharacter) {
  for (const char* unit : {"a", " ", "\n", "<", "\u4e2d", "\u0301"}) {
    std::string text;
    while (text.size() < 100'000) text += unit;
    const auto ids = tokenizer_->encode(text, SpecialText::parsed);
    EXPECT_LE(ids.size(), text.size() + 1) << unit;
  }
}

INSTANTIATE_TEST_SUITE_P(, TokenizerKinds, ::testing::ValuesIn(kinds()),
                         [](const auto& named) { return named.param; });

}  // namespace
}  // namespace speclab::engines
