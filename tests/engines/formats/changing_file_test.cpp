// Files that change while they are read: an error of the right type or the old values, and never a
// signal.

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <fstream>
#include <thread>

#include "engines/formats/gguf_file.h"
#include "engines/formats/safetensors_file.h"
#include "sim/system/errors.h"
#include "tests/engines/formats/gguf_bytes.h"
#include "tests/engines/formats/safetensors_bytes.h"
#include "tests/engines/formats/temporary_folder.h"

namespace speclab::engines {
namespace {

using namespace speclab::testing;

constexpr std::size_t kElements = std::size_t{1} << 18;  // a megabyte: many reads

std::string gguf() {
  GgufBytes file;
  file.tensors = {tensor_entry("t", {kElements}, 0, 0)};
  file.data.resize(4 * kElements, '\1');
  return file.str();
}

std::string safetensors() {
  return safetensors_bytes("{" +
                               safetensors_entry("t", "F32", "[" + std::to_string(kElements) + "]",
                                                 "[0," + std::to_string(4 * kElements) + "]") +
                               "}",
                           std::string(4 * kElements, '\1'));
}

/// What happens to the file in place, as a careless copy does it.
enum class Change : std::uint8_t { cut_data, cut_header, rewrite, grow };

void apply(Change change, const std::string& path, const std::string& other) {
  const int descriptor = ::open(path.c_str(), O_WRONLY);
  ASSERT_GE(descriptor, 0);
  const off_t size = change == Change::cut_data     ? 4096
                     : change == Change::cut_header ? 20
                                                    : 8 * kElements;
  const bool done = change == Change::rewrite ? ::pwrite(descriptor, other.data(), other.size(),
                                                         0) == static_cast<ssize_t>(other.size())
                                              : ::ftruncate(descriptor, size) == 0;
  ASSERT_TRUE(done);
  ::close(descriptor);
}

/// Opens and reads again and again until the file has changed and was read after that. @return the
/// errors met
template <typename File>
int read_until(const std::atomic<bool>& changed, const std::string& path) {
  int errors = 0;
  for (bool last = false; !last;) {
    last = changed;
    try {
      const File file = File::open(path);
      EXPECT_EQ(file.read_float32("t").size(), kElements);
    } catch (const ModelFileError&) {
      ++errors;
    }
  }
  return errors;
}

template <typename File>
void change_while_reading(const std::string& good, const std::string& other, int times) {
  const TemporaryFolder folder;
  int errors = 0;
  for (int i = 0; i < times; ++i) {
    const std::string path = folder.path("model");
    std::ofstream(path, std::ios::binary | std::ios::trunc) << good;
    std::atomic<bool> changed = false;
    std::thread writer([&] {
      std::this_thread::sleep_for(std::chrono::microseconds(100 * (i % 10)));
      apply(static_cast<Change>(i % 4), path, other);
      changed = true;
    });
    errors += read_until<File>(changed, path);
    writer.join();
  }
  EXPECT_GE(errors, times / 2) << "a cut or rewritten file is refused when it is read after that";
}

TEST(ChangingGguf, GivesATypedErrorEachTime) {
  change_while_reading<GgufFile>(gguf(), std::string(4096, 'x'), 52);
}

TEST(ChangingSafetensors, GivesATypedErrorEachTime) {
  change_while_reading<SafetensorsFile>(safetensors(), std::string(4096, 'x'), 52);
}

TEST(ChangingFile, CutAfterOpeningIsAnErrorOfTheRead) {
  const TemporaryFolder folder;
  const std::string path = folder.file("model", safetensors());
  const SafetensorsFile file = SafetensorsFile::open(path);
  apply(Change::cut_data, path, "");
  EXPECT_THROW(file.read_float32("t"), ModelFileError);
}

}  // namespace
}  // namespace speclab::engines
