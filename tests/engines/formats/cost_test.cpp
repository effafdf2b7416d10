// What a file may cost before its tensors are asked for: little where it is small, and in
// proportion where it is large.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <functional>

#include "sim/system/errors.h"
#include "tests/engines/formats/gguf_bytes.h"
#include "tests/engines/formats/large_files.h"
#include "tests/engines/formats/memory_file.h"
#include "tests/engines/formats/mutants.h"
#include "tests/engines/formats/safetensors_bytes.h"
#include "tests/support/heap_peak.h"

namespace speclab::engines {
namespace {

using namespace speclab::testing;

constexpr double kMebibyte = 1048576.0;

/// Time of this thread alone, so that neighbours on the machine count for little.
double processor_seconds() {
  timespec time = {};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

struct Cost {
  double seconds = 0, heap_bytes = 0;
};

Cost cost_of(const std::function<void()>& read) {
  const std::size_t before = heap_bytes();
  reset_heap_peak();
  const double begin = processor_seconds();
  read();
  return {processor_seconds() - begin, static_cast<double>(heap_peak() - before)};
}

void read_or_refuse(const Format& format, const std::string& path, const std::string& bytes) try {
  format.read(path, bytes);
} catch (const ModelFileError&) {
}

/// Files of less than 1 KiB that promise the most.
std::vector<std::string> small_files() {
  const std::uint64_t big = std::uint64_t{1} << 24;
  std::vector<std::string> files = {
      std::string(1023, '\0'),
      std::string(1023, '['),
      std::string(1023, '{'),
      std::string(1023, '9'),
      std::string(512, '[') + std::string(511, ']'),
      R"({"model":{"vocab":{"a":4294967295},"merges":[]}})",
      "speclabN" + raw(1U) + raw(2'000'000U) + raw(5U) + raw(255U) + raw(2'000'000U) +
          raw((1U << 24) - 1) + raw((1U << 24) - 1) + raw(1U << 28),
      "speclabN" + raw(1U) + raw(2'000'000U) + raw(1U) + raw(255U) + raw(1U) + raw(1U) + raw(0U) +
          raw(1U) + std::string(14, '\0')};
  for (const std::uint64_t count :
       {big, std::uint64_t{900}, std::uint64_t{100}, std::uint64_t{1'000'000}}) {
    GgufBytes array;
    array.metadata = {
        metadata_entry("k", 9, raw<std::uint32_t>(0) + raw(count) + std::string(900, 'a'))};
    files.push_back(array.str());
    array.metadata = {
        metadata_entry("k", 9, raw<std::uint32_t>(8) + raw(count) + std::string(800, '\0'))};
    files.push_back(array.str());
    files.push_back("GGUF" + raw(3U) + raw(count) + raw(count) + std::string(900, '\1'));
    files.push_back(raw(count) + "{" + std::string(900, ' ') + "}");
  }
  return files;
}

TEST(SmallFiles, CostLittleWhateverTheyPromise) {
  const std::vector<Format> formats = file_formats();
  MemoryFile disk;
  Cost most;
  int count = 0;
  const auto measure = [&](const std::string& bytes) {
    ASSERT_LT(bytes.size(), 1024U);
    disk.write(bytes);
    for (const Format& format : formats) {
      const Cost cost = cost_of([&] { read_or_refuse(format, disk.path(), bytes); });
      EXPECT_LE(cost.heap_bytes, 16 * kMebibyte) << format.name;
      EXPECT_LE(cost.seconds, 0.05) << format.name;
      most = {std::max(most.seconds, cost.seconds), std::max(most.heap_bytes, cost.heap_bytes)};
      ++count;
    }
  };
  for (const std::string& bytes : small_files()) measure(bytes);
  const std::string seed = small_gguf().str();
  visit_fields(seed, read_gguf_slowly(seed).fields, replace_binary, measure);
  const std::string tensors =
      safetensors_bytes("{" + safetensors_entry("t", "F32", "[1,1]", "[0,4]") + "}", "xxxx");
  visit_fields(tensors, read_safetensors_slowly(tensors).fields, replace_in_safetensors, measure);
  std::printf("%d readings of files below 1 KiB: at most %.2f ms of processor time and %.2f MiB\n",
              count, 1e3 * most.seconds, most.heap_bytes / kMebibyte);
}

class LargeFiles : public ::testing::TestWithParam<LargeFile> {};

/// Of a file sixteen times as large: a time in proportion is 16 times as long, up to 100 measured
/// where the caches end, a quadratic one 256 times and those effects above it. cost_slope_test.cpp
/// bounds each doubling in instructions, which the caches do not change.
TEST_P(LargeFiles, CostInProportionToTheirSize) {
  double seconds[2] = {1e9, 1e9};
  MemoryFile disk;
  const Format format = GetParam().format;
  for (int step = 0; step < 2; ++step) {
    const std::string bytes = GetParam().bytes(GetParam().n << 4 * step);
    disk.write(bytes);
    double heap = 0;
    for (int attempt = 0; attempt < 3; ++attempt) {
      const Cost cost = cost_of([&] { format.read(disk.path(), bytes); });
      seconds[step] = std::min(seconds[step], cost.seconds);
      heap = cost.heap_bytes;
    }
    EXPECT_LE(heap, GetParam().heap_share * static_cast<double>(bytes.size()) + 64 * kMebibyte)
        << bytes.size() << " bytes";
    std::printf("%s: %.1f MiB of file, %.1f ms, %.1f MiB of memory (%.1f times the file)\n",
                GetParam().name.c_str(), static_cast<double>(bytes.size()) / kMebibyte,
                1e3 * seconds[step], heap / kMebibyte, heap / static_cast<double>(bytes.size()));
  }
  EXPECT_LE(seconds[1], 160 * seconds[0]);
}

INSTANTIATE_TEST_SUITE_P(, LargeFiles, ::testing::ValuesIn(large_files()),
                         [](const auto& named) { return named.param.name; });

TEST(Tokenising, AMegabyteOfOneCharacterTakesAtMostASecond) {
  const std::string bytes(std::size_t{1} << 20, 'a');
  const auto encode = text_tokens().read;
  encode("", "a");
  const double seconds = cost_of([&] { encode("", bytes); }).seconds;
  std::printf("a megabyte of one character: %.0f ms\n", 1e3 * seconds);
  EXPECT_LE(seconds, 1);
}

}  // namespace
}  // namespace speclab::engines
