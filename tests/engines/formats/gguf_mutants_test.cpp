// Damaged GGUF files: an error of the right type and form, or what an independent slow reader reads
// too.

#include <gtest/gtest.h>

#include <cstdio>
#include <type_traits>

#include "engines/formats/gguf_file.h"
#include "sim/system/errors.h"
#include "tests/engines/formats/gguf_bytes.h"
#include "tests/engines/formats/memory_file.h"
#include "tests/engines/formats/mutants.h"

namespace speclab::engines {
namespace {

using namespace speclab::testing;

template <typename T>
std::string shown_number(T value) {
  if constexpr (!std::is_floating_point_v<T>) return std::to_string(value);
  char shown[40];
  std::snprintf(shown, sizeof shown, "%a", static_cast<double>(value));
  return value != value ? "nan" : shown;
}

template <typename T>
constexpr const char* kind_of() {
  if constexpr (std::is_same_v<T, bool>) return "b";
  if constexpr (std::is_same_v<T, std::string>) return "s";
  return std::is_floating_point_v<T> ? "f" : std::is_signed_v<T> ? "i" : "u";
}

template <typename T>
std::string shown(const T& value) {
  if constexpr (std::is_same_v<T, std::string>)
    return value;
  else if constexpr (std::is_arithmetic_v<T>)
    return shown_number(value);
  else {
    std::string list = std::string("[") + kind_of<typename T::value_type>();
    for (const auto& element : value) list += shown(element) + ",";
    return list + "]";
  }
}

std::string shown_value(const GgufValue& value) {
  return std::visit(
      []<typename T>(const T& held) {
        const bool scalar = std::is_arithmetic_v<T> || std::is_same_v<T, std::string>;
        return (scalar ? kind_of<T>() : "") + shown(held);
      },
      value);
}

SlowModel read(const std::string& path) {
  const GgufFile file = GgufFile::open(path);
  SlowModel model;
  for (const GgufEntry& entry : file.metadata().entries())
    model.metadata.push_back(entry.key + " = " + shown_value(entry.value));
  for (const TensorInfo& tensor : file.tensors())
    model.tensors.push_back(
        {tensor.name, tensor.dtype, tensor.shape, file.read_float32(tensor.name)});
  return model;
}

std::string cycling_bytes(std::size_t size) {
  std::string bytes(size, '\0');
  for (std::size_t i = 0; i < size; ++i) bytes[i] = static_cast<char>(i * 37 + 11);
  return bytes;
}

/// An alignment of its own, and the formats whose blocks are large.
GgufBytes quantised_gguf() {
  GgufBytes file;
  file.metadata = {metadata_entry("general.alignment", 4, raw<std::uint32_t>(16))};
  file.alignment = 16;
  file.tensors = {tensor_entry("q4", {256}, 12, 0), tensor_entry("q6", {256, 1}, 14, 144),
                  tensor_entry("bf", {8, 2}, 30, 368)};
  file.data = cycling_bytes(400);
  return file;
}

/// Tensors only, of the small quantised formats, out of order.
GgufBytes plain_gguf() {
  GgufBytes file;
  file.tensors = {tensor_entry("b", {32, 1, 1, 1}, 7, 32), tensor_entry("a", {32}, 2, 0),
                  tensor_entry("c", {4, 3}, 1, 64)};
  file.data = cycling_bytes(88);
  return file;
}

class GgufMutants : public ::testing::Test {
 protected:
  void check(const std::string& bytes) {
    disk_.write(bytes);
    comparison_.check(bytes, disk_.path());
  }

  MemoryFile disk_;
  ReaderComparison comparison_{read, read_gguf_slowly};
};

TEST_F(GgufMutants, GiveATypedErrorOrWhatTheSlowReaderReads) {
  for (const GgufBytes& parts : {small_gguf(), quantised_gguf(), plain_gguf()}) {
    const std::string seed = parts.str();
    const std::vector<IntegerField> fields = read_gguf_slowly(seed).fields;
    const auto visit = [&](const std::string& bytes) { check(bytes); };
    visit_cuts_and_flips(seed, seed.size() - parts.data.size(), visit);
    visit_fields(seed, fields, replace_binary, visit);
    visit_pairs(seed, fields, replace_binary, visit);
  }
  comparison_.print("GGUF files");
  EXPECT_GE(comparison_.num_mutants(), share_of(20000));
  EXPECT_GE(comparison_.num_loads(), share_of(1000)) << "agreement is about loads as well";
}

/// Not only where integers stand: eight bytes at any place.
TEST_F(GgufMutants, WithTheWorstNumbersAnywhereAgreeToo) {
  const GgufBytes parts = small_gguf();
  const std::string seed = parts.str();
  std::vector<IntegerField> places;
  for (std::size_t at = 0; at + 8 + parts.data.size() <= seed.size(); ++at)
    places.push_back({at, 8});
  visit_fields(seed, places, replace_binary, [&](const std::string& bytes) { check(bytes); });
  EXPECT_GE(comparison_.num_mutants(), share_of(4000));
}

}  // namespace
}  // namespace speclab::engines
