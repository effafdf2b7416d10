#include "experiments/drivers/commands/npy_file.h"

#include <fmt/format.h>

#include <bit>

#include "sim/system/errors.h"

namespace speclab::experiments {
namespace {

static_assert(std::endian::native == std::endian::little, "'<f4' is little-endian");

constexpr std::size_t kHeaderAlignment = 64;

/// @source NumPy's format, version 1.0: magic, version, length of the text, text, all together a
/// multiple of 64 bytes
std::string npy_header(std::int64_t rows, std::int64_t columns) {
  std::string text =
      fmt::format("{{'descr': '<f4', 'fortran_order': False, 'shape': ({}, {}), }}", rows, columns);
  const std::size_t before = 10, unpadded = before + text.size() + 1;
  text.append((kHeaderAlignment - unpadded % kHeaderAlignment) % kHeaderAlignment, ' ');
  text += '\n';
  std::string header("\x93NUMPY\x01\x00", 8);
  header += static_cast<char>(text.size() & 0xFFU);
  header += static_cast<char>(text.size() >> 8U);
  return header + text;
}

}  // namespace

NpyFile::NpyFile(const std::string& path, std::int64_t rows, std::int64_t columns)
    : values_left_(rows * columns), file_(path, NameFrom::user) {
  file_.write(npy_header(rows, columns));
}

void NpyFile::append(std::span<const float> values) {
  values_left_ -= static_cast<std::int64_t>(values.size());
  file_.write({reinterpret_cast<const char*>(values.data()), values.size_bytes()});
}

void NpyFile::finish() {
  SPECLAB_EXPECT(values_left_ == 0, "all rows");
  file_.finish();
}

}  // namespace speclab::experiments
