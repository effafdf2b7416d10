// The faults that readers of model files have had, one file each: every one is refused, with the
// field that is wrong.

#include <gtest/gtest.h>

#include <set>

#include "engines/formats/gguf_file.h"
#include "engines/formats/safetensors_file.h"
#include "engines/interface/chat_request.h"
#include "engines/tokenizers/load_tokenizer.h"
#include "sim/system/errors.h"
#include "tests/engines/formats/gguf_bytes.h"
#include "tests/engines/formats/mutants.h"
#include "tests/engines/formats/safetensors_bytes.h"
#include "tests/engines/formats/temporary_folder.h"

namespace speclab::engines {
namespace {

using namespace speclab::testing;

constexpr std::uint64_t k2To32 = std::uint64_t{1} << 32, k2To62 = std::uint64_t{1} << 62,
                        k2To63 = std::uint64_t{1} << 63;

enum class Kind : std::uint8_t { gguf, gguf_tokenizer, safetensors, tokenizer };

struct Case {
  std::string name;
  std::string history;  ///< which fault of which reader
  Kind kind;
  std::string bytes;
  std::string error;  ///< part of the message
};

void PrintTo(const Case& one, std::ostream* out) { *out << one.name << ": " << one.history; }

std::string header(std::uint64_t tensors, std::uint64_t keys, const std::string& rest) {
  return "GGUF" + raw(3U) + raw(tensors) + raw(keys) + rest;
}
std::string entry(std::uint32_t type, const std::string& value) {
  return header(0, 1, metadata_entry("k", type, value));
}
std::string array(std::uint32_t type, std::uint64_t length, const std::string& bytes) {
  return entry(9, raw(type) + raw(length) + bytes);
}

std::string tensors(const std::vector<std::string>& entries, std::size_t data_bytes,
                    const std::vector<std::string>& metadata = {}) {
  GgufBytes file;
  file.tensors = entries;
  file.metadata = metadata;
  file.data.resize(data_bytes, '\0');
  return file.str();
}

std::string aligned(std::uint32_t alignment) {
  return tensors({tensor_entry("t", {1}, 0, 0)}, 64,
                 {metadata_entry("general.alignment", 4, raw(alignment))});
}

std::string strings(const std::vector<std::string>& texts) {
  std::string bytes = raw(8U) + raw<std::uint64_t>(texts.size());
  for (const std::string& text : texts) bytes += raw_string(text);
  return bytes;
}

std::string vocabulary(const std::vector<std::string>& tokens, std::int32_t type, std::int64_t end,
                       const std::vector<std::string>& merges = {}) {
  std::string types = raw(5U) + raw<std::uint64_t>(tokens.size());
  for (std::size_t i = 0; i < tokens.size(); ++i) types += raw(type);
  GgufBytes file;
  file.metadata = {metadata_entry("tokenizer.ggml.model", 8, raw_string("gpt2")),
                   metadata_entry("tokenizer.ggml.tokens", 9, strings(tokens)),
                   metadata_entry("tokenizer.ggml.token_type", 9, types),
                   metadata_entry("tokenizer.ggml.merges", 9, strings(merges)),
                   metadata_entry("tokenizer.ggml.eos_token_id", 11, raw(end))};
  return file.str();
}

std::vector<Case> gguf_cases() {
  return {
      {"TensorDims", "CVE-2024-21802: more dimensions than the array that holds them", Kind::gguf,
       tensors({raw_string("t") + raw(100U) + std::string(800, '\1')}, 0), "rank = 100"},
      {"StringArray",
       "CVE-2024-21825: array of strings, its length times the size of a string wraps", Kind::gguf,
       array(8, k2To62, ""), "metadata[0].length"},
      {"NumTensors", "CVE-2024-21836: number of tensors times the size of one wraps", Kind::gguf,
       header(k2To62, 0, std::string(64, '\0')), "tensor_count"},
      {"StringLength", "CVE-2024-23496: length of a string plus one wraps to 0", Kind::gguf,
       entry(8, raw(UINT64_MAX)), "metadata[0].value = length 18446744073709551615"},
      {"NumKeys", "CVE-2024-23605: number of keys times the size of one wraps", Kind::gguf,
       header(0, k2To62, std::string(64, '\0')), "metadata_count"},
      {"SumOfSizes", "CVE-2025-53630: the sum of the tensors' sizes wraps", Kind::gguf,
       tensors({tensor_entry("a", {k2To62 - 8}, 0, 0), tensor_entry("b", {8}, 0, 32)}, 64),
       "data offset"},
      {"SumPlusOverhead",
       "CVE-2026-27940: the sum fits, and wraps with what is added for the context", Kind::gguf,
       tensors({tensor_entry("a", {k2To62 - 16}, 0, 0)}, 64), "data offset"},
      {"ProductOfDims", "CVE-2026-33298: the product of the dimensions wraps to something small",
       Kind::gguf, tensors({tensor_entry("t", {k2To32 + 1, k2To32}, 0, 0)}, 64), "dimensions"},
      {"BytesOfElements", "the same for elements times bytes of one", Kind::gguf,
       tensors({tensor_entry("t", {k2To62}, 0, 0)}, 64), "tensors[0].size"},
      {"PaddingWraps", "rounding up to the alignment wraps to 0", Kind::gguf,
       tensors({tensor_entry("t", {1}, 0, UINT64_MAX - 31)}, 64), "data offset"},
      {"AlignmentWithoutBound", "an alignment of 2^31, which pads past the end of memory",
       Kind::gguf, aligned(1U << 31), "general.alignment"},
      {"AlignmentOfZero", "division by the alignment", Kind::gguf, aligned(0),
       "'general.alignment' = 0"},
      {"AlignmentNotAPower", "a mask of alignment - 1 that is none", Kind::gguf, aligned(48),
       "'general.alignment' = 48"},
      {"ZeroDimension", "division by a dimension in the check against overflow", Kind::gguf,
       tensors({tensor_entry("t", {4, 0}, 0, 0)}, 64), "dimensions = 0"},
      {"NegativeDimension", "dimensions read as signed numbers", Kind::gguf,
       tensors({tensor_entry("t", {UINT64_MAX}, 0, 0)}, 64), "dimensions"},
      {"WrongElementType", "an array of bytes read as one of strings", Kind::gguf_tokenizer,
       header(0, 2,
              metadata_entry("tokenizer.ggml.model", 8, raw_string("gpt2")) +
                  metadata_entry("tokenizer.ggml.tokens", 9,
                                 raw(0U) + raw<std::uint64_t>(4) + "abcd")),
       "an array of strings"},
      {"ByteToken", "byte token <0x-1>, which indexes at -1", Kind::gguf_tokenizer,
       vocabulary({"<0x-1>"}, 6, 0), "token_type"},
      {"ArrayOf2To63", "43 bytes that hang the Python reader", Kind::gguf, array(0, k2To63, ""),
       "length = 9223372036854775808"},
      {"LyingDims", "CVE-2026-7482: dimensions beyond the data give other memory away", Kind::gguf,
       tensors({tensor_entry("t", {1 << 20}, 0, 0)}, 64), "data offset"},
      {"NestedArrays", "arrays of arrays exhaust the stack", Kind::gguf,
       array(9, 1, array(9, 1, "")), "type = an array of arrays"},
      {"TypeOutOfRange", "a value type that indexes a table of sizes", Kind::gguf, entry(13, "a"),
       "type = 13"},
      {"TensorTypeOutOfRange", "an element type that indexes a table of block sizes", Kind::gguf,
       tensors({tensor_entry("t", {32}, 1000, 0)}, 64), "type = 1000"},
      {"RemovedTensorType", "type 4, removed, whose block size is 0: division by it", Kind::gguf,
       tensors({tensor_entry("t", {32}, 4, 0)}, 64), "type = 4"},
      {"PartialBlock", "a row that is no whole number of blocks reads behind the last", Kind::gguf,
       tensors({tensor_entry("t", {33}, 8, 0)}, 128), "rows of 33"},
      {"DuplicateKey", "the second of two equal keys wins in one reader, the first in another",
       Kind::gguf, header(0, 2, metadata_entry("k", 0, "a") + metadata_entry("k", 0, "b")),
       "'k' again"},
      {"DuplicateTensor", "the same for tensors", Kind::gguf,
       tensors({tensor_entry("t", {1}, 0, 0), tensor_entry("t", {1}, 0, 32)}, 64), "'t' again"},
      {"LongTensorName", "a name copied into a buffer of 64 bytes", Kind::gguf,
       tensors({tensor_entry(std::string(64, 'n'), {1}, 0, 0)}, 64), "name = length 64"},
      {"OverlappingTensors", "two tensors that share their data", Kind::gguf,
       tensors({tensor_entry("a", {16}, 0, 0), tensor_entry("b", {1}, 0, 32)}, 64), "overlaps"},
      {"UnalignedOffset", "data read at an address that its type does not allow", Kind::gguf,
       tensors({tensor_entry("t", {1}, 0, 1)}, 64), "offset = 1"},
      {"BadBool", "a bool of 2, undefined where it is read as one", Kind::gguf, entry(7, "\2"),
       "bool 2"},
      {"OldVersion", "version 1, whose lengths have 32 bits, read as 64", Kind::gguf,
       "GGUF" + raw(1U) + std::string(64, '\0'), "version = 1"},
      {"OtherByteOrder", "a big-endian file, whose counts become huge", Kind::gguf,
       "GGUF" + raw(0x03000000U) + std::string(64, '\0'), "big-endian"},
      {"EndTokenOutside", "a special token's id that indexes behind the vocabulary",
       Kind::gguf_tokenizer, vocabulary({"a"}, 1, k2To32), "eos_token_id"},
      {"NegativeEndToken", "the same before its beginning", Kind::gguf_tokenizer,
       vocabulary({"a"}, 1, -2), "eos_token_id"},
      {"MergeWithoutBlank",
       "the second half of a merge taken from behind a blank that is not there",
       Kind::gguf_tokenizer, vocabulary({"a", "aa"}, 1, 0, {"aa"}), "merges"},
  };
}

std::vector<Case> safetensors_cases() {
  const auto file = [](const std::string& entries, std::size_t data) {
    return safetensors_bytes("{" + entries + "}", std::string(data, 'x'));
  };
  const auto bytes = [](const std::string& name, const std::string& offsets) {
    return safetensors_entry(name, "U8", "[4]", offsets);
  };
  return {
      {"HeaderBomb", "a header length of 2^62 asked for at once", Kind::safetensors,
       raw(k2To62) + "{}", "header length"},
      {"Hole", "bytes that belong to no tensor carry another file: polyglots", Kind::safetensors,
       file(bytes("a", "[0,4]") + "," + bytes("b", "[8,12]"), 12), "no hole"},
      {"Trailer", "the same behind the last tensor", Kind::safetensors,
       file(bytes("a", "[0,4]"), 400), "4, as the header says"},
      {"Overlap", "many tensors over the same bytes: a small file that needs huge memory",
       Kind::safetensors, file(bytes("a", "[0,4]") + "," + bytes("b", "[0,4]"), 4), "no overlap"},
      {"LeadingBytes", "a header that does not begin with {, so that another format's magic fits",
       Kind::safetensors, safetensors_bytes(" {}", ""), "begins with {"},
      {"ZeroByte", "a zero byte ends the header for C readers, and hides what follows",
       Kind::safetensors, safetensors_bytes(std::string("{}\0{}", 5), ""), "zero byte"},
      {"DuplicateName", "keys that come twice, of which parsers keep either", Kind::safetensors,
       file(bytes("a", "[0,4]") + "," + bytes("a", "[0,4]"), 4), "'a' again"},
      {"DuplicateField", "the same inside a tensor", Kind::safetensors,
       file(R"("a":{"dtype":"U8","dtype":"F64","shape":[4],"data_offsets":[0,4]})", 4),
       "'dtype' again"},
      {"ShapeWraps", "the product of the shape wraps to the size of the data", Kind::safetensors,
       file(safetensors_entry("a", "U8", "[4611686018427387905,4]", "[0,4]"), 4), "a.shape"},
      {"BytesWrap", "elements times their size wrap to 0", Kind::safetensors,
       file(safetensors_entry("a", "F64", "[2305843009213693952]", "[0,0]"), 0), "data_offsets"},
      {"OffsetsReversed", "an end before the begin becomes a huge length", Kind::safetensors,
       file(bytes("a", "[4,0]"), 4), "data_offsets"},
      {"MetadataObject", "metadata that is no text, evaluated by whoever shows it",
       Kind::safetensors, file(R"("__metadata__":{"format":{"pt":1}})", 0), "__metadata__.format"},
      {"DeepHeader", "nested values exhaust the stack", Kind::safetensors,
       file("\"a\":" + std::string(100000, '['), 0), "nesting"},
      {"HalfBytes", "types of four bits whose sizes do not fill bytes", Kind::safetensors,
       file(safetensors_entry("a", "F4", "[3]", "[0,2]"), 2), "a.dtype"},
      {"FloatSize", "a size of 4.0, cut to a whole number", Kind::safetensors,
       file(safetensors_entry("a", "U8", "[4.0]", "[0,4]"), 4), "a.shape[0]"},
      {"Surrogate", "half a character in a name, which readers write differently",
       Kind::safetensors, file(bytes(R"(\ud800)", "[0,4]"), 4), "JSON"},
  };
}

std::string tokenizer(const std::string& pre_tokenizer, const std::string& model) {
  return R"({"pre_tokenizer":)" + pre_tokenizer + R"(,"model":)" + model + "}";
}

std::vector<Case> tokenizer_cases() {
  const std::string bytes = R"({"type":"ByteLevel","add_prefix_space":false})",
                    one = R"({"vocab":{"a":0},"merges":[]})";
  return {
      {"HugeId", "an id of 2^32 - 1 makes an array of that length", Kind::tokenizer,
       tokenizer(bytes, R"({"vocab":{"a":4294967295},"merges":[]})"), "4294967295"},
      {"HugeAddedId", "the same among the added tokens", Kind::tokenizer,
       R"({"added_tokens":[{"id":4294967295,"content":"x"}],"model":)" + one + "}",
       "added_tokens[0].id"},
      {"SharedId", "two tokens of one id, of which decoders keep either", Kind::tokenizer,
       tokenizer(bytes, R"({"vocab":{"a":0,"b":0},"merges":[]})"), "id 0"},
      {"UnknownMerge", "a merge into a token that is not there", Kind::tokenizer,
       tokenizer(bytes, R"({"vocab":{"a":0},"merges":["a a"]})"), "merges"},
      {"Normalizer", "a normalizer of the file that nobody knows", Kind::tokenizer,
       R"({"normalizer":{"type":"Run","content":"x"},"model":)" + one + "}", "normalizer"},
      {"DeepTokenizer", "nested values exhaust the stack", Kind::tokenizer,
       std::string(100000, '['), "nesting"},
  };
}

std::vector<Case> cases() {
  std::vector<Case> all = gguf_cases();
  for (const auto& more : {safetensors_cases(), tokenizer_cases()})
    all.insert(all.end(), more.begin(), more.end());
  return all;
}

void open(Kind kind, const std::string& path) {
  switch (kind) {
    case Kind::gguf:
      GgufFile::open(path);
      return;
    case Kind::gguf_tokenizer:
      load_tokenizer_from_gguf(GgufFile::open(path));
      return;
    case Kind::safetensors:
      SafetensorsFile::open(path);
      return;
    case Kind::tokenizer:
      load_tokenizer_from_json(path);
      return;
  }
}

class ReaderHistory : public ::testing::TestWithParam<Case> {};

TEST_P(ReaderHistory, IsRefused) {
  const TemporaryFolder folder;
  const std::string path = folder.file("history", GetParam().bytes);
  try {
    open(GetParam().kind, path);
    FAIL() << "accepted: " << GetParam().history;
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::bad_model_file) << error.what();
    EXPECT_EQ(fault_of_message(error.what()), "") << error.what();
    EXPECT_NE(std::string(error.what()).find(GetParam().error), std::string::npos) << error.what();
  }
}

INSTANTIATE_TEST_SUITE_P(, ReaderHistory, ::testing::ValuesIn(cases()),
                         [](const auto& named) { return named.param.name; });

TEST(ReaderHistories, AreAtLeastFortyAndAllDifferent) {
  std::set<std::string> files;
  for (const Case& one : cases()) files.insert(one.bytes);
  EXPECT_EQ(files.size(), cases().size());
  EXPECT_GE(files.size(), 40U);
}

/// tokenizers PR 2060: a regular expression of the file takes exponential time. Here it ends with
/// an error.
TEST(ReaderHistories, PatternsEndInBoundedTime) {
  const TemporaryFolder folder;
  const std::string bytes = R"({"type":"ByteLevel","add_prefix_space":false,"use_regex":false})";
  const std::string split =
      R"({"type":"Split","pattern":{"Regex":"(a+)+$"},"behavior":"Isolated","invert":false})";
  const auto loaded = load_tokenizer_from_json(
      folder.file("tokenizer.json",
                  tokenizer(R"({"type":"Sequence","pretokenizers":[)" + split + "," + bytes + "]}",
                            R"({"vocab":{"a":0,"b":1},"merges":[]})")));
  EXPECT_EQ(loaded->encode("aaaa", SpecialText::parsed).size(), 4U);
  EXPECT_THROW(loaded->encode(std::string(60, 'a') + "b", SpecialText::parsed), ModelFileError);
}

/// CVE-2024-34359: a chat template that reaches Python's classes runs any code. Here it gets
/// nothing but an error.
TEST(ReaderHistories, TemplatesReachNoCode) {
  const TemporaryFolder folder;
  folder.file("chat_template.jinja", "{{ ''.__class__.__mro__[1].__subclasses__() }}");
  const std::string path =
      folder.file("tokenizer.json", tokenizer(R"({"type":"ByteLevel","add_prefix_space":false})",
                                              R"({"vocab":{"a":0},"merges":[]})"));
  const auto loaded = load_tokenizer_from_json(path);
  EXPECT_TRUE(loaded->has_chat_template());
  EXPECT_THROW(loaded->apply_chat_template(ChatRequest::of_user("a")), ConfigError);
}

}  // namespace
}  // namespace speclab::engines
