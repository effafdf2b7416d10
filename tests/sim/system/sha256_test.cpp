#include "sim/system/sha256.h"

#include <gtest/gtest.h>

#include "sim/system/errors.h"
#include "tests/engines/formats/temporary_folder.h"

namespace speclab {
namespace {

using testing::TemporaryFolder;

std::string digest(Sha256 sha, const std::string& text) {
  sha.update(std::as_bytes(std::span(text)));
  return sha.finish();
}

class Sha256Of : public ::testing::TestWithParam<Sha256::Compress> {
 protected:
  void SetUp() override {
    if (!GetParam()) GTEST_SKIP() << "this processor has no SHA instructions";
  }
  Sha256 sha_{GetParam()};
};

// Published answers: FIPS 180-4 examples and the NIST vectors of "a million times a".
TEST_P(Sha256Of, GivesThePublishedAnswers) {
  EXPECT_EQ(digest(sha_, ""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(digest(sha_, "abc"),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(digest(sha_, "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(digest(sha_, std::string(1'000'000, 'a')),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST_P(Sha256Of, DoesNotDependOnHowTheBytesCome) {
  std::string text;
  for (int i = 0; i < 300; ++i) text += static_cast<char>(i * 7);
  for (std::size_t length = 0; length <= text.size(); ++length) {
    Sha256 pieces = sha_;
    for (std::size_t done = 0; done < length; done += 1 + done % 70) {
      pieces.update(
          std::as_bytes(std::span(text).subspan(done, std::min(1 + done % 70, length - done))));
    }
    ASSERT_EQ(pieces.finish(), digest(Sha256(compress_portable), text.substr(0, length))) << length;
  }
}

INSTANTIATE_TEST_SUITE_P(Compressions, Sha256Of,
                         ::testing::Values(compress_portable, compress_of_processor()),
                         [](const auto& compression) {
                           return compression.index == 0 ? "Portable" : "Processor";
                         });

TEST(Sha256File, HashesTheWholeFile) {
  const TemporaryFolder folder;
  EXPECT_EQ(sha256_file(folder.file("long", std::string(1'000'000, 'a'))),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
  std::string two_chunks(3 << 20, 'b');
  const std::string whole = sha256_file(folder.file("chunks", two_chunks));
  two_chunks[2 << 20] ^= 1;
  EXPECT_NE(sha256_file(folder.file("flipped", two_chunks)), whole);
  EXPECT_THROW(sha256_file(folder.path("missing")), ModelFileError);
}

}  // namespace
}  // namespace speclab
