// Damaged tokenizer.model files: an error of the right type and form, or the pieces that an
// independent slow reader finds.

#include <gtest/gtest.h>

#include <cstdio>
#include <cstring>
#include <optional>

#include "engines/tokenizers/load_tokenizer.h"
#include "sim/system/errors.h"
#include "sim/system/files.h"
#include "tests/engines/formats/memory_file.h"
#include "tests/engines/formats/mutants.h"
#include "tests/engines/formats/slow_reader.h"
#include "tests/engines/tokenizers/sentencepiece_bytes.h"

namespace speclab::engines {
namespace {

using namespace speclab::testing;

struct SlowField {
  std::uint64_t number = 0, value = 0;
  std::string bytes{};
};

/// One field of a message, bit by bit. @throws SlowRefusal where the message ends early
class SlowFields {
 public:
  explicit SlowFields(std::string bytes) : bytes_(std::move(bytes)) {}

  std::optional<SlowField> next() {
    if (bytes_.empty()) return std::nullopt;
    const std::uint64_t key = number();
    SlowField field{.number = key / 8};
    if (key % 8 == 0)
      field.value = number();
    else if (key % 8 == 1)
      field.bytes = cut(8);
    else if (key % 8 == 2)
      field.bytes = cut(number());
    else if (key % 8 == 5)
      field.bytes = cut(4);
    else
      throw SlowRefusal{"wire types 0, 1, 2, 5"};
    return field;
  }

 private:
  std::uint64_t number() {
    std::uint64_t value = 0, weight = 1;
    for (int i = 0; i < 10; ++i, weight *= 128) {
      const auto byte = static_cast<unsigned char>(cut(1)[0]);
      value += byte % 128 * weight;
      if (byte < 128) return value;
    }
    throw SlowRefusal{"numbers of at most ten bytes"};
  }
  std::string cut(std::uint64_t count) {
    if (count > bytes_.size()) throw SlowRefusal{"lengths within the message"};
    const std::string part = bytes_.substr(0, count);
    bytes_.erase(0, count);
    return part;
  }

  std::string bytes_;
};

/// Texts of the pieces; of unused ones nothing.
std::vector<std::string> slow_pieces(const std::string& bytes) {
  std::vector<std::string> texts;
  SlowFields fields(bytes);
  while (const auto field = fields.next()) {
    if (field->number != 1) continue;
    std::string text;
    std::uint64_t type = 1;
    SlowFields parts(field->bytes);
    while (const auto part = parts.next()) {
      if (part->number == 1) text = part->bytes;
      if (part->number == 3) type = part->value;
    }
    texts.push_back(type == 5 ? "" : text);
  }
  return texts;
}

std::string seed(std::uint64_t model_type) {
  return sentencepiece_bytes({{"<unk>", 0, 2},
                              {"<s>", 0, 3},
                              {"\u2581", -1, 1},
                              {"a", -2, 1},
                              {"b", -2.5F, 1},
                              {"ab", -1.5F, 1},
                              {"\u2581ab", -0.5F, 1},
                              {"<0x41>", 0, 6},
                              {"gone", 0, 5},
                              {"user", 0, 4}},
                             model_type);
}

class SentencePieceMutants : public ::testing::Test {
 protected:
  void check(const std::string& bytes) {
    if (!some_.takes_next()) return;
    ++num_mutants_;
    disk_.write(bytes);
    try {
      const auto tokenizer = load_tokenizer_from_sentencepiece(disk_.path());
      ++num_loads_;
      const std::vector<std::string> texts = slow_pieces(bytes);
      ASSERT_EQ(static_cast<std::size_t>(tokenizer->vocab_size()), texts.size());
      for (std::size_t i = 0; i < texts.size(); ++i)
        ASSERT_EQ(tokenizer->token_text(static_cast<Token>(i)), texts[i]);
      for (const Token id : tokenizer->encode("ab user A\xff\u4e2d", SpecialText::parsed))
        ASSERT_TRUE(id >= 0 && id < tokenizer->vocab_size());
    } catch (const ModelFileError& error) {
      ASSERT_EQ(fault_of_message(error.what()), "") << error.what();
    } catch (const SlowRefusal& refusal) {
      FAIL() << "accepted against the rule '" << refusal.rule << "'";
    }
  }

  MemoryFile disk_;
  EveryNth some_ = some_mutants();
  int num_mutants_ = 0, num_loads_ = 0;
};

/// Defect: a length, a type or a number of a damaged file leads outside it, or to other pieces.
TEST_F(SentencePieceMutants, GiveATypedErrorOrThePiecesOfTheSlowReader) {
  for (const std::uint64_t type : {1, 2}) {
    const std::string good = seed(type);
    check(good);
    visit_cuts_and_flips(good, good.size(), [&](const std::string& bytes) { check(bytes); });
    for (std::size_t at = 0; at < good.size(); ++at)
      for (int byte = 0; byte < 256; byte += 5) {
        std::string mutant = good;
        mutant[at] = static_cast<char>(byte);
        check(mutant);
        if (HasFatalFailure()) return;
      }
  }
  std::printf("tokenizer.model files: %d mutants, %d loads\n", num_mutants_, num_loads_);
  EXPECT_GE(num_mutants_, share_of(20'000));
  EXPECT_GE(num_loads_, share_of(2'000));
}

/// Defect: a damaged table of replacements is read outside its bytes.
TEST_F(SentencePieceMutants, ReadDamagedTablesWithinTheirBytes) {
  const std::string good = read_file(std::string(SPECLAB_SOURCE_DIR) +
                                     "/tests/golden/tokenizers/sp_unigram/tokenizer.model");
  const std::size_t step = by_size<std::size_t>(9'973, 1'999, 97);
  for (std::size_t at = 10'000; at < good.size(); at += step) {
    std::string mutant = good;
    mutant[at] = static_cast<char>(mutant[at] ^ (1 << at % 8));
    disk_.write(mutant);
    try {
      const auto tokenizer = load_tokenizer_from_sentencepiece(disk_.path());
      tokenizer->encode("\u2167 \ufb01 A\u030a \u3000x\u1100\u1161", SpecialText::parsed);
    } catch (const ModelFileError& error) {
      ASSERT_EQ(fault_of_message(error.what()), "") << error.what();
    }
  }
}

/// Defect: a file of another kind, or with more than a reader can hold, is read.
TEST(SentencePieceFile, RefusesWhatItDoesNotRead) {
  MemoryFile disk;
  const auto refused = [&](const std::string& bytes, const TokenizerLimits& limits = {}) {
    disk.write(bytes);
    try {
      load_tokenizer_from_sentencepiece(disk.path(), limits);
    } catch (const ModelFileError& error) {
      return std::string(error.what());
    }
    return std::string("taken");
  };
  EXPECT_NE(refused(seed(3)).find("model_type"), std::string::npos);
  EXPECT_NE(refused("").find("pieces"), std::string::npos);
  EXPECT_EQ(refused(seed(2), {.tokens = 10}), "taken");
  EXPECT_NE(refused(seed(2), {.tokens = 9}).find("more than 9"), std::string::npos);
  EXPECT_EQ(refused(seed(2), {.token_bytes = 6}), "taken");
  EXPECT_NE(refused(seed(2), {.token_bytes = 5}).find("at most 5"), std::string::npos);
  EXPECT_NE(refused(sentencepiece_bytes({{"a", 0, 7}}, 1)).find("1 to 6"), std::string::npos);
  EXPECT_NE(refused(sentencepiece_bytes({{std::string(1025, 'a'), 0, 1}}, 1)).find("1025"),
            std::string::npos);
  EXPECT_NE(refused(sentencepiece_bytes({{"a", NAN, 1}}, 1)).find("finite"), std::string::npos);
  EXPECT_NE(refused("version https://git-lfs.github.com/spec/v1\n").find("git lfs pull"),
            std::string::npos);
}

}  // namespace
}  // namespace speclab::engines
