#include "sim/system/utf8.h"

#include <gtest/gtest.h>

namespace speclab {
namespace {

/// Defect: a name with a line feed is measured for an hour and then breaks its table.
TEST(TableText, NamesTheByteThatNoTableTakes) {
  EXPECT_EQ(table_text_problem("a\nb"), "a control character (byte 0x0a) at byte 2");
  EXPECT_EQ(table_text_problem("\r"), "a control character (byte 0x0d) at byte 1");
  EXPECT_EQ(table_text_problem(std::string_view("ab\0", 3)),
            "a control character (byte 0x00) at byte 3");
  EXPECT_EQ(table_text_problem("a\u0085"), "a control character (byte 0x85) at byte 3");
  EXPECT_EQ(table_text_problem("\u00e9\xff"), "no UTF-8 (byte 0xff) at byte 3");
  EXPECT_EQ(table_text_problem("\xe4\xb8"), "no UTF-8 (byte 0xe4) at byte 1") << "unfinished";
}

TEST(TableText, TakesAnyOtherTextUpToItsLength) {
  EXPECT_EQ(table_text_problem(""), "");
  EXPECT_EQ(table_text_problem("a, \"b\" \u4e2d \U0001f600"), "");
  EXPECT_EQ(table_text_problem(std::string(kLongestTableText, 'a')), "");
  EXPECT_EQ(table_text_problem(std::string(kLongestTableText + 1, 'a')), "1001 bytes");
}

}  // namespace
}  // namespace speclab
