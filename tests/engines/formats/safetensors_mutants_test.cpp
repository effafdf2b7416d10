// Damaged safetensors files: an error of the right type and form, or what an independent slow
// reader reads too.

#include <gtest/gtest.h>

#include "engines/formats/safetensors_file.h"
#include "sim/system/errors.h"
#include "tests/engines/formats/memory_file.h"
#include "tests/engines/formats/mutants.h"
#include "tests/engines/formats/safetensors_bytes.h"

namespace speclab::engines {
namespace {

using namespace speclab::testing;

SlowModel read(const std::string& path) {
  const SafetensorsFile file = SafetensorsFile::open(path);
  SlowModel model;
  for (const auto& [key, value] : file.metadata()) model.metadata.push_back(key + " = " + value);
  for (const TensorInfo& tensor : file.tensors()) {
    const bool is_float = tensor.dtype == "F32" || tensor.dtype == "F16" || tensor.dtype == "BF16";
    model.tensors.push_back({tensor.name, tensor.dtype, tensor.shape,
                             is_float ? file.read_float32(tensor.name) : std::vector<float>()});
  }
  return model;
}

struct Seed {
  std::string header;
  std::size_t data_bytes;
  std::string str() const { return safetensors_bytes(header, std::string(data_bytes, 'x')); }
};

/// Metadata and three types; an empty tensor, a scalar and escapes; one plain tensor.
std::vector<Seed> seeds() {
  return {
      {R"({"__metadata__":{"format":"pt"},)" + safetensors_entry("wide", "F32", "[2,3]", "[0,24]") +
           "," + safetensors_entry("narrow", "BF16", "[4]", "[24,32]") + "," +
           safetensors_entry("ids", "I64", "[1]", "[32,40]") + "}  ",
       40},
      {"{" + safetensors_entry(R"(\u00e9\ud83d\ude00\n)", "F16", "[]", "[0,2]") + ", " +
           safetensors_entry("e", "F32", "[0, 7]", "[2,2]") + "," +
           safetensors_entry("t", "BOOL", "[2,1,1]", "[ 2, 4 ]") + "}",
       4},
      {"{" + safetensors_entry("t", "F32", "[1]", "[0,4]") + "}", 4}};
}

class SafetensorsMutants : public ::testing::Test {
 protected:
  void check(const std::string& bytes) {
    disk_.write(bytes);
    comparison_.check(bytes, disk_.path());
  }

  MemoryFile disk_;
  ReaderComparison comparison_{read, read_safetensors_slowly};
};

TEST_F(SafetensorsMutants, GiveATypedErrorOrWhatTheSlowReaderReads) {
  for (const Seed& parts : seeds()) {
    const std::string seed = parts.str();
    const std::vector<IntegerField> fields = read_safetensors_slowly(seed).fields;
    const auto visit = [&](const std::string& bytes) { check(bytes); };
    visit_cuts_and_flips(seed, 8 + parts.header.size(), visit);
    visit_fields(seed, fields, replace_in_safetensors, visit);
    visit_pairs(seed, fields, replace_in_safetensors, visit);
  }
  EXPECT_GE(comparison_.num_loads(), share_of(100)) << "agreement is about loads as well";
}

TEST_F(SafetensorsMutants, WithAnyOtherByteInTheHeaderAgreeToo) {
  for (const Seed& parts : seeds()) {
    const std::string seed = parts.str();
    for (std::size_t at = 0; at < 8 + parts.header.size(); ++at) {
      for (int byte = 0; byte < 256; ++byte) {
        std::string mutant = seed;
        mutant[at] = static_cast<char>(byte);
        check(mutant);
      }
    }
  }
  comparison_.print("safetensors files");
  EXPECT_GE(comparison_.num_mutants(), share_of(20000));
}

TEST_F(SafetensorsMutants, WithTheWorstValuesForDigitsAgreeToo) {
  const std::string worst[] = {"-0",
                               "-1",
                               "9223372036854775808",
                               "18446744073709551616",
                               "1e400",
                               "-1e400",
                               "0.5",
                               "1.0",
                               "1e0",
                               "01",
                               "+1",
                               "null",
                               "true",
                               "[]",
                               "{}",
                               "\"1\"",
                               "",
                               "NaN",
                               "Infinity"};
  for (const Seed& parts : seeds()) {
    for (std::size_t at = 0; at < parts.header.size(); ++at) {
      if (!std::isdigit(static_cast<unsigned char>(parts.header[at]))) continue;
      for (const std::string& value : worst) {
        std::string header = parts.header;
        check(safetensors_bytes(header.replace(at, 1, value), std::string(parts.data_bytes, 'x')));
      }
    }
  }
  EXPECT_GE(comparison_.num_mutants(), share_of(500));
}

}  // namespace
}  // namespace speclab::engines
