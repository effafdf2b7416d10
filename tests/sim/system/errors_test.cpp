#include "sim/system/errors.h"

#include <gtest/gtest.h>

namespace speclab {
namespace {

TEST(Errors, CarryTheExitCodeOfTheirKind) {
  try {
    throw ModelFileError("model.gguf:12: bad magic");
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::bad_model_file);
    EXPECT_STREQ(error.what(), "model.gguf:12: bad magic");
  }
}

TEST(Expect, NamesTheConditionTheFileAndTheMessage) {
  try {
    SPECLAB_EXPECT(1 + 1 == 3, "sum = 2");
    FAIL() << "no error";
  } catch (const ContractError& error) {
    const std::string text = error.what();
    EXPECT_NE(text.find("1 + 1 == 3"), std::string::npos);
    EXPECT_NE(text.find("errors_test.cpp"), std::string::npos);
    EXPECT_NE(text.find("sum = 2"), std::string::npos);
  }
}

TEST(Expect, BuildsTheMessageOnlyOnFailure) {
  int built = 0;
  const auto message = [&] {
    ++built;
    return std::string("x");
  };
  SPECLAB_EXPECT(true, message());
  EXPECT_EQ(built, 0);
}

TEST(Escaped, KeepsTextAndEscapesWhatATerminalWouldObey) {
  EXPECT_EQ(escaped("käse €𝄞"), "käse €𝄞");
  EXPECT_EQ(escaped("a\n\t\"\\\x1b[31m\x7f"), "a\\n\\t\\\"\\\\\\x1b[31m\\x7f");
  EXPECT_EQ(escaped("\xc2\x9b"), "\\xc2\\x9b");
}

TEST(Escaped, EscapesInvalidUtf8ByteByByte) {
  EXPECT_EQ(escaped("\xff"), "\\xff");
  EXPECT_EQ(escaped("\xe2\x82"), "\\xe2\\x82");           // cut short
  EXPECT_EQ(escaped("\xc0\xaf"), "\\xc0\\xaf");           // overlong
  EXPECT_EQ(escaped("\xed\xa0\x80"), "\\xed\\xa0\\x80");  // surrogate
  EXPECT_EQ(escaped("\xf4\x90\x80\x80"), "\\xf4\\x90\\x80\\x80");
}

TEST(Escaped, CutsBetweenCharactersAndSaysSo) {
  EXPECT_EQ(escaped("abcdef", 3), "abc...");
  EXPECT_EQ(escaped("ab€", 4), "ab...");
  EXPECT_EQ(escaped("abc", 3), "abc");
}

}  // namespace
}  // namespace speclab
