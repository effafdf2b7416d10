#include "engines/tokenizers/characters.h"

#include <gtest/gtest.h>

namespace speclab::engines {
namespace {

TEST(ByteLevel, PrintableBytesStandForThemselves) {
  EXPECT_EQ(bytes_of_token_text("abc!~"), "abc!~");
  EXPECT_EQ(bytes_of_token_text("\u00e9"), "\xe9")
      << "U+00E9 stands for the byte E9, not for its UTF-8 form";
}

TEST(ByteLevel, OtherBytesHaveTheCharactersFromU0100On) {
  EXPECT_EQ(bytes_of_token_text("\u0120the"), " the");
  EXPECT_EQ(bytes_of_token_text("\u010a"), "\n");
  EXPECT_EQ(bytes_of_token_text("\u0100"), std::string(1, '\0'));
  EXPECT_EQ(bytes_of_token_text("\u0143"), "\xad") << "the last of the alphabet";
}

TEST(ByteLevel, RefusesCharactersOutsideTheAlphabet) {
  for (const char* text : {" ", "a b", "\u0144", "\u00ad", "\u4e2d", "\xff", "\xc4"})
    EXPECT_EQ(bytes_of_token_text(text), std::nullopt) << text;
}

}  // namespace
}  // namespace speclab::engines
