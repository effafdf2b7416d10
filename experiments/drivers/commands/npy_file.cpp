#include "experiments/drivers/commands/npy_file.h"

#include <fmt/format.h>

#include <bit>
#include <filesystem>
#include <utility>

#include "sim/core/errors.h"

namespace speclab::experiments {
namespace {

static_assert(std::endian::native == std::endian::little, "'<f4' is little-endian");

constexpr const char* kUnfinished = ".new";
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

NpyFile::NpyFile(std::string path, std::int64_t rows, std::int64_t columns)
    : path_(std::move(path)),
      values_left_(rows * columns),
      out_(path_ + kUnfinished, std::ios::binary) {
  out_ << npy_header(rows, columns);
  require_written();
}

NpyFile::~NpyFile() {
  std::error_code none;
  std::filesystem::remove(path_ + kUnfinished, none);
}

void NpyFile::append(std::span<const float> values) {
  values_left_ -= static_cast<std::int64_t>(values.size());
  out_.write(reinterpret_cast<const char*>(values.data()),
             static_cast<std::streamsize>(values.size_bytes()));
  require_written();
}

void NpyFile::finish() {
  SPECLAB_EXPECT(values_left_ == 0, "all rows");
  out_.close();
  require_written();
  std::error_code error;
  std::filesystem::rename(path_ + kUnfinished, path_, error);
  if (error)
    throw WriteError(
        fmt::format("cannot write {}: {}; choose another place", path_, error.message()));
}

void NpyFile::require_written() const {
  if (!out_)
    throw WriteError(fmt::format(
        "cannot write {}; check the folder, its permissions and the space on the disk", path_));
}

}  // namespace speclab::experiments
