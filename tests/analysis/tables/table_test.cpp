#include "analysis/tables/table.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <functional>
#include <limits>

#include "analysis/tables/csv_writer.h"
#include "sim/system/errors.h"

namespace speclab::analysis {
namespace {

std::string error_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const DataError& error) {
    return error.what();
  }
  return "no error";
}

std::string parse_error(const std::string& content) {
  return error_of([&] { Table::parse(content, "f.csv"); });
}

TEST(Table, ReadsTextNumbersAndMissingFields) {
  const Table table =
      Table::parse("\xEF\xBB\xBFname,n,x\r\nfirst,-3,0.5\r\n\"a \"\"b\"\", c\",,\r\n", "f.csv");
  ASSERT_EQ(table.size(), 2U);
  EXPECT_EQ(table.text(0, "name"), "first");
  EXPECT_EQ(table.integer(0, "n"), -3);
  EXPECT_EQ(table.number(0, "x"), 0.5);
  EXPECT_EQ(table.text(1, "name"), "a \"b\", c");
  EXPECT_FALSE(table.optional_integer(1, "n"));
  EXPECT_FALSE(table.optional_number(1, "x"));
}

TEST(Table, TellsAnEmptyTextFromAMissingOne) {
  const Table table = Table::parse("a,b\n\"\",\n", "f.csv");
  EXPECT_EQ(table.optional_text(0, "a"), "");
  EXPECT_FALSE(table.optional_text(0, "b"));
}

TEST(Table, ReadsExactNumbersAndRefusesThoseThatAreNotFinite) {
  const Table table = Table::parse("x\nnan\ninf\n-inf\n1e999\n0.30000000000000004\n", "f.csv");
  for (std::size_t row = 0; row < 4; ++row) EXPECT_THROW(table.number(row, "x"), DataError) << row;
  EXPECT_EQ(table.number(4, "x"), 0.1 + 0.2);
}

TEST(Table, ChecksRanges) {
  const Table table = Table::parse("n,x\n-1,0.5\n9007199254740993,2\n7,\n", "f.csv");
  EXPECT_THROW(table.count(0, "n"), DataError);
  EXPECT_THROW(table.count(1, "n"), DataError);
  EXPECT_EQ(table.count(2, "n", 7), 7);
  EXPECT_THROW(table.count(2, "n", 8), DataError);
  EXPECT_EQ(table.number_from(0, 1, 0, "x"), 0.5);
  EXPECT_THROW(table.number_from(0, 1, 1, "x"), DataError);
  EXPECT_FALSE(table.optional_number_from(0, 1, 2, "x"));
}

TEST(Table, NamesFileLineAndColumnOfAStructuralFault) {
  EXPECT_EQ(parse_error("a,b\n1\n"), "f.csv:2: 1 fields, header has 2");
  EXPECT_EQ(parse_error("a,b\n1,2,3\n"), "f.csv:2: 3 fields, header has 2");
  EXPECT_EQ(parse_error("a,a\n1,2\n"), "f.csv:1: duplicate column 'a'");
  for (const char* text : {"a,\n1,2\n", "a,\"\"\n1,2\n"})
    EXPECT_EQ(parse_error(text), "f.csv:1: column without a name") << text;
  EXPECT_EQ(parse_error(""), "f.csv:1: no header");
  EXPECT_EQ(parse_error(std::string(4096, ',') + "\n"),
            "f.csv:1: 4097 columns; allowed: at most 4096");
  EXPECT_EQ(parse_error("a,b\n1,2\n\n3,4\n"), "f.csv:3: blank line");
  EXPECT_EQ(parse_error("a,b\n1,\"2\n3,4\n"), "f.csv:2: unterminated quoted field");
  EXPECT_EQ(parse_error("a,b\n1,x\"y\n"),
            "f.csv:2:4: error parsing data while strict checking enabled");
  for (const char* text : {"a,b\n1,2\r3,4\n", "a,b\n1,2\r", "a,b\n1,2\r\r\n", "a,b\n\r1,2\n",
                           "a,b\n1,2\r\"x\r\ny\",3\n"})
    EXPECT_EQ(parse_error(text), "f.csv:2: carriage return inside a line") << text;
}

TEST(Table, NamesFileLineAndColumnOfAWrongField) {
  const Table table =
      Table::parse("name,n\n\"two\nlines\",1\nx, 2\ny,+3\nz,1.5\nw,\nv,2\n", "f.csv");
  EXPECT_EQ(error_of([&] { table.integer(1, "n"); }), "f.csv:4: column 'n': not an integer: ' 2'");
  EXPECT_EQ(error_of([&] { table.integer(2, "n"); }), "f.csv:5: column 'n': not an integer: '+3'");
  EXPECT_EQ(error_of([&] { table.integer(3, "n"); }), "f.csv:6: column 'n': not an integer: '1.5'");
  EXPECT_EQ(error_of([&] { table.number(4, "n"); }), "f.csv:7: column 'n': missing");
  EXPECT_EQ(error_of([&] { table.flag(5, "n"); }),
            "f.csv:8: column 'n': not a flag: '2'; allowed: 0, 1");
  EXPECT_EQ(error_of([&] { table.number(0, "m"); }), "f.csv: missing column 'm' (has: name, n)");
}

TEST(Table, RefusesTextThatATerminalWouldObey) {
  for (const char* text : {"\x1b[2J", "a\tb", "a\nb", "\x7f", "\xff", "\xc2\x9b", "\xc3"}) {
    const Table table = Table::parse(std::string("name\n\"") + text + "\"\n", "names.csv");
    EXPECT_THROW(table.text(0, "name"), DataError) << text;
  }
  EXPECT_EQ(Table::parse("name\n\u00e9\u4e16\n", "names.csv").text(0, "name"), "\u00e9\u4e16");
}

TEST(Table, RefusesUnknownColumns) {
  const Table table = Table::parse("a,b\n", "f.csv");
  constexpr std::array<std::string_view, 1> only_a = {"a"};
  constexpr std::array<std::string_view, 2> reversed = {"b", "a"};
  EXPECT_EQ(error_of([&] { table.expect_columns(only_a); }), "f.csv:1: unknown column 'b'");
  EXPECT_NO_THROW(table.expect_columns(reversed));
}

TEST(Table, OfAMissingFileSaysWhich) {
  EXPECT_NE(error_of([] { Table::read("/nonexistent/rows.csv"); }).find("/nonexistent/rows.csv"),
            std::string::npos);
}

TEST(CsvWriter, WritesWhatTheTableReadsBackExactly) {
  constexpr std::array<std::string_view, 3> columns = {"text", "x", "n"};
  CsvWriter csv(columns);
  csv.field("a, \"b\" c").field(0.1 + 0.2).field(std::int64_t{-7}).end_row();
  csv.field("").missing().missing().end_row();
  const Table table = Table::parse(csv.content(), "f.csv");
  EXPECT_EQ(table.text(0, "text"), "a, \"b\" c");
  EXPECT_EQ(table.number(0, "x"), 0.1 + 0.2);
  EXPECT_EQ(table.integer(0, "n"), -7);
  EXPECT_EQ(table.optional_text(1, "text"), "");
  EXPECT_FALSE(table.optional_number(1, "x"));
}

/// Defect: a row that is too short, or too long, moves all values behind it to other columns.
TEST(CsvWriter, RefusesRowsOfTheWrongLength) {
  constexpr std::array<std::string_view, 2> columns = {"a", "b"};
  for (const int fields : {0, 1, 3}) {
    CsvWriter csv(columns);
    EXPECT_THROW(
        {
          for (int i = 0; i < fields; ++i) csv.field("one");
          csv.end_row();
        },
        ContractError)
        << fields;
  }
}

}  // namespace
}  // namespace speclab::analysis
