// What reading costs grows with the file and no faster: in instructions, which neither caches nor
// neighbours change.

#include <gtest/gtest.h>

#include <cstdio>
#include <iterator>
#include <sstream>

#include "sim/system/files.h"
#include "tests/engines/formats/large_files.h"
#include "tests/engines/formats/temporary_folder.h"
#include "tests/support/shell.h"

namespace speclab::testing {
namespace {

/// Of instructions over bytes, so that a doubling costs at most 2.3 times: n log n makes 1.1 from a
/// thousand entries on, what grows with the square 2.
constexpr double kMostOverProportion = 1.15;
constexpr int kShare = 5;  ///< the files of cost_test.cpp have so many times the entries: callgrind
                           ///< takes fifty times as long

/// What callgrind counted, or 0 where its file has no total.
double instructions(const std::string& callgrind_file) {
  static const std::string key = "\ntotals: ";
  const std::string text = read_file(callgrind_file);
  const std::size_t at = text.rfind(key);
  return at == std::string::npos ? 0 : std::stod(text.substr(at + key.size()));
}

class CostSlope : public ::testing::TestWithParam<LargeFile> {
 protected:
  /// Reads the file thrice, each twice as large as the last; leaves counts.1 to counts.3. @return
  /// the three sizes in bytes
  std::vector<double> read_doublings() const {
    const Outcome outcome =
        run_shell("valgrind -q --log-file=" + folder_.path("log") +
                  " --tool=callgrind '--toggle-collect=*read_counted*' "
                  "'--dump-before=*report_size*' --callgrind-out-file=" +
                  folder_.path("counts") + " " SPECLAB_READ_LARGE_FILE " " + GetParam().name + " " +
                  std::to_string(GetParam().n / kShare) + " 2>&1");
    EXPECT_EQ(outcome.code, 0) << outcome.output << read_file(folder_.path("log"));
    std::istringstream words(outcome.output);
    return {std::istream_iterator<double>(words), {}};
  }

  const TemporaryFolder folder_;
};

TEST_P(CostSlope, IsThatOfTheFile) {
  if (run_shell("valgrind --version 2>&1").code != 0)
    GTEST_SKIP() << "valgrind is not here; scripts/setup --tests installs it";
  const std::vector<double> bytes = read_doublings();
  ASSERT_EQ(bytes.size(), 3U);
  double before = 0;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    const double count = instructions(folder_.path("counts." + std::to_string(i + 1)));
    ASSERT_GT(count, 0) << "nothing was counted";
    std::printf("%s: %.0f bytes, %.0f instructions, %.2f times\n", GetParam().name.c_str(),
                bytes[i], count, i > 0 ? count / before : 1.0);
    if (i > 0) {
      ASSERT_GT(bytes[i], 1.8 * bytes[i - 1]);
      EXPECT_LE(count / before, kMostOverProportion * bytes[i] / bytes[i - 1]);
    }
    before = count;
  }
}

INSTANTIATE_TEST_SUITE_P(, CostSlope, ::testing::ValuesIn(large_files()),
                         [](const auto& named) { return named.param.name; });

}  // namespace
}  // namespace speclab::testing
