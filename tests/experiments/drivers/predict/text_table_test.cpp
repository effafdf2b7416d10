#include "experiments/drivers/predict/text_table.h"

#include <gtest/gtest.h>

#include "sim/system/errors.h"

namespace speclab::experiments {
namespace {

TEST(TextTable, AlignsNumbersToTheRightAndWordsToTheLeft) {
  TextTable table({"a", "long", "words"});
  table.add_row({"\xce\xb1\xce\xb1", "1", "b"});
  table.add_row({"c", "-12", "-"});
  EXPECT_EQ(table.text(), "a   long  words\n\xce\xb1\xce\xb1     1  b\nc    -12  -\n")
      << "widths count characters";
}

TEST(TextTable, RefusesRowsOfAnotherWidth) {
  TextTable table({"a"});
  table.add_column("b");
  EXPECT_THROW(table.add_row({"1"}), ContractError);
}

}  // namespace
}  // namespace speclab::experiments
