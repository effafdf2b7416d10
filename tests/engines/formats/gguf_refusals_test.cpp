// Files that must be refused: the limits of the reader, and the shapes of faults that other readers
// have had.

#include <gtest/gtest.h>

#include <functional>

#include "engines/formats/gguf_file.h"
#include "sim/system/errors.h"
#include "tests/engines/formats/gguf_bytes.h"
#include "tests/engines/formats/temporary_folder.h"

namespace speclab::engines {
namespace {

using namespace speclab::testing;

constexpr std::uint64_t kBig = std::uint64_t{1} << 63;

struct Refusal {
  std::string name;
  std::function<void(GgufBytes&)> damage;
  std::string mentions;  ///< part of the message: the field
};

void PrintTo(const Refusal& refusal, std::ostream* out) { *out << refusal.name; }

std::string array_of(std::uint32_t type, std::uint64_t length, const std::string& bytes) {
  return raw(type) + raw(length) + bytes;
}

void set_alignment(GgufBytes& file, std::uint32_t alignment) {
  file.metadata.push_back(metadata_entry("general.alignment", 4, raw(alignment)));
}

std::vector<Refusal> refusals() {
  return {
      {"WrongMagic", [](GgufBytes& f) { f.magic = "GGML"; }, "magic"},
      {"Pickle", [](GgufBytes& f) { f.magic = "\x80\x02}q"; }, "a pickle"},
      {"Version1", [](GgufBytes& f) { f.version = 1; }, "version = 1"},
      {"Version2", [](GgufBytes& f) { f.version = 2; }, "version = 2"},
      {"Version4", [](GgufBytes& f) { f.version = 4; }, "version = 4"},
      {"BigEndian", [](GgufBytes& f) { f.version = 0x03000000; }, "big-endian"},
      {"TensorCountBeyondTheFile", [](GgufBytes& f) { f.extra_tensors = 1000; }, "tensor_count"},
      {"TensorCountOf2To63", [](GgufBytes& f) { f.extra_tensors = kBig; }, "tensor_count"},
      {"TensorCountOf2To64Less1", [](GgufBytes& f) { f.extra_tensors = UINT64_MAX - 2; },
       "tensor_count"},
      {"MetadataCountBeyondTheFile", [](GgufBytes& f) { f.extra_metadata = 1 << 20; },
       "metadata_count"},
      {"MetadataCountOf2To63", [](GgufBytes& f) { f.extra_metadata = kBig; }, "metadata_count"},
      // CVE-2024-23605 and its kin: a length or count near 2^64 wraps when it is added to or
      // multiplied.
      {"KeyLengthOf2To64Less1", [](GgufBytes& f) { f.metadata[0] = raw(UINT64_MAX); }, "key"},
      {"KeyLengthOf2To63", [](GgufBytes& f) { f.metadata[0] = raw(kBig); }, "key"},
      {"EmptyKey", [](GgufBytes& f) { f.metadata[0] = metadata_entry("", 0, "a"); }, "key"},
      {"KeyOf64KiB",
       [](GgufBytes& f) { f.metadata[0] = metadata_entry(std::string(1 << 16, 'k'), 0, "a"); },
       "key"},
      {"KeyTwice", [](GgufBytes& f) { f.metadata.push_back(f.metadata[0]); }, "again"},
      {"UnknownValueType", [](GgufBytes& f) { f.metadata[0] = metadata_entry("k", 13, "a"); },
       "type = 13"},
      {"ValueTypeOf2To31", [](GgufBytes& f) { f.metadata[0] = metadata_entry("k", 1U << 31, "a"); },
       "type"},
      {"BoolOf2", [](GgufBytes& f) { f.metadata[0] = metadata_entry("k", 7, "\2"); }, "bool 2"},
      {"StringBeyondTheFile",
       [](GgufBytes& f) { f.metadata[0] = metadata_entry("k", 8, raw<std::uint64_t>(1 << 20)); },
       "length"},
      {"StringBeyondTheLimit",
       [](GgufBytes& f) {
         f.metadata[0] = metadata_entry("k", 8, raw<std::uint64_t>((64 << 20) + 1));
       },
       "length"},
      {"StringLengthOf2To63",
       [](GgufBytes& f) { f.metadata[0] = metadata_entry("k", 8, raw(kBig)); }, "length"},
      {"ArrayOfArrays",
       [](GgufBytes& f) { f.metadata[0] = metadata_entry("k", 9, array_of(9, 1, "")); },
       "type = an array of arrays"},
      // A 43-byte file with such a length hung the Python reader.
      {"ArrayLengthOf2To63",
       [](GgufBytes& f) { f.metadata[0] = metadata_entry("k", 9, array_of(0, kBig, "")); },
       "length"},
      {"ArrayLengthTimesSizeWraps",
       [](GgufBytes& f) {
         f.metadata[0] = metadata_entry("k", 9, array_of(4, kBig / 2 + 1, "aaaa"));
       },
       "length"},
      {"ArrayOfStringsBeyondTheFile",
       [](GgufBytes& f) { f.metadata[0] = metadata_entry("k", 9, array_of(8, 1 << 16, "")); },
       "length"},
      {"ArrayOfUnknownType",
       [](GgufBytes& f) { f.metadata[0] = metadata_entry("k", 9, array_of(77, 1, "a")); },
       "type = 77"},
      {"ArrayOfBadBool",
       [](GgufBytes& f) { f.metadata[0] = metadata_entry("k", 9, array_of(7, 1, "\3")); },
       "bool 3"},
      {"AlignmentOf0", [](GgufBytes& f) { set_alignment(f, 0); }, "general.alignment"},
      {"AlignmentOf24", [](GgufBytes& f) { set_alignment(f, 24); }, "general.alignment"},
      // CVE-2026 padding wrap: an alignment without upper bound.
      {"AlignmentOf2To17", [](GgufBytes& f) { set_alignment(f, 1 << 17); }, "general.alignment"},
      {"AlignmentOf2To31", [](GgufBytes& f) { set_alignment(f, 1U << 31); }, "general.alignment"},
      {"AlignmentOfWrongType",
       [](GgufBytes& f) {
         f.metadata.push_back(metadata_entry("general.alignment", 8, raw_string("32")));
       },
       "general.alignment"},
      {"EmptyTensorName", [](GgufBytes& f) { f.tensors[0] = tensor_entry("", {3, 2}, 0, 0); },
       "name"},
      {"TensorNameOf64Bytes",
       [](GgufBytes& f) { f.tensors[0] = tensor_entry(std::string(64, 'n'), {3, 2}, 0, 0); },
       "name"},
      {"TensorTwice", [](GgufBytes& f) { f.tensors[1] = tensor_entry("table", {32}, 8, 32); },
       "again"},
      {"RankOf0", [](GgufBytes& f) { f.tensors[0] = tensor_entry("table", {}, 0, 0); }, "rank"},
      {"RankOf5", [](GgufBytes& f) { f.tensors[0] = tensor_entry("table", {3, 2, 1, 1, 1}, 0, 0); },
       "rank"},
      {"RankOf2To32Less1",
       [](GgufBytes& f) { f.tensors[0] = raw_string("table") + raw(UINT32_MAX); }, "rank"},
      // Division by a zero dimension.
      {"DimensionOf0", [](GgufBytes& f) { f.tensors[0] = tensor_entry("table", {3, 0}, 0, 0); },
       "dimensions"},
      {"InnermostDimensionOf0",
       [](GgufBytes& f) { f.tensors[0] = tensor_entry("table", {0, 2}, 0, 0); }, "dimensions"},
      {"NegativeDimension",
       [](GgufBytes& f) { f.tensors[0] = tensor_entry("table", {UINT64_MAX, 2}, 0, 0); },
       "dimensions"},
      // CVE-2025-53630, CVE-2026-27940: the product of the dimensions wraps to something small.
      {"DimensionsWrapTo0",
       [](GgufBytes& f) { f.tensors[0] = tensor_entry("table", {kBig, 2}, 0, 0); }, "dimensions"},
      {"DimensionsWrapTo6",
       [](GgufBytes& f) {
         f.tensors[0] = tensor_entry("table", {(std::uint64_t{1} << 62) + 1, 4, 2}, 0, 0);
       },
       "dimensions"},
      // CVE-2026-33298: elements fit, bytes wrap.
      {"BytesWrap",
       [](GgufBytes& f) { f.tensors[0] = tensor_entry("table", {std::uint64_t{1} << 62}, 0, 0); },
       "size"},
      {"UnknownElementType",
       [](GgufBytes& f) { f.tensors[0] = tensor_entry("table", {3, 2}, 4, 0); }, "type = 4"},
      {"ElementTypeOf2To32Less1",
       [](GgufBytes& f) { f.tensors[0] = tensor_entry("table", {3, 2}, UINT32_MAX, 0); }, "type"},
      {"RowIsNoWholeBlock", [](GgufBytes& f) { f.tensors[1] = tensor_entry("row", {31}, 8, 32); },
       "rows of 31"},
      {"BlocksAcrossRows", [](GgufBytes& f) { f.tensors[1] = tensor_entry("row", {16, 2}, 8, 32); },
       "rows of 16"},
      {"OffsetNotAligned", [](GgufBytes& f) { f.tensors[1] = tensor_entry("row", {32}, 8, 33); },
       "offset"},
      {"OffsetBeyondTheFile",
       [](GgufBytes& f) { f.tensors[1] = tensor_entry("row", {32}, 8, 1 << 20); }, "data offset"},
      {"OffsetPlusSizeWraps",
       [](GgufBytes& f) { f.tensors[1] = tensor_entry("row", {32}, 8, UINT64_MAX - 31); },
       "data offset"},
      // CVE-2026-7482: lying dimensions read memory behind the file's data.
      {"DataBeyondTheFile", [](GgufBytes& f) { f.tensors[1] = tensor_entry("row", {64}, 8, 32); },
       "data offset"},
      {"SameData", [](GgufBytes& f) { f.tensors[1] = tensor_entry("row", {2}, 0, 0); }, "overlaps"},
      {"OverlappingData", [](GgufBytes& f) { f.tensors[0] = tensor_entry("table", {9}, 0, 0); },
       "overlaps"},
      {"DataCutShort", [](GgufBytes& f) { f.data.pop_back(); }, "cut short"},
      {"NoData", [](GgufBytes& f) { f.data.clear(); }, "cut short"},
  };
}

class GgufRefusals : public ::testing::TestWithParam<Refusal> {};

TEST_P(GgufRefusals, NameTheFieldAndTheByte) {
  const TemporaryFolder folder;
  GgufBytes bytes = small_gguf();
  GetParam().damage(bytes);
  const std::string path = folder.file("bad.gguf", bytes.str());
  try {
    GgufFile::open(path);
    FAIL() << "the file was accepted";
  } catch (const ModelFileError& error) {
    const std::string message = error.what();
    EXPECT_NE(message.find(GetParam().mentions), std::string::npos) << message;
    const bool is_of_the_whole_file =
        message.starts_with(path + ": magic") || message.starts_with(path + ": file");
    EXPECT_NE(message.find(": byte ") != std::string::npos, is_of_the_whole_file) << message;
    EXPECT_NE(message.find("; allowed: "), std::string::npos) << message;
    EXPECT_LE(message.size(), 300U) << message;
  }
}

INSTANTIATE_TEST_SUITE_P(, GgufRefusals, ::testing::ValuesIn(refusals()),
                         [](const auto& named) { return named.param.name; });

TEST(GgufLimits, AreReachedAndNotPassed) {
  const TemporaryFolder folder;
  GgufBytes bytes = small_gguf();
  bytes.metadata.push_back(metadata_entry(std::string((1 << 16) - 1, 'k'), 0, "a"));
  bytes.metadata.push_back(metadata_entry("general.alignment", 4, raw<std::uint32_t>(1 << 16)));
  bytes.alignment = 1 << 16;
  bytes.tensors = {tensor_entry(std::string(63, 'n'), {1, 2, 3, 1}, 0, 0)};
  EXPECT_EQ(GgufFile::open(folder.file("limits.gguf", bytes.str())).tensors()[0].num_elements, 6);
}

TEST(GgufErrors, ShowNoControlBytesOfTheFile) {
  const TemporaryFolder folder;
  GgufBytes bytes = small_gguf();
  const std::string hostile = "\x1b[31mred\n\x07";
  bytes.tensors = {tensor_entry(hostile, {3, 2}, 0, 0), tensor_entry(hostile, {3, 2}, 0, 32)};
  try {
    GgufFile::open(folder.file("bad.gguf", bytes.str()));
    FAIL() << "the file was accepted";
  } catch (const ModelFileError& error) {
    for (const char c : std::string(error.what()))
      EXPECT_GE(static_cast<unsigned char>(c), 0x20) << error.what();
  }
}

}  // namespace
}  // namespace speclab::engines
