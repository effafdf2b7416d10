#include <sys/mman.h>
#include <unistd.h>

#include <cstring>
#include <nlohmann/json.hpp>
#include <string>

#include "analysis/tables/table.h"
#include "engines/formats/gguf_file.h"
#include "engines/formats/json_file.h"
#include "experiments/bench/suite/suite.h"
#include "experiments/drivers/config/run_config.h"
#include "sim/system/errors.h"

namespace speclab::bench {
namespace {

/// Path of a file in memory with that content, for readers that open files; there until the process
/// ends.
/// @throws Error(internal) if the system gives none
std::string memory_file(const std::string& content) {
  const int descriptor = ::memfd_create("speclab-bench", MFD_CLOEXEC);
  if (descriptor < 0 ||
      ::write(descriptor, content.data(), content.size()) != static_cast<ssize_t>(content.size()))
    throw Error(ExitCode::internal, "no file in memory for a benchmark");
  return "/proc/self/fd/" + std::to_string(descriptor);
}

template <typename T>
std::string bytes_of(T value) {
  std::string bytes(sizeof(T), '\0');
  std::memcpy(bytes.data(), &value, sizeof(T));
  return bytes;
}
std::string text_bytes(const std::string& text) {
  return bytes_of<std::uint64_t>(text.size()) + text;
}

/// A header of `count` tensors of one float each, and as many strings in an array. @source GGUF
/// specification, version 3
std::string gguf_bytes(std::uint64_t count) {
  constexpr std::uint32_t kVersion = 3, kArray = 9, kString = 8, kFloat32 = 0;
  constexpr std::size_t kAlignment = 32;
  std::string bytes = "GGUF" + bytes_of(kVersion) + bytes_of(count) + bytes_of<std::uint64_t>(1);
  bytes += text_bytes("words") + bytes_of(kArray) + bytes_of(kString) + bytes_of(count);
  for (std::uint64_t i = 0; i < count; ++i) bytes += text_bytes("word number " + std::to_string(i));
  for (std::uint64_t i = 0; i < count; ++i)
    bytes += text_bytes("blk." + std::to_string(i) + ".weight") + bytes_of<std::uint32_t>(1) +
             bytes_of<std::uint64_t>(1) + bytes_of(kFloat32) +
             bytes_of<std::uint64_t>(kAlignment * i);
  bytes.resize((bytes.size() + kAlignment - 1) / kAlignment * kAlignment + kAlignment * count,
               '\0');
  return bytes;
}

std::string csv_text(int rows) {
  std::string text = "row_id,prompt_id,temperature,text,tokens\n";
  for (int i = 0; i < rows; ++i)
    text += std::to_string(i) + ",p" + std::to_string(i % 7) + ",0." + std::to_string(i % 10) +
            ",\"a \"\"quoted\"\" text, of " + std::to_string(i) + "\"," + std::to_string(3 * i) +
            "\n";
  return text;
}

std::uint64_t read_csv(const std::string& text) {
  const analysis::Table table = analysis::Table::parse(text, "rows.csv");
  Checksum checksum;
  for (std::size_t row = 0; row < table.size(); ++row)
    checksum.add(static_cast<std::uint64_t>(table.count(row, "tokens")))
        .add(table.text(row, "text").size());
  return checksum.value();
}

std::uint64_t read_gguf(const std::string& path) {
  const engines::GgufFile file = engines::GgufFile::open(path);
  return Checksum().add(file.tensors().size()).add(file.tensors().back().name.size()).value();
}

constexpr const char* kConfig = R"(# What is read.
[experiment]
kind = "decoding"
name = "read_me"
seed = 7
repetitions = 3

[target]
model = "smollm2-135m"
dtype = "bfloat16"

[axes]
temperature = [0.0, 0.5, 1.0]
drafter = ["none", "bigram", "prompt_lookup"]
policy = ["constant:4", "auto"]

[prompts]
set = "core"
per_category = 2
new_tokens = 128
)";

std::uint64_t read_config(const std::string& path) {
  const experiments::RunConfig config = experiments::read_run_config(path, {});
  return Checksum()
      .add(config.seed)
      .add(config.axes.temperature.size())
      .add_all(config.name)
      .value();
}

std::string json_text(int members) {
  std::string text = "{";
  for (int i = 0; i < members; ++i)
    text += (i ? ",\"" : "\"") + std::string("layer.") + std::to_string(i) +
            "\":{\"dtype\":\"F32\",\"shape\":[64,64],\"data_offsets\":[" + std::to_string(i) +
            ",9]}";
  return text + "}";
}

}  // namespace

void add_parsers(const Suite& suite) {
  suite.add("parsers/csv", [] { return [text = csv_text(100)] { return read_csv(text); }; });
  suite.add("parsers/gguf",
            [] { return [path = memory_file(gguf_bytes(100))] { return read_gguf(path); }; });
  suite.add("parsers/json", [] {
    return [text = json_text(50)] {
      return Checksum().add(engines::parse_json(text, "header", 0, {}).size()).value();
    };
  });
  suite.add("parsers/toml",
            [] { return [path = memory_file(kConfig)] { return read_config(path); }; });
}

}  // namespace speclab::bench
