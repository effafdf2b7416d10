#include "engines/training/text_corpus.h"

#include <gtest/gtest.h>

#include "sim/system/errors.h"
#include "tests/engines/decoding/letter_tokenizer.h"
#include "tests/engines/formats/temporary_folder.h"

namespace speclab::engines {
namespace {

const testing::LetterTokenizer kTokenizer(26);

void expect_refused(const std::string& path, const std::string& why) {
  try {
    read_corpus(path, kTokenizer, 3);
    ADD_FAILURE() << why << " was accepted";
  } catch (const DataError& error) {
    EXPECT_NE(std::string(error.what()).find(path), std::string::npos) << error.what();
    EXPECT_NE(std::string(error.what()).find(why), std::string::npos) << error.what();
  }
}

TEST(TextCorpus, IsTheTextsTokens) {
  const speclab::testing::TemporaryFolder folder;
  EXPECT_EQ(read_corpus(folder.file("a.txt", "abca"), kTokenizer, 3),
            (std::vector<Token>{0, 1, 2, 0}));
}

TEST(TextCorpus, RefusesWhatIsNoText) {
  const speclab::testing::TemporaryFolder folder;
  expect_refused(folder.path() + "/missing.txt", "cannot read");
  expect_refused(folder.path(), "cannot read");
  expect_refused(folder.file("empty.txt", ""), "empty file");
  expect_refused(folder.file("binary.txt", std::string("abc\0def", 7)), "byte 3: 0x00");
  expect_refused(folder.file("latin1.txt", "caf\xE9 au lait"), "byte 3: 0xe9");
  expect_refused(folder.file("torn.txt", "abc\xC3"), "byte 3: 0xc3");
  expect_refused(folder.file("short.txt", "ab"), "2 tokens; allowed: at least 3");
}

}  // namespace
}  // namespace speclab::engines
