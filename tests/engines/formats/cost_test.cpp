// What a file may cost before its tensors are asked for: little where it is small, and in proportion where it is large.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <functional>
#include <nlohmann/json.hpp>

#include "engines/formats/gguf_file.h"
#include "engines/formats/json_file.h"
#include "engines/formats/safetensors_file.h"
#include "engines/ngrams/ngram_file.h"
#include "engines/tokenizers/load_tokenizer.h"
#include "sim/core/errors.h"
#include "tests/engines/formats/gguf_bytes.h"
#include "tests/engines/formats/memory_file.h"
#include "tests/engines/formats/mutants.h"
#include "tests/engines/formats/safetensors_bytes.h"
#include "tests/support/heap_peak.h"

namespace speclab::engines {
namespace {

using namespace speclab::testing;

constexpr double kMebibyte = 1048576.0;

/// Time of this thread alone, so that neighbours on the machine count for little.
double processor_seconds() {
  timespec time = {};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

struct Cost {
  double seconds = 0, heap_bytes = 0;
};

Cost cost_of(const std::function<void()>& read) {
  const std::size_t before = heap_bytes();
  reset_heap_peak();
  const double begin = processor_seconds();
  try {
    read();
  } catch (const ModelFileError&) {
  }
  return {processor_seconds() - begin, static_cast<double>(heap_peak() - before)};
}

struct Format {
  std::string name;
  std::function<void(const std::string& path, const std::string& bytes)> read;
};

const std::vector<Format>& formats() {
  static const std::vector<Format> all = {
      {"GGUF", [](const std::string& path, const std::string&) { GgufFile::open(path); }},
      {"safetensors", [](const std::string& path, const std::string&) { SafetensorsFile::open(path); }},
      {"JSON", [](const std::string& path, const std::string&) { read_json_file(path); }},
      {"tokenizer.json", [](const std::string& path, const std::string&) { load_tokenizer_from_json(path); }},
      {"GGUF's tokenizer", [](const std::string& path, const std::string&) { load_tokenizer_from_gguf(GgufFile::open(path)); }},
      {"n-grams", [](const std::string& path, const std::string& bytes) { parse_ngrams(bytes, path); }}};
  return all;
}

/// Files of less than 1 KiB that promise the most.
std::vector<std::string> small_files() {
  const std::uint64_t big = std::uint64_t{1} << 24;
  std::vector<std::string> files = {std::string(1023, '\0'), std::string(1023, '['), std::string(1023, '{'), std::string(1023, '9'), std::string(512, '[') + std::string(511, ']'),
                                    R"({"model":{"vocab":{"a":4294967295},"merges":[]}})", "speclabN" + raw(1U) + raw(2'000'000U) + raw(5U) + raw(255U) + raw(2'000'000U) + raw((1U << 24) - 1) + raw((1U << 24) - 1) + raw(1U << 28),
                                    "speclabN" + raw(1U) + raw(2'000'000U) + raw(1U) + raw(255U) + raw(1U) + raw(1U) + raw(0U) + raw(1U) + std::string(14, '\0')};
  for (const std::uint64_t count : {big, std::uint64_t{900}, std::uint64_t{100}, std::uint64_t{1'000'000}}) {
    GgufBytes array;
    array.metadata = {metadata_entry("k", 9, raw<std::uint32_t>(0) + raw(count) + std::string(900, 'a'))};
    files.push_back(array.str());
    array.metadata = {metadata_entry("k", 9, raw<std::uint32_t>(8) + raw(count) + std::string(800, '\0'))};
    files.push_back(array.str());
    files.push_back("GGUF" + raw(3U) + raw(count) + raw(count) + std::string(900, '\1'));
    files.push_back(raw(count) + "{" + std::string(900, ' ') + "}");
  }
  return files;
}

TEST(SmallFiles, CostLittleWhateverTheyPromise) {
  MemoryFile disk;
  Cost most;
  int count = 0;
  const auto measure = [&](const std::string& bytes) {
    ASSERT_LT(bytes.size(), 1024U);
    disk.write(bytes);
    for (const Format& format : formats()) {
      const Cost cost = cost_of([&] { format.read(disk.path(), bytes); });
      EXPECT_LE(cost.heap_bytes, 16 * kMebibyte) << format.name;
      EXPECT_LE(cost.seconds, 0.05) << format.name;
      most = {std::max(most.seconds, cost.seconds), std::max(most.heap_bytes, cost.heap_bytes)};
      ++count;
    }
  };
  for (const std::string& bytes : small_files()) measure(bytes);
  const std::string seed = small_gguf().str();
  visit_fields(seed, read_gguf_slowly(seed).fields, replace_binary, measure);
  const std::string tensors = safetensors_bytes("{" + safetensors_entry("t", "F32", "[1,1]", "[0,4]") + "}", "xxxx");
  visit_fields(tensors, read_safetensors_slowly(tensors).fields, replace_in_safetensors, measure);
  std::printf("%d readings of files below 1 KiB: at most %.2f ms of processor time and %.2f MiB\n", count, 1e3 * most.seconds, most.heap_bytes / kMebibyte);
}

std::string many_tensors(int n) {
  GgufBytes file;
  for (int i = 0; i < n; ++i) file.tensors.push_back(tensor_entry("blk." + std::to_string(i), {8}, 0, 32 * static_cast<std::uint64_t>(i)));
  file.data.resize(32 * static_cast<std::size_t>(n), '\0');
  return file.str();
}

std::string many_entries(int n, const std::function<std::string(int)>& entry) {
  GgufBytes file;
  for (int i = 0; i < n; ++i) file.metadata.push_back(entry(i));
  return file.str();
}

std::string string_array(const std::string& key, int n, const std::function<std::string(int)>& text) {
  std::string texts;
  for (int i = 0; i < n; ++i) texts += raw_string(text(i));
  return metadata_entry(key, 9, raw<std::uint32_t>(8) + raw(static_cast<std::uint64_t>(n)) + texts);
}

std::string many_safetensors(int n) {
  std::string header = "{";
  for (int i = 0; i < n; ++i) header += (i == 0 ? "" : ",") + safetensors_entry("layers." + std::to_string(i), "U8", "[0]", "[0,0]");
  return safetensors_bytes(header + "}", "");
}

std::string token_name(int i) {
  std::string text;
  do text += static_cast<char>('a' + i % 26);
  while ((i /= 26) > 0);
  return text;
}

/// Token i, from 26 on, is that of its first letter and one of what follows.
std::string merge_text(int i, const char* between) { return token_name(i % 26) + between + token_name(i / 26); }

std::string tokenizer(int n) {
  std::string vocab, merges;
  for (int i = 0; i < n; ++i) vocab += (i == 0 ? "\"" : ",\"") + token_name(i) + "\":" + std::to_string(i);
  for (int i = 26; i < n; ++i) merges += (i == 26 ? "" : ",") + (i % 2 == 0 ? "\"" + merge_text(i, " ") + "\"" : "[\"" + merge_text(i, "\",\"") + "\"]");
  return R"({"pre_tokenizer":{"type":"ByteLevel","add_prefix_space":false},"model":{"vocab":{)" + vocab + "},\"merges\":[" + merges + "]}}";
}

std::string gguf_tokenizer(int n) {
  GgufBytes file;
  file.metadata = {metadata_entry("tokenizer.ggml.model", 8, raw_string("gpt2")), metadata_entry("tokenizer.ggml.pre", 8, raw_string("smollm")),
                   string_array("tokenizer.ggml.tokens", n, token_name), string_array("tokenizer.ggml.merges", n - 26, [](int i) { return merge_text(i + 26, " "); }),
                   metadata_entry("tokenizer.ggml.eos_token_id", 4, raw(std::uint32_t{0}))};
  return file.str();
}

struct Large {
  std::string name;
  std::size_t format;                    ///< of formats()
  std::function<std::string(int)> bytes;
  int n;                                 ///< of the smaller file
};

void PrintTo(const Large& large, std::ostream* out) { *out << large.name; }

std::vector<Large> large_files() {
  return {{"GgufTensors", 0, many_tensors, 10000},
          {"GgufKeys", 0, [](int n) { return many_entries(n, [](int i) { return metadata_entry(std::to_string(i), 0, "a"); }); }, 20000},
          {"GgufStrings", 0, [](int n) { return many_entries(1, [&](int) { return string_array("texts", n, [](int i) { return "t" + std::to_string(i); }); }); }, 40000},
          {"GgufBytes", 0, [](int n) { return many_entries(1, [&](int) { return metadata_entry("k", 9, raw<std::uint32_t>(0) + raw(static_cast<std::uint64_t>(n)) + std::string(static_cast<std::size_t>(n), 'a')); }); }, 800'000},
          {"Safetensors", 1, many_safetensors, 5000},
          {"JsonKeys", 2, tokenizer, 10'000},
          {"JsonDepth", 2, [](int n) { std::string all = "["; for (int i = 0; i < n; ++i) all += "[[[]]],"; return all + "1]"; }, 10000},
          {"Tokenizer", 3, tokenizer, 25'000},
          {"GgufTokenizer", 4, gguf_tokenizer, 25'000}};
}

class LargeFiles : public ::testing::TestWithParam<Large> {};

/// Of a file sixteen times as large: a cost in proportion is 16 times as large, up to 100 measured where the caches end, a quadratic one 256 times
/// and those effects above it.
TEST_P(LargeFiles, CostInProportionToTheirSize) {
  double seconds[2] = {1e9, 1e9};
  MemoryFile disk;
  const Format& format = formats()[GetParam().format];
  for (int step = 0; step < 2; ++step) {
    const std::string bytes = GetParam().bytes(GetParam().n << 4 * step);
    disk.write(bytes);
    double heap = 0;
    for (int attempt = 0; attempt < 3; ++attempt) {
      const Cost cost = cost_of([&] { format.read(disk.path(), bytes); });
      seconds[step] = std::min(seconds[step], cost.seconds);
      heap = cost.heap_bytes;
    }
    EXPECT_LE(heap, 8 * static_cast<double>(bytes.size()) + 64 * kMebibyte) << bytes.size() << " bytes";
    std::printf("%s: %.1f MiB of file, %.1f ms, %.1f MiB of memory (%.1f times the file)\n", GetParam().name.c_str(), static_cast<double>(bytes.size()) / kMebibyte,
                1e3 * seconds[step], heap / kMebibyte, heap / static_cast<double>(bytes.size()));
  }
  EXPECT_LE(seconds[1], 160 * seconds[0]);
}

INSTANTIATE_TEST_SUITE_P(, LargeFiles, ::testing::ValuesIn(large_files()), [](const auto& named) { return named.param.name; });

/// Merges that pair everything again and again: a, aa, aaaa, ...
TEST(Tokenising, CostsInProportionToARunOfOneCharacter) {
  std::string vocab = R"("a":0)", merges;
  for (int i = 1; i < 8; ++i) {
    const std::string half(std::size_t{1} << (i - 1), 'a');
    vocab += ",\"" + half + half + "\":" + std::to_string(i);
    merges += (i == 1 ? "\"" : ",\"") + half + " " + half + "\"";
  }
  MemoryFile disk;
  disk.write(R"({"pre_tokenizer":{"type":"ByteLevel","add_prefix_space":false},"model":{"vocab":{)" + vocab + "},\"merges\":[" + merges + "]}}");
  const auto tokenizer = load_tokenizer_from_json(disk.path());
  double seconds[2] = {1e9, 1e9};
  for (int step = 0; step < 2; ++step)
    for (int attempt = 0; attempt < 3; ++attempt)
      seconds[step] = std::min(seconds[step], cost_of([&] { EXPECT_EQ(tokenizer->encode(std::string(std::size_t{1} << (20 + 4 * step), 'a'), SpecialText::parsed).size(), std::size_t{8192} << 4 * step); }).seconds);
  std::printf("a megabyte of one character: %.0f ms, sixteen: %.0f ms\n", 1e3 * seconds[0], 1e3 * seconds[1]);
  EXPECT_LE(seconds[0], 1);
  EXPECT_LE(seconds[1], 23 * seconds[0]) << "16 in proportion, 256 if quadratic; 23 is four times a doubling to 2.2";
}

}  // namespace
}  // namespace speclab::engines
