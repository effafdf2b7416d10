#include "experiments/drivers/papers/papers.h"

#include <gtest/gtest.h>

#include "sim/system/errors.h"

namespace speclab::experiments {
namespace {

using analysis::Table;

TEST(Papers, ListsAreNumbersBetweenBars) {
  const Table table = Table::parse("l\n0.5|0.25|1e-3\n7\n1|x\n1|\n1|nan\n|\n", "t.csv");
  EXPECT_EQ(number_list(table, 0, "l"), (std::vector<double>{0.5, 0.25, 1e-3}));
  EXPECT_EQ(integer_list(table, 1, "l"), (std::vector<int>{7}));
  for (const std::size_t row : {2, 3, 4, 5})
    EXPECT_THROW(number_list(table, row, "l"), DataError) << row;
  EXPECT_THROW(integer_list(table, 0, "l"), DataError);
}

TEST(Papers, AValueIsThatOfExactlyOneRow) {
  const Table table = Table::parse("quantity,value\na,1.5\nb,2\nb,3\n", "t.csv");
  EXPECT_EQ(value_of(table, "quantity", "a"), 1.5);
  EXPECT_THROW(value_of(table, "quantity", "b"), DataError);
  EXPECT_THROW(value_of(table, "quantity", "c"), DataError);
}

TEST(Papers, AComparisonTakesValueOriginToleranceAndSource) {
  const Table table = Table::parse(
      "quantity,value,tolerance_abs,status,source,locator\nq,2.4,0.1,reported_measurement,paper,"
      "Table 4\nr,2.5,,derived,paper,Table 4\n",
      "t.csv");
  const Comparison printed =
      compare(table, 0, "value", {.setting = "s", .quantity = "q", .ours = 2.3});
  EXPECT_EQ(printed.reference, 2.4);
  EXPECT_EQ(printed.tolerance, 0.1);
  EXPECT_EQ(printed.locator, "Table 4");
  EXPECT_EQ(printed.origin, Origin::printed);
  const auto compared = [&](const char* quantity) {
    return compare(table, {.setting = "s", .quantity = quantity});
  };
  EXPECT_EQ(compared("r").reference, 2.5);
  EXPECT_EQ(compared("r").origin, Origin::recomputed);
  EXPECT_THROW(compared("missing"), DataError);
  EXPECT_EQ(
      compare(table, 0, "value", {.setting = "s", .quantity = "q", .tolerance = 0.05}).tolerance,
      0.05)
      << "ours, where the code knows the rounding";
  EXPECT_FALSE(compare(table, 1, "value", {}).tolerance);
}

}  // namespace
}  // namespace speclab::experiments
