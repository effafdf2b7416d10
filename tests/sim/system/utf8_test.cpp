#include "sim/system/utf8.h"

#include <gtest/gtest.h>

namespace speclab {
namespace {

TEST(Utf8Head, FindsWholeCharacters) {
  for (const std::string text : {"a", "\u00e9", "\u4e2d", "\U0001f600", "\U0010ffff"}) {
    const Utf8Head head = utf8_head(text + "x");
    EXPECT_EQ(head.state, Utf8State::complete) << text;
    EXPECT_EQ(head.length, text.size()) << text;
  }
}

TEST(Utf8Head, WaitsForTheRestOfACharacter) {
  const std::string emoji = "\U0001f600";
  for (std::size_t length = 1; length < emoji.size(); ++length) {
    EXPECT_EQ(utf8_head(emoji.substr(0, length)).state, Utf8State::unfinished) << length;
  }
}

TEST(Utf8Head, RefusesWhatUnicodeRefuses) {
  for (const std::string text :
       {"\x80", "\xc0\x80", "\xc1\xbf", "\xe0\x80\x80", "\xed\xa0\x80", "\xf0\x80\x80\x80",
        "\xf4\x90\x80\x80", "\xf5\x80\x80\x80", "\xff", "\xe4\xb8!", "\xc3("}) {
    EXPECT_EQ(utf8_head(text).state, Utf8State::invalid)
        << static_cast<int>(static_cast<unsigned char>(text[0]));
  }
}

TEST(ValidUtf8Prefix, StopsAtTheFirstBadByte) {
  EXPECT_EQ(valid_utf8_prefix(""), 0U);
  EXPECT_EQ(valid_utf8_prefix("plain text that is long enough"), 30U);
  EXPECT_EQ(valid_utf8_prefix("eight by\xff"), 8U);
  EXPECT_EQ(valid_utf8_prefix("\u4e2d\u4e2d\xe4\xb8"), 6U)
      << "an unfinished character at the end is not valid";
}

TEST(Utf8Characters, GoThereAndBack) {
  const std::u32string characters = U"a\u007f\u0080\u07ff\u0800\uffff\U00010000\U0010ffff";
  EXPECT_EQ(utf8_of(characters), "a\u007f\u0080\u07ff\u0800\uffff\U00010000\U0010ffff");
  EXPECT_EQ(characters_of(utf8_of(characters)), characters);
  for (std::size_t i = 1; i <= characters.size(); ++i) {
    const std::string text = utf8_of(std::u32string_view(characters).substr(0, i));
    EXPECT_EQ(last_character(text), characters[i - 1]) << i;
    EXPECT_EQ(character_length(utf8_of(characters[i - 1])[0]), utf8_of(characters[i - 1]).size());
  }
}

TEST(Utf8Characters, AreReplacedWhereNoneBegins) {
  EXPECT_EQ(characters_of("\xe4\xb8"), U"\ufffd") << "an unfinished character";
  EXPECT_EQ(characters_of("a\xc3("), U"a\ufffd") << "it takes the byte along that it announces";
  EXPECT_EQ(first_character("\x80"), U'\ufffd');
}

}  // namespace
}  // namespace speclab
