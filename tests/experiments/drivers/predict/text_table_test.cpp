#include "experiments/drivers/predict/text_table.h"

#include <gtest/gtest.h>

#include "sim/core/errors.h"

namespace speclab::experiments {
namespace {

TEST(TextTable, AlignsByCharacters) {
  TextTable table({"a", "long"});
  table.add_row({"\xce\xb1\xce\xb1", "1"});
  EXPECT_EQ(table.text(), " a  long\n\xce\xb1\xce\xb1     1\n");
}

TEST(TextTable, RefusesRowsOfAnotherWidth) {
  TextTable table({"a"});
  table.add_column("b");
  EXPECT_THROW(table.add_row({"1"}), ContractError);
}

}  // namespace
}  // namespace speclab::experiments
