// The fuzz targets with the usual compiler: their seeds, and what fuzzing has found in corpus/.

#include <gtest/gtest.h>

#include <filesystem>

#include "sim/system/files.h"
#include "tests/engines/formats/mutants.h"
#include "tests/fuzz/targets.h"

namespace speclab::fuzz {
namespace {

class FuzzTargets : public ::testing::TestWithParam<Target> {};

TEST_P(FuzzTargets, ReadTheirSeedsAndDamagedOnes) {
  int count = 0;
  speclab::testing::EveryNth some = speclab::testing::some_mutants();
  for (const std::string& seed : GetParam().seeds()) {
    ASSERT_NO_THROW(GetParam().read(seed));
    speclab::testing::visit_cuts_and_flips(seed, std::min<std::size_t>(seed.size(), 64),
                                           [&](const std::string& bytes) {
                                             if (some.takes_next()) {
                                               ASSERT_NO_THROW(GetParam().read(bytes)) << count;
                                             }
                                             ++count;
                                           });
  }
}

TEST_P(FuzzTargets, ReadWhatFuzzingHasFound) {
  const std::string folder =
      std::string(SPECLAB_SOURCE_DIR) + "/tests/fuzz/corpus/" + GetParam().name;
  if (!std::filesystem::exists(folder)) GTEST_SKIP() << "fuzzing has found nothing in this target";
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    EXPECT_NO_THROW(GetParam().read(read_file(entry.path().string()))) << entry.path();
}

INSTANTIATE_TEST_SUITE_P(, FuzzTargets, ::testing::ValuesIn(targets()),
                         [](const auto& named) { return named.param.name; });

}  // namespace
}  // namespace speclab::fuzz
