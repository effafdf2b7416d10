// read_large_file NAME N: reads the file NAME of large_files.h with N, 2 N and 4 N entries and
// prints the bytes of each. cost_slope_test counts the instructions of read_counted under
// callgrind, which writes down what it has before report_size: both are found by their names.

#include <algorithm>
#include <cstdio>
#include <string>

#include "tests/engines/formats/large_files.h"
#include "tests/engines/formats/memory_file.h"

namespace speclab::testing {
namespace {

[[gnu::noinline]] void read_counted(const Format& format, const std::string& path,
                                    const std::string& bytes) {
  format.read(path, bytes);
}

[[gnu::noinline]] void report_size(std::size_t bytes) { std::printf("%zu\n", bytes); }

constexpr int kFew = 128;

int read_doublings(const std::string& name, int n) {
  const std::vector<LargeFile> files = large_files();
  const auto file = std::ranges::find(files, name, &LargeFile::name);
  if (file == files.end())
    return std::fprintf(stderr, "read_large_file: no file is called '%s'\n", name.c_str()), 2;
  const Format& format = file->format;
  MemoryFile disk;
  const auto written = [&](int entries) {
    const std::string bytes = file->bytes(entries);
    disk.write(bytes);
    return bytes;
  };
  format.read(disk.path(), written(kFew));  // what happens once
  for (int times : {1, 2, 4}) {
    const std::string bytes = written(times * n);
    read_counted(format, disk.path(), bytes);
    report_size(bytes.size());
  }
  return 0;
}

}  // namespace
}  // namespace speclab::testing

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  return speclab::testing::read_doublings(argv[1], std::stoi(argv[2]));
}
