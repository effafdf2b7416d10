// Formats carry no checksum of their own: a flipped bit of a weight is a valid file. The digest
// that is recorded with every result is ours.

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <random>

#include "engines/formats/checkpoint_folder.h"
#include "engines/formats/safetensors_writer.h"
#include "sim/system/errors.h"
#include "sim/system/kept_digests.h"
#include "tests/engines/formats/temporary_folder.h"

namespace speclab::engines {
namespace {

constexpr int kFlips = 10'000;
constexpr std::size_t kElements = 500;

std::uint64_t header_end(const std::string& path) {
  std::uint64_t length = 0;
  std::memcpy(&length, read_file(path).data(), sizeof length);
  return 8 + length;
}

TEST(Integrity, EveryFlippedBitOfAWeightChangesTheDigest) {
  const speclab::testing::TemporaryFolder folder;
  const std::vector<float> values(kElements, 0.25F);
  const TensorToWrite a[] = {{"a", {kElements}, values}}, b[] = {{"b", {kElements}, values}};
  write_safetensors(folder.path("1.safetensors"), a);
  write_safetensors(folder.path("2.safetensors"), b);
  folder.file("config.json", "{}");
  folder.file("model.safetensors.index.json",
              R"({"weight_map":{"a":"1.safetensors","b":"2.safetensors"}})");
  const CheckpointFolder checkpoint = CheckpointFolder::open(folder.path());
  const std::vector<std::string> paths = checkpoint.weight_paths();
  ASSERT_EQ(paths.size(), 2U);
  const KeptDigests digests(folder.path("digests"), {.smallest_bytes = 0});
  const std::string digest = digests.of_files(paths);
  const std::uint64_t begin = header_end(paths[0]);
  std::mt19937 random(9);
  int caught = 0, still_loads = 0;
  for (int flip = 0; flip < kFlips; ++flip) {
    const int descriptor = ::open(paths[random() % 2].c_str(), O_RDWR);
    const auto at = static_cast<off_t>(begin + random() % (4 * kElements));
    char byte = 0;
    ASSERT_EQ(::pread(descriptor, &byte, 1, at), 1);
    const char flipped = static_cast<char>(byte ^ 1 << random() % 8);
    ASSERT_EQ(::pwrite(descriptor, &flipped, 1, at), 1);
    caught += digests.of_files(paths) != digest ? 1 : 0;
    if (flip % 100 == 0)
      still_loads +=
          CheckpointFolder::open(folder.path()).read_float32("a").size() == kElements ? 1 : 0;
    ASSERT_EQ(::pwrite(descriptor, &byte, 1, at), 1);
    ::close(descriptor);
  }
  EXPECT_EQ(caught, kFlips);
  EXPECT_EQ(still_loads, kFlips / 100) << "the format itself notices none of them";
  EXPECT_EQ(digests.of_files(paths), digest) << "all flips were taken back";
}

TEST(Integrity, AManifestThatCannotBeReadIsNoneOfSomebodyElse) {
  const speclab::testing::TemporaryFolder folder;
  EXPECT_NO_THROW(check_recorded_digest(folder.path(), "model.safetensors", "found"))
      << "no manifest.json";
  folder.file("manifest.json", R"({"kind": "ngram", "sha256": "recorded"})");
  EXPECT_THROW(check_recorded_digest(folder.path(), "model.safetensors", "found"), ModelFileError);
  EXPECT_NO_THROW(check_recorded_digest(folder.path(), "model.safetensors", "recorded"));
  folder.file("manifest.json", R"({"of": "another program"})");
  EXPECT_NO_THROW(check_recorded_digest(folder.path(), "model.safetensors", "found"));
  std::filesystem::remove(folder.path("manifest.json"));
  std::filesystem::create_symlink("manifest.json", folder.path("manifest.json"));  // to itself
  EXPECT_THROW(check_recorded_digest(folder.path(), "model.safetensors", "found"), ModelFileError);
  std::filesystem::remove(folder.path("manifest.json"));
  std::filesystem::create_directory(folder.path("manifest.json"));
  EXPECT_THROW(check_recorded_digest(folder.path(), "model.safetensors", "found"), ModelFileError);
}

}  // namespace
}  // namespace speclab::engines
