#include "engines/ngrams/ngram_file.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <random>

#include "engines/ngrams/ngram_estimation.h"
#include "sim/system/errors.h"
#include "sim/system/files.h"
#include "tests/engines/formats/temporary_folder.h"
#include "tests/engines/ngrams/slow_ngrams.h"

namespace speclab::engines {
namespace {

using testing::Tokens;

constexpr std::size_t kHeader = 8 + 8 * 4;

class NgramFile : public ::testing::Test {
 protected:
  NgramFile() : model_(model()), path_(folder_.file("ngram.bin", "")) {
    save_ngrams(model_, path_);
    bytes_ = read_file(path_);
  }

  static NgramModel model(std::int32_t order = 3) {
    const std::vector<Tokens> texts{{0, 1, 2, 0, 1, 3, 0, 1, 2, 4, 4}, {2, 1, 0}};
    return estimate_ngrams(testing::as_ngram_texts(texts), 6,
                           {.order = order, .max_successors = 3});
  }
  void expect_refused(const std::string& bytes, const std::string& field) const {
    try {
      parse_ngrams(bytes, path_);
      ADD_FAILURE() << field << " was accepted";
    } catch (const ModelFileError& error) {
      const std::string message = error.what();
      EXPECT_TRUE(message.starts_with(path_ + ": byte ") || message.starts_with(path_ + ": magic"))
          << message;
      EXPECT_NE(message.find(field), std::string::npos) << message;
    }
  }
  /// The file with `size` bytes at `offset` set to `value`.
  std::string with(std::size_t offset, std::uint32_t value, std::size_t size = 4) const {
    std::string bytes = bytes_;
    std::memcpy(bytes.data() + offset, &value, size);
    return bytes;
  }
  std::size_t at_back_off() const { return kHeader + 3 * model_.arrays().num_contexts(); }
  std::size_t at_counts() const { return at_back_off() + 2 * model_.arrays().num_contexts(); }
  std::size_t at_children() const { return at_counts() + model_.arrays().num_contexts(); }
  std::size_t at_successors() const {
    return at_children() + 3 * (model_.arrays().num_inner() + 1);
  }
  std::size_t at_probabilities() const {
    return at_successors() + 3 * model_.arrays().num_ngrams();
  }

  speclab::testing::TemporaryFolder folder_;
  NgramModel model_;
  std::string path_, bytes_;
};

TEST_F(NgramFile, GivesBackWhatWasSaved) {
  for (std::int32_t order = 1; order <= 5; ++order) {
    const NgramModel saved = model(order);
    save_ngrams(saved, path_);
    const NgramModel loaded = load_ngrams(folder_.path());
    EXPECT_EQ(loaded.order(), order);
    EXPECT_EQ(loaded.vocab_size(), 6);
    EXPECT_EQ(loaded.max_successors(), 3);
    EXPECT_EQ(loaded.num_ngrams(), saved.num_ngrams());
    for (Token a = 0; a < 6; ++a)
      for (Token b = 0; b < 6; ++b)
        for (Token token = 0; token < 6; ++token)
          EXPECT_EQ(loaded.probability(Tokens{a, b}, token),
                    saved.probability(Tokens{a, b}, token));
  }
}

TEST_F(NgramFile, IsAsLargeAsItsPartsSay) {
  EXPECT_EQ(bytes_.size(), at_probabilities() + 2 * model_.arrays().num_ngrams());
}

TEST_F(NgramFile, IsRefusedAtEveryOtherLength) {
  for (std::size_t length = 0; length < bytes_.size(); ++length)
    expect_refused(bytes_.substr(0, length), "bytes");
  expect_refused(bytes_ + "x", "file size");
}

TEST_F(NgramFile, IsRefusedWhereAFieldOfTheHeaderIsImpossible) {
  expect_refused("S" + bytes_.substr(1), "magic");
  const char* fields[] = {"version",      "vocab_size",   "order",     "max_successors",
                          "num_unigrams", "num_contexts", "num_inner", "num_ngrams"};
  for (std::size_t i = 0; i < std::size(fields); ++i)
    expect_refused(with(8 + 4 * i, 0xFFFFFFFFu), fields[i]);
  for (const std::size_t i : {0, 1, 2, 3, 4, 5, 7}) expect_refused(with(8 + 4 * i, 0), fields[i]);
  expect_refused(with(8, 2), "version = 2; allowed: 1 to 1");
}

TEST_F(NgramFile, IsRefusedWhereAnArrayIsImpossible) {
  expect_refused(with(kHeader + 3, 6, 3), "context_tokens[1] = 6");
  expect_refused(with(kHeader + 6, 0, 3), "context_tokens[2] = 0; allowed: 1 to 5");
  expect_refused(with(at_counts(), 1, 1), "num_successors[0] = 1; allowed: 0");
  expect_refused(with(at_counts() + 1, 4, 1), "num_successors[1] = 4; allowed: at most 3");
  expect_refused(with(at_counts() + 1, 0, 1), "");
  expect_refused(with(at_children(), 2, 3), "first_child[0]");
  expect_refused(with(at_children() + 3, 1, 3), "first_child[1]");
  expect_refused(with(at_children() + 3, 0xFFFFFF, 3), "first_child[1]");
  expect_refused(with(at_successors(), 6, 3), "successor_tokens[0] = 6; allowed: 0 to 5");
  expect_refused(with(at_successors() + 3, model_.arrays().successor_tokens[0], 3),
                 "successor_tokens[1]");
  expect_refused(with(at_probabilities(), 0xFFFF, 2), "probabilities[0]");
  expect_refused(with(at_probabilities() + 2, 31u << 11, 2), "probabilities[1]");
}

TEST_F(NgramFile, IsRefusedWhereContextsAreLongerThanTheOrderSays) {
  expect_refused(with(8 + 4 * 2, 2), "no context of more than 1 tokens");
}

TEST_F(NgramFile, NeverCrashesWhateverItsBytes) {
  std::mt19937 random(3);
  int accepted = 0;
  for (int mutant = 0; mutant < 20'000; ++mutant) {
    std::string bytes = bytes_;
    for (unsigned i = 0; i < 1 + random() % 3; ++i)
      bytes[random() % bytes.size()] =
          static_cast<char>(random() % 2 ? random() : bytes[random() % bytes.size()] + 1);
    try {
      const NgramModel model = parse_ngrams(bytes, path_);
      std::vector<LawEntry<float>> successors;
      for (Token token = 0; token < 6; ++token) {
        model.most_likely(Tokens{static_cast<Token>(random() % 6), token}, successors);
        std::set<Token> listed;
        for (const LawEntry<float>& entry : successors)
          ASSERT_TRUE(entry.token >= 0 && entry.token < model.vocab_size() &&
                      listed.insert(entry.token).second)
              << "mutant " << mutant;
      }
      ++accepted;
    } catch (const ModelFileError&) {
    }
  }
  EXPECT_GT(accepted, 200) << "mutants of probabilities and weights are models too";
}

TEST_F(NgramFile, IsFoundInTheFolderThatTrainWrites) {
  EXPECT_EQ(load_ngrams(folder_.path()).num_ngrams(), load_ngrams(path_).num_ngrams());
  std::filesystem::remove(path_);
  EXPECT_THROW(load_ngrams(folder_.path()), ModelFileError);
}

TEST_F(NgramFile, NamesAMissingFile) { EXPECT_THROW(load_ngrams(path_ + ".missing"), ConfigError); }

TEST_F(NgramFile, IsNotWrittenIntoAMissingFolder) {
  EXPECT_THROW(save_ngrams(model_, "/no/such/folder/ngram.bin"), WriteError);
}

}  // namespace
}  // namespace speclab::engines
