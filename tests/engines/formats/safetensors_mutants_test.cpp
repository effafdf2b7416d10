// Every truncation, every byte of a small file's header replaced by every other, and the worst numbers: an error of the
// right type, or a file that can be read.

#include <gtest/gtest.h>

#include "engines/formats/safetensors_file.h"
#include "sim/core/errors.h"
#include "tests/engines/formats/safetensors_bytes.h"
#include "tests/engines/formats/memory_file.h"

namespace speclab::engines {
namespace {

using namespace speclab::testing;

class SafetensorsMutants : public ::testing::Test {
 protected:
  bool accepted(const std::string& bytes) {
    ++num_mutants_;
    disk_.write(bytes);
    try {
      const SafetensorsFile file = SafetensorsFile::open(disk_.path());
      for (const TensorInfo& tensor : file.tensors()) {
        if (tensor.dtype == "F32" || tensor.dtype == "BF16") {
          EXPECT_EQ(file.read_float32(tensor.name).size(), static_cast<std::size_t>(tensor.num_elements));
        }
      }
      return true;
    } catch (const ModelFileError&) {
      return false;
    }
  }

  MemoryFile disk_;
  const std::string header_ = R"({"__metadata__":{"format":"pt"},)" + safetensors_entry("wide", "F32", "[2,3]", "[0,24]") + "," +
                              safetensors_entry("narrow", "BF16", "[4]", "[24,32]") + "," + safetensors_entry("ids", "I64", "[1]", "[32,40]") + "}  ";
  const std::string seed_ = safetensors_bytes(header_, std::string(40, 'x'));
  int num_mutants_ = 0;
};

TEST_F(SafetensorsMutants, TruncationsAreAllRefused) {
  ASSERT_TRUE(accepted(seed_));
  for (std::size_t size = 0; size < seed_.size(); ++size) EXPECT_FALSE(accepted(seed_.substr(0, size))) << size;
}

TEST_F(SafetensorsMutants, AnyByteOfTheHeaderGivesATypedErrorOrALoad) {
  for (std::size_t at = 0; at < 8 + header_.size(); ++at) {
    for (int byte = 0; byte < 256; ++byte) {
      std::string mutant = seed_;
      mutant[at] = static_cast<char>(byte);
      accepted(mutant);
    }
  }
  EXPECT_GE(num_mutants_, 20000);
}

TEST_F(SafetensorsMutants, WorstNumbersInTheHeaderGiveATypedErrorOrALoad) {
  const std::string worst[] = {"0", "-1", "2147483648", "4294967296", "9223372036854775807", "9223372036854775808", "18446744073709551615",
                               "18446744073709551616", "1e400", "0.5", "null", "[]", "{}"};
  for (std::size_t at = 0; at < header_.size(); ++at) {
    if (!std::isdigit(static_cast<unsigned char>(header_[at]))) continue;
    for (const std::string& number : worst) {
      std::string header = header_;
      accepted(safetensors_bytes(header.replace(at, 1, number), std::string(40, 'x')));
    }
  }
  EXPECT_GE(num_mutants_, 150);
}

}  // namespace
}  // namespace speclab::engines
