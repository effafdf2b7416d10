#include "sim/system/data_folder.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "sim/system/errors.h"
#include "sim/system/files.h"

namespace speclab {
namespace {

/// Defect: a copy that was installed is passed over, or a file that was not installed is not looked
/// for in the cache.
TEST(DataFolder, HoldsWhatWasInstalledAndLeavesTheRestToTheCache) {
  unsetenv("SPECLAB_DATA");
  EXPECT_EQ(data_folder(), SPECLAB_SOURCE_DIR);
  const std::string folder = ::testing::TempDir() + "speclab_data_folder_test";
  std::filesystem::create_directories(folder + "/fetched/models");
  write_file(folder + "/fetched/models/here.gguf", "weights");
  setenv("SPECLAB_DATA", folder.c_str(), 1);
  EXPECT_THROW(data_folder(), ConfigError);
  std::filesystem::create_directory(folder + "/experiments");
  EXPECT_EQ(data_folder(), folder);
  EXPECT_EQ(fetched_file("models/here.gguf"), folder + "/fetched/models/here.gguf");
  EXPECT_EQ(fetched_file("models/gone.gguf"), user_cache_folder() + "/models/gone.gguf");
  unsetenv("SPECLAB_DATA");
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace speclab
