#include "engines/tokenizers/text_ids.h"

#include <gtest/gtest.h>

#include <map>
#include <random>

namespace speclab::engines {
namespace {

/// Defect: a text is lost when the table grows, is taken for its neighbour in the buffer, or gives
/// its token to a text that comes again.
TEST(TextIds, FindWhatAMapFinds) {
  std::mt19937 random(3);
  std::map<std::string, Token> expected;
  TextIds ids;
  EXPECT_TRUE(ids.empty());
  for (Token id = 0; id < 20'000; ++id) {
    std::string text;
    for (std::size_t length = random() % 5; length > 0; --length)
      text += static_cast<char>(random() % 7);
    EXPECT_EQ(ids.add(text, id), expected.emplace(text, id).second) << id;
  }
  for (const auto& [text, id] : expected) {
    EXPECT_EQ(ids.find(text, -1), id);
    const auto longer = expected.find(text + '\3');
    EXPECT_EQ(ids.find(text + '\3', -1), longer == expected.end() ? -1 : longer->second);
  }
  EXPECT_EQ(ids.find("text", -7), -7);
}

}  // namespace
}  // namespace speclab::engines
