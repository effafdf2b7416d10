// Damaged CSV files: an error of the right type and form, or what an independent slow reader finds
// in them.

#include <gtest/gtest.h>

#include <cstdio>
#include <regex>

#include "analysis/tables/table.h"
#include "sim/system/errors.h"
#include "sim/system/utf8.h"
#include "tests/analysis/tables/slow_csv.h"
#include "tests/engines/formats/mutants.h"

namespace speclab::analysis {
namespace {

const std::vector<std::string>& seeds() {
  static const std::vector<std::string> all = {
      "cell_id,category,temperature,tokens,hash\nc1,code,0.5,17,ab12\nc2,prose,,3,\n\"c3\",\"a, "
      "b\",1e-3,-4,\"\"\n",
      "\xEF\xBB\xBFname,\"n\"\r\n\"say \"\"so\"\"\",1\r\n\"two\r\nlines\",2\r\nlast,\"\"\r\n",
      "a\n1\n\"\"\n\"\n\"\n \n-\n",
      "x,y,z\n,,\n1,,3\n,2,",
      "a,b\r\n1,2\r\"x\r\ny\",3\r\n",
      "a\r\"b\r\nc\"\r\n"};
  return all;
}

class TableMutants : public ::testing::Test {
 protected:
  void check(const std::string& bytes) {
    if (HasFailure()) return;
    if (!some_.takes_next()) return;
    ++num_mutants_;
    const auto expected = speclab::testing::read_csv_slowly(bytes);
    try {
      const Table table = Table::parse(bytes, "f.csv");
      ASSERT_TRUE(expected) << "accepted: " << shown(bytes);
      ++num_loads_;
      expect_same(*expected, table);
    } catch (const DataError& error) {
      static const std::regex form("f\\.csv:[0-9]+(:[0-9]+)?: [ -~]+");
      ASSERT_TRUE(std::regex_match(error.what(), form)) << error.what();
      ASSERT_FALSE(expected) << error.what() << "\nrefused: " << shown(bytes);
    }
    ASSERT_FALSE(HasFailure()) << shown(bytes);
  }

  static std::string shown(const std::string& bytes) { return escaped(bytes, 4 * bytes.size()); }

  static void expect_same(const std::vector<speclab::testing::SlowCsvRow>& expected,
                          const Table& table) {
    ASSERT_EQ(table.size() + 1, expected.size());
    ASSERT_EQ(table.columns().size(), expected[0].size());
    for (std::size_t column = 0; column < expected[0].size(); ++column) {
      ASSERT_EQ(table.columns()[column], *expected[0][column]);
      for (std::size_t row = 0; row < table.size(); ++row)
        expect_same(expected[row + 1][column], table, row, table.columns()[column]);
    }
  }

  /// A text that is not fit to print is refused when it is asked for.
  static void expect_same(const std::optional<std::string>& expected, const Table& table,
                          std::size_t row, const std::string& column) {
    if (expected && !is_printable(*expected))
      EXPECT_THROW(table.optional_text(row, column), DataError);
    else
      EXPECT_EQ(table.optional_text(row, column), expected);
  }

  speclab::testing::EveryNth some_ = speclab::testing::some_mutants();
  int num_mutants_ = 0, num_loads_ = 0;
};

TEST_F(TableMutants, GiveATypedErrorOrTheFieldsOfTheSlowReader) {
  const std::string bytes = std::string("\",\n\r a1.-\x7f\x80\xef") + '\0';
  for (const std::string& seed : seeds()) {
    check(seed);
    speclab::testing::visit_cuts_and_flips(seed, seed.size(),
                                           [&](const std::string& mutant) { check(mutant); });
    for (std::size_t at = 0; at <= seed.size(); ++at) {
      if (at < seed.size()) check(std::string(seed).erase(at, 1));
      for (const char first : bytes)
        for (const char second : bytes) check(std::string(seed).insert(at, {first, second}));
    }
  }
  std::printf("CSV files: %d mutants, %d loads\n", num_mutants_, num_loads_);
  EXPECT_GE(num_mutants_, speclab::testing::share_of(20000));
  EXPECT_GE(num_loads_, speclab::testing::share_of(5000)) << "agreement is about loads as well";
}

}  // namespace
}  // namespace speclab::analysis
