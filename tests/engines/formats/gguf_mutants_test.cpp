// Every truncation and every bit flip of a small file's header, and every field and pair of fields with the worst
// numbers: an error of the right type, or a file that can be read to its last value.

#include <gtest/gtest.h>

#include <cstring>

#include "engines/formats/gguf_file.h"
#include "sim/core/errors.h"
#include "tests/engines/formats/gguf_bytes.h"
#include "tests/engines/formats/memory_file.h"

namespace speclab::engines {
namespace {

using namespace speclab::testing;

/// A place in the file where an integer of `size` bytes stands.
struct Field {
  std::size_t offset;
  std::size_t size;
};

/// Every length, count, type, dimension and offset of the file's header.
std::vector<Field> integer_fields(const GgufBytes& file) {
  std::vector<Field> fields = {{4, 4}, {8, 8}, {16, 8}};
  std::size_t at = 24;
  const auto name_length = [](const std::string& entry) { return static_cast<std::size_t>(static_cast<unsigned char>(entry[0])); };
  for (const std::string& entry : file.metadata) {
    const std::size_t type = at + 8 + name_length(entry);
    fields.insert(fields.end(), {{at, 8}, {type, 4}});
    if (entry[8 + name_length(entry)] == 8) fields.push_back({type + 4, 8});
    if (entry[8 + name_length(entry)] == 9) fields.insert(fields.end(), {{type + 4, 4}, {type + 8, 8}});
    at += entry.size();
  }
  for (const std::string& entry : file.tensors) {
    const std::size_t rank = at + 8 + name_length(entry);
    fields.insert(fields.end(), {{at, 8}, {rank, 4}, {rank + 4, 8}, {at + entry.size() - 12, 4}, {at + entry.size() - 8, 8}});
    at += entry.size();
  }
  return fields;
}

class GgufMutants : public ::testing::Test {
 protected:
  /// Opens the bytes and reads everything. @return false if they were refused
  bool accepted(const std::string& bytes) {
    ++num_mutants_;
    disk_.write(bytes);
    try {
      const GgufFile file = GgufFile::open(disk_.path());
      for (const TensorInfo& tensor : file.tensors()) {
        EXPECT_EQ(file.read_float32(tensor.name).size(), static_cast<std::size_t>(tensor.num_elements));
      }
      return true;
    } catch (const ModelFileError& error) {
      EXPECT_LE(std::strlen(error.what()), 300U);
      return false;
    }
  }

  static void put(std::string& bytes, const Field& field, std::uint64_t number) { bytes.replace(field.offset, field.size, raw(number), 0, field.size); }

  MemoryFile disk_;
  const std::string seed_ = small_gguf().str();
  const std::size_t header_bytes_ = seed_.size() - small_gguf().data.size();
  int num_mutants_ = 0;
};

TEST_F(GgufMutants, TruncationsAreAllRefused) {
  ASSERT_TRUE(accepted(seed_));
  for (std::size_t size = 0; size < seed_.size(); ++size) EXPECT_FALSE(accepted(seed_.substr(0, size))) << size;
}

TEST_F(GgufMutants, BitFlipsGiveATypedErrorOrALoad) {
  for (std::size_t bit = 0; bit < header_bytes_ * 8; ++bit) {
    std::string mutant = seed_;
    mutant[bit / 8] = static_cast<char>(mutant[bit / 8] ^ (1 << bit % 8));
    accepted(mutant);
  }
  EXPECT_EQ(num_mutants_, static_cast<int>(header_bytes_ * 8));
}

TEST_F(GgufMutants, WorstNumbersAnywhereGiveATypedErrorOrALoad) {
  const std::uint64_t worst[] = {0, (1U << 31) - 1, 1U << 31, UINT32_MAX, std::uint64_t{1} << 32, INT64_MAX, std::uint64_t{1} << 63, UINT64_MAX,
                                 seed_.size() - 1, seed_.size() + 1};
  for (std::size_t at = 0; at + 8 <= header_bytes_; ++at) {
    for (const std::uint64_t number : worst) {
      std::string mutant = seed_;
      put(mutant, {at, 8}, number);
      accepted(mutant);
    }
  }
  EXPECT_GE(num_mutants_, 4000);
}

TEST_F(GgufMutants, PairsOfWorstFieldsGiveATypedErrorOrALoad) {
  const std::uint64_t worst[] = {0, 1, UINT32_MAX, std::uint64_t{1} << 63, UINT64_MAX};
  const std::vector<Field> fields = integer_fields(small_gguf());
  for (std::size_t a = 0; a < fields.size(); ++a) {
    for (std::size_t b = a + 1; b < fields.size(); ++b) {
      for (const std::uint64_t first : worst) {
        for (const std::uint64_t second : worst) {
          std::string mutant = seed_;
          put(mutant, fields[a], first);
          put(mutant, fields[b], second);
          accepted(mutant);
        }
      }
    }
  }
  EXPECT_GE(num_mutants_, 20000);
}

}  // namespace
}  // namespace speclab::engines
