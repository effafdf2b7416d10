#include "analysis/tables/csv_writer.h"

#include <gtest/gtest.h>

#include <array>

#include "analysis/tables/table.h"

namespace speclab::analysis {
namespace {

/// Defect: a quoted line feed is counted as a row, so that a whole table seems longer than its
/// journal.
TEST(CsvRecords, AreThoseOfTheTableWhateverItsFieldsHold) {
  constexpr std::array<std::string_view, 2> kColumns{"id", "note"};
  CsvWriter csv(kColumns);
  const std::array<std::string, 5> texts{"a\nb", "\r\n", "\"", "\"\n,\"\"", ",\n\n"};
  for (const std::string& text : texts) csv.field(text).field("end \"of\"\nrow").end_row();
  EXPECT_EQ(num_csv_records(csv.content()), 1 + texts.size());
  EXPECT_EQ(Table::parse(csv.content(), "t.csv").size(), texts.size());
}

TEST(CsvRecords, EndAtALineFeedOrAtTheEnd) {
  EXPECT_EQ(num_csv_records(""), 0u);
  EXPECT_EQ(num_csv_records("a\n"), 1u);
  EXPECT_EQ(num_csv_records("a\nb"), 2u);
  EXPECT_EQ(num_csv_records("a\n\"b\n"), 2u) << "an open quote";
}

}  // namespace
}  // namespace speclab::analysis
