#include "engines/drafters/bigram_table.h"

#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>

#include "sim/core/errors.h"
#include "sim/core/files.h"
#include "tests/engines/formats/temporary_folder.h"

namespace speclab::engines {
namespace {

using Successors = std::vector<std::pair<Token, std::uint32_t>>;

Successors successors(const BigramTable& table, Token token) {
  Successors list;
  for (const auto& successor : table.successors(token)) list.emplace_back(successor.token, successor.count);
  return list;
}

BigramTable small_table() {
  const std::vector<std::vector<Token>> texts{{1, 2, 1, 3, 1, 2, 1, 0}, {2, 3}, {1, 0}, {}, {4}};
  return BigramTable::count(texts, 5, 8);
}

TEST(BigramTable, CountsNeighboursWithinATextInFallingOrder) {
  const BigramTable table = small_table();
  EXPECT_EQ(table.vocab_size(), 5);
  EXPECT_EQ(successors(table, 1), (Successors{{0, 2}, {2, 2}, {3, 1}}));  // the tie goes to the lower id
  EXPECT_EQ(successors(table, 2), (Successors{{1, 2}, {3, 1}}));
  EXPECT_TRUE(table.successors(0).empty());
  EXPECT_TRUE(table.successors(4).empty());
}

TEST(BigramTable, KeepsTheMostFrequentOnly) {
  const std::vector<std::vector<Token>> texts{{1, 2, 1, 3, 1, 3, 1, 0}};
  EXPECT_EQ(successors(BigramTable::count(texts, 5, 2), 1), (Successors{{3, 2}, {0, 1}}));
}

TEST(BigramTable, RefusesTokensOutsideItsVocabulary) {
  EXPECT_THROW(small_table().successors(5), ContractError);
  EXPECT_THROW(small_table().successors(-1), ContractError);
}

class BigramFile : public ::testing::Test {
 protected:
  BigramFile() : path_(::testing::TempDir() + "bigram_" + ::testing::UnitTest::GetInstance()->current_test_info()->name() + ".bin") {
    small_table().save(path_);
    bytes_ = read_file(path_);
  }
  ~BigramFile() override { std::filesystem::remove(path_); }

  /// Loads `bytes` in place of the file; the message names the file.
  void expect_refused(const std::string& bytes, const std::string& why) {
    write_file(path_, bytes);
    try {
      BigramTable::load(path_);
      ADD_FAILURE() << why << " was accepted";
    } catch (const ModelFileError& error) {
      EXPECT_NE(std::string(error.what()).find(path_), std::string::npos) << error.what();
    }
  }
  std::string with_word(std::size_t offset, std::uint32_t value) const {
    std::string bytes = bytes_;
    std::memcpy(bytes.data() + offset, &value, sizeof value);
    return bytes;
  }

  std::string path_, bytes_;
};

TEST_F(BigramFile, GivesBackWhatWasSaved) {
  const BigramTable loaded = BigramTable::load(path_), saved = small_table();
  EXPECT_EQ(loaded.vocab_size(), saved.vocab_size());
  for (Token token = 0; token < saved.vocab_size(); ++token) EXPECT_EQ(successors(loaded, token), successors(saved, token));
}

TEST_F(BigramFile, IsRefusedAtEveryOtherLength) {
  for (std::size_t length = 0; length < bytes_.size(); ++length) expect_refused(bytes_.substr(0, length), "a file of " + std::to_string(length) + " bytes");
  expect_refused(bytes_ + "x", "a byte too many");
}

TEST_F(BigramFile, IsRefusedWhereAFieldIsImpossible) {
  const std::size_t rows = 16, pairs = rows + 5 * 4;
  expect_refused("X" + bytes_.substr(1), "another magic");
  expect_refused(with_word(8, 0), "an empty vocabulary");
  expect_refused(with_word(8, 0xFFFFFFFFu), "a vocabulary of 2^32 - 1");
  expect_refused(with_word(12, 0xFFFFFFFFu), "2^32 - 1 successors");
  expect_refused(with_word(rows + 4, 1000), "a row beyond the end");
  expect_refused(with_word(rows + 8, 0), "rows that fall");
  expect_refused(with_word(rows + 16, 3), "a last row before the end");
  expect_refused(with_word(pairs, 5), "a successor outside the vocabulary");
  expect_refused(with_word(pairs + 4, 0), "a count of 0");
}

TEST_F(BigramFile, IsFoundInTheFolderThatTrainWrites) {
  const speclab::testing::TemporaryFolder folder;
  EXPECT_THROW(BigramTable::load(folder.path()), ModelFileError);
  folder.file("bigram.bin", bytes_);
  EXPECT_EQ(BigramTable::load(folder.path()).num_successors(), BigramTable::load(path_).num_successors());
}

TEST_F(BigramFile, NamesAMissingFile) { EXPECT_THROW(BigramTable::load(path_ + ".missing"), ConfigError); }

TEST_F(BigramFile, IsNotWrittenIntoAMissingFolder) { EXPECT_THROW(small_table().save("/no/such/folder/bigram.bin"), WriteError); }

}  // namespace
}  // namespace speclab::engines
