// The table of limits: each at one less, at itself, and at one more.

#include <gtest/gtest.h>

#include <functional>
#include <nlohmann/json.hpp>

#include "engines/formats/gguf_file.h"
#include "engines/formats/json_file.h"
#include "engines/formats/safetensors_file.h"
#include "sim/system/errors.h"
#include "tests/engines/formats/gguf_bytes.h"
#include "tests/engines/formats/memory_file.h"
#include "tests/engines/formats/mutants.h"
#include "tests/engines/formats/safetensors_bytes.h"

namespace speclab::engines {
namespace {

using namespace speclab::testing;

/// Below and at its limit a file is read; above it is refused, and the message names the field and
/// what it may be.
struct Limit {
  std::string name;
  std::uint64_t limit;
  std::function<std::string(std::uint64_t n)> bytes;  ///< of a file that has n of it
  std::string field;
};

void PrintTo(const Limit& limit, std::ostream* out) { *out << limit.name; }

template <typename Open>
std::string refusal_of(const Open& open) {
  try {
    open();
    return "";
  } catch (const ModelFileError& error) {
    EXPECT_EQ(fault_of_message(error.what()), "") << error.what();
    return error.what();
  }
}

template <typename Open>
void expect_limit(const Limit& limit, std::uint64_t above, const Open& open) {
  MemoryFile disk;
  for (const std::uint64_t n : {limit.limit - 1, limit.limit, above}) {
    disk.write(limit.bytes(n));
    const std::string refusal = refusal_of([&] { open(disk.path()); });
    if (n <= limit.limit) {
      EXPECT_EQ(refusal, "") << n;
    } else {
      EXPECT_NE(refusal.find(limit.field), std::string::npos) << n << ": " << refusal;
    }
  }
}

std::string times(std::uint64_t n, const std::string& text) {
  std::string all;
  for (std::uint64_t i = 0; i < n; ++i) all += text;
  return all;
}

std::string one_tensor(const std::string& name, const std::string& shape) {
  return safetensors_entry(name, "U8", shape, "[0,0]");
}

std::string shape_of_rank(std::uint64_t rank) { return "[0" + times(rank - 1, ",1") + "]"; }

/// n arrays and objects inside each other, the header and the tensor counted.
std::string nested(std::uint64_t n) {
  const std::string tensor = one_tensor("t", "[0]");
  return safetensors_bytes("{" + tensor.substr(0, tensor.size() - 1) +
                               ",\"x\":" + times(n - 2, "[") + "1" + times(n - 2, "]") + "}}",
                           "");
}

std::vector<Limit> safetensors_limits() {
  const auto letters = [](std::uint64_t n) { return std::string(n, 'n'); };
  return {{"HeaderBytes", 100'000'000,
           [](std::uint64_t n) { return safetensors_bytes("{}" + std::string(n - 2, ' '), ""); },
           "header length"},
          {"NameBytes", 4096,
           [=](std::uint64_t n) {
             return safetensors_bytes("{" + one_tensor(letters(n), "[0]") + "}", "");
           },
           "a name of 4097 bytes"},
          {"Rank", 8,
           [](std::uint64_t n) {
             return safetensors_bytes("{" + one_tensor("t", shape_of_rank(n)) + "}", "");
           },
           "t.shape = rank 9"},
          {"Depth", 8, nested, "nesting"},
          {"Dimension", INT64_MAX,
           [](std::uint64_t n) {
             return safetensors_bytes("{" + one_tensor("t", "[0," + std::to_string(n) + "]") + "}",
                                      "");
           },
           "t.shape[1]"}};
}

class SafetensorsLimits : public ::testing::TestWithParam<Limit> {};

TEST_P(SafetensorsLimits, IsReachedAndNotPassed) {
  expect_limit(GetParam(), GetParam().limit + 1,
               [](const std::string& path) { SafetensorsFile::open(path); });
}

INSTANTIATE_TEST_SUITE_P(, SafetensorsLimits, ::testing::ValuesIn(safetensors_limits()),
                         [](const auto& named) { return named.param.name; });

TEST(SafetensorsLimit, OfTensorsIsReachedAndNotPassed) {
  static_assert(kMaxSafetensorsTensors == 1'000'000);
  const auto file = [](std::uint64_t n) {
    std::string header = R"({"__metadata__":{"a":"b"})";
    for (std::uint64_t i = 0; i < n; ++i)
      header += "," + one_tensor("t" + std::to_string(i), "[0]");
    return safetensors_bytes(header + "}", "");
  };
  expect_limit({"Tensors", 5, file, "more than 5 tensors; allowed: at most 5"}, 6,
               [](const std::string& path) { read_safetensors_header(InputFile(path), 5); });
}

/// A product of dimensions below 2^63 is then compared with the bytes that are there.
TEST(SafetensorsLimit, OfTheProductIsReachedAndNotPassed) {
  MemoryFile disk;
  const std::string third = std::to_string(INT64_MAX / 7);  // 2^63 - 1 is a multiple of 7
  static_assert(INT64_MAX % 7 == 0);
  for (const auto& [shape, field] :
       {std::pair("[7," + third + "]", "data_offsets"),
        {"[" + std::to_string(INT64_MAX - 1) + "]", "data_offsets"},
        {"[2,4611686018427387904]", "t.shape = a product of 2^63 or more"}}) {
    disk.write(safetensors_bytes("{" + one_tensor("t", shape) + "}", ""));
    EXPECT_NE(refusal_of([&] { SafetensorsFile::open(disk.path()); }).find(field),
              std::string::npos)
        << shape;
  }
}

GgufBytes with_entry(const std::string& entry) {
  GgufBytes file;
  file.metadata = {entry};
  return file;
}

GgufBytes with_tensor(const std::string& entry) {
  GgufBytes file;
  file.tensors = {entry};
  file.data.resize(64, '\0');
  return file;
}

std::string many_tensors(std::uint64_t n) {
  GgufBytes file = with_entry(metadata_entry("general.alignment", 4, raw<std::uint32_t>(1)));
  file.alignment = 1;
  for (std::uint64_t i = 0; i < n; ++i)
    file.tensors.push_back(tensor_entry(std::to_string(i), {1}, 0, 4 * i));
  file.data.resize(4 * n, '\0');
  return file.str();
}

std::string many_keys(std::uint64_t n) {
  GgufBytes file;
  for (std::uint64_t i = 0; i < n; ++i)
    file.metadata.push_back(metadata_entry(std::to_string(i), 0, "a"));
  return file.str();
}

std::string array_of_bytes(std::uint64_t n) {
  return with_entry(metadata_entry("k", 9, raw<std::uint32_t>(0) + raw(n) + std::string(n, 'a')))
      .str();
}

std::string with_alignment(std::uint64_t alignment) {
  GgufBytes file = with_entry(
      metadata_entry("general.alignment", 4, raw(static_cast<std::uint32_t>(alignment))));
  file.alignment = alignment;
  file.tensors = {tensor_entry("t", {1}, 0, 0)};
  file.data.resize(4, '\0');
  return file.str();
}

std::vector<Limit> gguf_limits() {
  return {{"Tensors", 1'000'000, many_tensors, "tensor_count = 1000001"},
          {"Keys", 1'000'000, many_keys, "metadata_count = 1000001"},
          {"KeyBytes", (1 << 16) - 1,
           [](std::uint64_t n) {
             return with_entry(metadata_entry(std::string(n, 'k'), 0, "a")).str();
           },
           "metadata[0].key = length 65536"},
          {"TensorNameBytes", 63,
           [](std::uint64_t n) {
             return with_tensor(tensor_entry(std::string(n, 'n'), {1}, 0, 0)).str();
           },
           "tensors[0].name = length 64"},
          {"StringBytes", 64 << 20,
           [](std::uint64_t n) {
             return with_entry(metadata_entry("k", 8, raw_string(std::string(n, 's')))).str();
           },
           "metadata[0].value = length 67108865"},
          {"ArrayElements", 16'777'216, array_of_bytes, "metadata[0].length = 16777217"},
          {"Rank", 4,
           [](std::uint64_t n) {
             return with_tensor(tensor_entry("t", std::vector<std::uint64_t>(n, 1), 0, 0)).str();
           },
           "tensors[0].rank = 5"}};
}

class GgufLimits : public ::testing::TestWithParam<Limit> {};

TEST_P(GgufLimits, IsReachedAndNotPassed) {
  expect_limit(GetParam(), GetParam().limit + 1,
               [](const std::string& path) { GgufFile::open(path); });
}

INSTANTIATE_TEST_SUITE_P(, GgufLimits, ::testing::ValuesIn(gguf_limits()),
                         [](const auto& named) { return named.param.name; });

/// Among numbers that are no power of two none is allowed, so the neighbours are the next powers.
TEST(GgufLimit, OfTheAlignmentIsReachedAndNotPassed) {
  MemoryFile disk;
  for (const std::uint64_t alignment : {0, 1, 2, 3, 32768, 65535, 65536, 65537, 131072}) {
    disk.write(with_alignment(alignment == 0 ? 1 : alignment));
    if (alignment == 0)
      disk.write(with_entry(metadata_entry("general.alignment", 4, raw<std::uint32_t>(0))).str());
    const bool allowed =
        alignment == 1 || alignment == 2 || alignment == 32768 || alignment == 65536;
    EXPECT_EQ(refusal_of([&] { GgufFile::open(disk.path()); }).find("general.alignment") ==
                  std::string::npos,
              allowed)
        << alignment;
  }
}

TEST(GgufLimit, OfTheHeaderIsReachedAndNotPassed) {
  static_assert(kMaxGgufHeaderBytes == 1 << 30);
  const GgufBytes parts = small_gguf();
  GgufBytes unpadded = parts;
  unpadded.alignment = 1, unpadded.data.clear();
  const std::uint64_t header = unpadded.str().size();
  MemoryFile disk;
  disk.write(parts.str());
  EXPECT_NE(refusal_of([&] { read_gguf_header(InputFile(disk.path()), header - 1); }), "")
      << "a limit one below the header";
  EXPECT_EQ(refusal_of([&] { read_gguf_header(InputFile(disk.path()), header); }), "");
  EXPECT_EQ(refusal_of([&] { read_gguf_header(InputFile(disk.path()), header + 1); }), "");
}

TEST(GgufLimit, OfTheProductIsReachedAndNotPassed) {
  MemoryFile disk;
  for (const auto& [dims, field] : {std::pair(std::vector<std::uint64_t>{INT64_MAX - 1}, "size"),
                                    {{7, INT64_MAX / 7}, "size"},
                                    {{2, std::uint64_t{1} << 62}, "dimensions"},
                                    {{1, 0}, "dimensions"}}) {
    disk.write(with_tensor(tensor_entry("t", dims, 0, 0)).str());
    EXPECT_NE(
        refusal_of([&] { GgufFile::open(disk.path()); }).find(std::string("tensors[0].") + field),
        std::string::npos)
        << dims[0];
  }
}

TEST(JsonLimit, OfTheTextIsReachedAndNotPassed) {
  static_assert(JsonLimits().max_bytes == 256 << 20 && JsonLimits().max_depth == 64);
  MemoryFile disk;
  disk.write("[1,2]");
  for (const std::uint64_t limit : {4, 5, 6}) {
    EXPECT_EQ(refusal_of([&] {
                read_json_file(disk.path(), {.max_bytes = limit});
              }).find("size = 5 bytes") != std::string::npos,
              limit == 4)
        << limit;
  }
  for (const std::uint64_t depth : {63, 64, 65}) {
    disk.write(times(depth, "[") + "1" + times(depth, "]"));
    EXPECT_EQ(refusal_of([&] { read_json_file(disk.path()); }).find("nesting") != std::string::npos,
              depth == 65)
        << depth;
  }
}

}  // namespace
}  // namespace speclab::engines
