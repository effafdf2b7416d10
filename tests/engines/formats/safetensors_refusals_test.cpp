// Safetensors files that must be refused, and some unusual ones that must not.

#include <gtest/gtest.h>

#include "engines/formats/safetensors_file.h"
#include "sim/system/errors.h"
#include "tests/engines/formats/gguf_bytes.h"
#include "tests/engines/formats/safetensors_bytes.h"
#include "tests/engines/formats/temporary_folder.h"

namespace speclab::engines {
namespace {

using namespace speclab::testing;

struct Refusal {
  std::string name;
  std::string bytes;
  std::string mentions;
};

void PrintTo(const Refusal& refusal, std::ostream* out) { *out << refusal.name; }

std::string one(const std::string& dtype, const std::string& shape, const std::string& offsets,
                const std::string& data) {
  return safetensors_bytes("{" + safetensors_entry("t", dtype, shape, offsets) + "}", data);
}

std::string two(const std::string& first_offsets, const std::string& second_offsets,
                std::size_t data_bytes) {
  return safetensors_bytes("{" + safetensors_entry("a", "U8", "[4]", first_offsets) + "," +
                               safetensors_entry("b", "U8", "[4]", second_offsets) + "}",
                           std::string(data_bytes, 'x'));
}

std::vector<Refusal> refusals() {
  const std::string four(4, 'x');
  return {
      {"EmptyFile", "", "header length"},
      {"SevenBytes", "1234567", "header length"},
      {"LengthOf0", raw<std::uint64_t>(0) + "{}", "header length"},
      {"LengthBeyondTheFile", raw<std::uint64_t>(3) + "{}", "header length"},
      {"LengthOf2To63", raw(std::uint64_t{1} << 63) + "{}", "header length"},
      {"LengthOf2To64Less1", raw(UINT64_MAX) + "{}", "header length"},
      {"Pickle", "\x80\x02}q\x01(X\x01\0\0\0aK\x01u.....", "file = a pickle"},
      {"NoObject", safetensors_bytes("[1, 2]", ""), "header"},
      {"LeadingBlank", safetensors_bytes(" {}", ""), "header"},
      {"BrokenJson", safetensors_bytes("{\"a\":", ""), "JSON"},
      {"JsonAndMore", safetensors_bytes("{} {}", ""), "JSON"},
      {"InvalidUtf8", safetensors_bytes("{\"\xff\":1}", ""), "JSON"},
      {"NumberTooLarge", one("F32", "[1e999]", "[0,4]", four), "JSON"},
      {"TooDeep",
       safetensors_bytes("{\"a\":" + std::string(10000, '[') + std::string(10000, ']') + "}", ""),
       "nesting"},
      {"TensorTwice",
       safetensors_bytes("{" + safetensors_entry("t", "F32", "[1]", "[0,4]") + "," +
                             safetensors_entry("t", "F32", "[1]", "[0,4]") + "}",
                         four),
       "again"},
      {"KeyTwiceInATensor",
       safetensors_bytes(R"({"t":{"dtype":"F32","dtype":"F32","shape":[1],"data_offsets":[0,4]}})",
                         four),
       "again"},
      {"NoDtype", safetensors_bytes(R"({"t":{"shape":[1],"data_offsets":[0,4]}})", four), "dtype"},
      {"NoShape", safetensors_bytes(R"({"t":{"dtype":"F32","data_offsets":[0,4]}})", four),
       "shape"},
      {"NoOffsets", safetensors_bytes(R"({"t":{"dtype":"F32","shape":[1]}})", four),
       "data_offsets"},
      {"TensorIsNoObject", safetensors_bytes(R"({"t":7})", ""), "t = 7"},
      {"UnknownType", one("F31", "[1]", "[0,4]", four), "t.dtype"},
      {"TypeOfLessThanAByte", one("F4", "[8]", "[0,4]", four), "t.dtype"},
      {"NegativeSize", one("F32", "[-1]", "[0,4]", four), "t.shape[0]"},
      {"FractionalSize", one("F32", "[1.0]", "[0,4]", four), "t.shape[0]"},
      {"SizeOf2To63", one("F32", "[9223372036854775808]", "[0,4]", four), "t.shape[0]"},
      {"ShapeWraps", one("U8", "[4294967296,4294967296]", "[0,0]", ""), "t.shape"},
      {"ShapeWrapsTo4", one("U8", "[9223372036854775807,2,2]", "[0,4]", four), "t.shape"},
      {"BytesWrap", one("F64", "[2305843009213693952]", "[0,0]", ""), "data_offsets"},
      {"RankOf9", one("F32", "[1,1,1,1,1,1,1,1,1]", "[0,4]", four), "rank 9"},
      {"ThreeOffsets", one("F32", "[1]", "[0,4,8]", four), "data_offsets"},
      {"NegativeOffset", one("F32", "[1]", "[-4,0]", four), "data_offsets[0]"},
      {"OffsetsReversed", one("F32", "[1]", "[4,0]", four), "data_offsets"},
      {"OffsetsOfAnotherSize", one("F32", "[1]", "[0,8]", four + four), "data_offsets"},
      {"BeginsLate", two("[4,8]", "[8,12]", 12), "no hole"},
      {"Hole", two("[0,4]", "[8,12]", 12), "no hole"},
      {"Overlap", two("[0,4]", "[2,6]", 6), "no overlap"},
      {"SameData", two("[0,4]", "[0,4]", 4), "no overlap"},
      {"DataCutShort", two("[0,4]", "[4,8]", 7), "cut short"},
      {"DataLeftOver", two("[0,4]", "[4,8]", 9), "as the header says"},
      {"MetadataIsNoObject", safetensors_bytes(R"({"__metadata__":[]})", ""), "__metadata__"},
      {"MetadataIsNoString", safetensors_bytes(R"({"__metadata__":{"a":1}})", ""),
       "__metadata__.a"},
      {"NameOf4097Bytes",
       safetensors_bytes(
           "{" + safetensors_entry(std::string(4097, 'n'), "U8", "[0]", "[0,0]") + "}", ""),
       "name of 4097"},
  };
}

class SafetensorsRefusals : public ::testing::TestWithParam<Refusal> {};

TEST_P(SafetensorsRefusals, NameTheFieldAndTheByte) {
  const TemporaryFolder folder;
  const std::string path = folder.file("bad.safetensors", GetParam().bytes);
  try {
    SafetensorsFile::open(path);
    FAIL() << "the file was accepted";
  } catch (const ModelFileError& error) {
    const std::string message = error.what();
    EXPECT_NE(message.find(GetParam().mentions), std::string::npos) << message;
    const bool is_of_the_whole_file =
        message.starts_with(path + ": header length") || message.starts_with(path + ": file");
    EXPECT_NE(message.find(": byte ") != std::string::npos, is_of_the_whole_file) << message;
    EXPECT_LE(message.size(), 300U) << message;
  }
}

INSTANTIATE_TEST_SUITE_P(, SafetensorsRefusals, ::testing::ValuesIn(refusals()),
                         [](const auto& named) { return named.param.name; });

/// Defect: free text of a trainer, which the format does not limit, makes a sound file damaged.
TEST(SafetensorsMetadata, HasTextsAndKeysOfAnyLength) {
  const TemporaryFolder folder;
  const std::string text(200'000, 't'), key(10'000, 'k');
  const std::string path =
      folder.file("long.safetensors",
                  safetensors_bytes("{\"__metadata__\":{\"" + key + "\":\"" + text + "\"}}", ""));
  EXPECT_EQ(SafetensorsFile::open(path).metadata().at(key), text);
}

TEST(SafetensorsLimits, AreReachedAndNotPassed) {
  const TemporaryFolder folder;
  const std::string bytes = safetensors_bytes(
      "{" + safetensors_entry(std::string(4096, 'n'), "F32", "[1,1,1,1,1,1,1,1]", "[0,4]") + "}   ",
      std::string(4, '\0'));
  EXPECT_EQ(
      SafetensorsFile::open(folder.file("limits", bytes)).read_float32(std::string(4096, 'n')),
      std::vector<float>{0.0F});
}

TEST(Safetensors, KeepsTensorsItCannotTurnIntoNumbers) {
  const TemporaryFolder folder;
  const SafetensorsFile file =
      SafetensorsFile::open(folder.file("x", one("I64", "[1]", "[0,8]", std::string(8, 'x'))));
  EXPECT_EQ(file.tensor("t").dtype, "I64");
  EXPECT_THROW(file.read_float32("t"), ModelFileError);
}

}  // namespace
}  // namespace speclab::engines
