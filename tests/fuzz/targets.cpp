#include "tests/fuzz/targets.h"

#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "engines/formats/checkpoint_folder.h"
#include "engines/formats/gguf_file.h"
#include "engines/ngrams/ngram_file.h"
#include "engines/templates/template.h"
#include "engines/tokenizers/load_tokenizer.h"
#include "sim/system/errors.h"
#include "tests/engines/formats/memory_file.h"
#include "tests/engines/formats/temporary_folder.h"
#include "tests/fuzz/constraint_targets.h"
#include "tests/fuzz/experiment_targets.h"
#include "tests/fuzz/model_targets.h"
#include "tests/fuzz/request_targets.h"
#include "tests/fuzz/seeds.h"

namespace speclab::fuzz {
namespace {

using namespace speclab::engines;
using speclab::testing::MemoryFile;
using speclab::testing::TemporaryFolder;

const std::string& path_of(const std::string& bytes) {
  static MemoryFile disk;
  static const std::string path = disk.path();
  disk.write(bytes);
  return path;
}

void read_all(const WeightSource& source) {
  for (const TensorInfo& tensor : source.tensors()) {
    try {
      require(
          source.read_float32(tensor.name).size() == static_cast<std::size_t>(tensor.num_elements),
          "as many values as the shape says");
    } catch (const ModelFileError&) {
      require(tensor.dtype != "F32" && tensor.dtype != "F16" && tensor.dtype != "BF16",
              "floats of a checked file can be read");
    }
  }
}

void read_gguf(const std::string& bytes) try {
  const GgufFile file = GgufFile::open(path_of(bytes));
  read_all(file);
  load_tokenizer_from_gguf(file)->encode("ab <|end|>\xff", SpecialText::parsed);
} catch (const ModelFileError&) {
}

void read_safetensors(const std::string& bytes) try {
  read_all(SafetensorsFile::open(path_of(bytes)));
} catch (const ModelFileError&) {
}

void read_tokenizer(const std::string& bytes) try {
  const auto tokenizer = load_tokenizer_from_json(path_of(bytes));
  const std::vector<Token> ids = tokenizer->encode("ab 11<s>\xff", SpecialText::parsed);
  for (const Token id : ids)
    require(id >= 0 && id < tokenizer->vocab_size(), "ids of the vocabulary");
  tokenizer->decode(ids);
} catch (const ModelFileError&) {
}

/// Limits a hundred times smaller than usual let the fuzzer reach each of them.
void read_template(const std::string& bytes) try {
  const templates::Limits limits{.steps = 200'000,
                                 .output_bytes = 1 << 18,
                                 .made_bytes = 1 << 22,
                                 .text_bytes = 1 << 16,
                                 .range_items = 1000,
                                 .evaluation_depth = 300};
  const nlohmann::ordered_json variables = {
      {"messages", {{{"role", "user"}, {"content", "a\u00e9"}}, {{"role", "x"}, {"n", 1.5}}}},
      {"bos_token", "<s>"},
      {"tools", nullptr}};
  const std::string text =
      templates::Template(bytes, limits)
          .render(variables, {.limits = limits,
                              .strftime_now = [](const std::string& format) { return format; }});
  require(text.size() <= limits.output_bytes, "a text within its limit");
} catch (const templates::TemplateError& error) {
  require(error.line() >= 1, "an error with a line");
}

void read_sentencepiece(const std::string& bytes) try {
  const auto tokenizer = load_tokenizer_from_sentencepiece(path_of(bytes));
  for (const Token id : tokenizer->encode("ab <s>\xff\u2167", SpecialText::parsed))
    require(id >= 0 && id < tokenizer->vocab_size(), "ids of the vocabulary");
} catch (const ModelFileError&) {
}

/// A folder with a good tokenizer.json; the input is the files beside it, parted by zero bytes.
void read_token_files(const std::string& bytes) try {
  static const TemporaryFolder folder(testing::memory_folder());
  static const std::string path = folder.file("tokenizer.json", tokenizer_seeds().front());
  std::size_t begin = 0;
  for (const char* name : kTokenFiles) {
    const std::size_t end = std::min(bytes.find('\0', begin), bytes.size());
    folder.file(name, bytes.substr(begin, end - begin));
    begin = std::min(end + 1, bytes.size());
  }
  load_tokenizer_from_json(path)->encode_whole("ab <s>");
} catch (const ModelFileError&) {
}

/// A folder with one good shard; the input is its config.json, a zero byte, and its index.
void read_checkpoint(const std::string& bytes) try {
  static const TemporaryFolder folder(testing::memory_folder());
  static const bool has_shard = (folder.file("one.safetensors", safetensors_seeds().front()), true);
  require(has_shard, "a shard");
  const std::size_t zero = std::min(bytes.find('\0'), bytes.size());
  std::ofstream(folder.path("config.json"), std::ios::binary) << bytes.substr(0, zero);
  std::ofstream(folder.path("model.safetensors.index.json"), std::ios::binary)
      << bytes.substr(std::min(zero + 1, bytes.size()));
  read_all(CheckpointFolder::open(folder.path()));
} catch (const ModelFileError&) {
}

/// The second of two parts is the input.
void read_gguf_parts(const std::string& bytes) try {
  static const TemporaryFolder folder(testing::memory_folder());
  static const std::string first = folder.file("m-00001-of-00002.gguf", gguf_part_seeds().front());
  std::ofstream(folder.path("m-00002-of-00002.gguf"), std::ios::binary) << bytes;
  read_all(GgufFile::open(first));
} catch (const ModelFileError&) {
}

/// The input is what says that a folder is an adapter.
void read_adapter(const std::string& bytes) try {
  static const TemporaryFolder folder(testing::memory_folder());
  std::ofstream(folder.path("adapter_config.json"), std::ios::binary) << bytes;
  refuse_other_folder(folder.path());
  require(false, "an adapter is refused");
} catch (const ModelFileError&) {
}

void read_ngrams(const std::string& bytes) try {
  const NgramModel model = parse_ngrams(bytes, "ngram.bin");
  std::vector<LawEntry<float>> successors;
  model.most_likely(std::vector<Token>{0, 0, 0}, successors);
} catch (const ModelFileError&) {
}

}  // namespace

void require(bool condition, const char* what) {
  if (!condition) throw std::logic_error(what);
}

const std::vector<Target>& targets() {
  static const std::vector<Target> all{{"gguf", read_gguf, gguf_seeds},
                                       {"gguf_model", read_gguf_model, gguf_model_seeds},
                                       {"shape", read_shape, shape_seeds},
                                       {"safetensors", read_safetensors, safetensors_seeds},
                                       {"regex", read_constraint_regex, regex_seeds},
                                       {"json_schema", read_constraint_schema, schema_seeds},
                                       {"tokenizer", read_tokenizer, tokenizer_seeds},
                                       {"template", read_template, template_seeds},
                                       {"sentencepiece", read_sentencepiece, sentencepiece_seeds},
                                       {"token_files", read_token_files, token_file_seeds},
                                       {"checkpoint", read_checkpoint, checkpoint_seeds},
                                       {"gguf_parts", read_gguf_parts, gguf_part_seeds},
                                       {"adapter", read_adapter, adapter_seeds},
                                       {"ngrams", read_ngrams, ngram_seeds},
                                       {"config", read_config, config_seeds},
                                       {"journal", read_journal, journal_seeds},
                                       {"experiment", read_experiment, experiment_seeds},
                                       {"run_folder", read_run_folder, run_folder_seeds},
                                       {"tables", read_tables, table_seeds},
                                       {"prompts", read_prompts, prompt_seeds},
                                       {"generation", read_generation, generation_seeds},
                                       {"bridge", read_bridge, bridge_seeds}};
  return all;
}

const Target& target(const std::string& name) {
  for (const Target& one : targets())
    if (one.name == name) return one;
  throw std::out_of_range("no target " + name);
}

}  // namespace speclab::fuzz
