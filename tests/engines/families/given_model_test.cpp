// What people give as a model and is none, and models that do not fit into memory.

#include <gtest/gtest.h>

#include <filesystem>
#include <regex>

#include "engines/cpu/decoder_cpu.h"
#include "engines/families/catalogue.h"
#include "engines/models/memory_need.h"
#include "sim/system/errors.h"
#include "sim/system/files.h"
#include "tests/engines/formats/temporary_folder.h"

namespace speclab::engines {
namespace {

using speclab::testing::TemporaryFolder;

template <typename Failure, typename Call>
std::string words_of(const Call& call) {
  try {
    call();
  } catch (const Failure& error) {
    return error.what();
  }
  return "accepted";
}

std::string missing(const std::string& model) {
  return words_of<ConfigError>([&] {
    refuse_missing_model(
        model, {{"known"}, {"tiny-1b", "Tiny-1B-Chat, Q4_0 (MIT)", "scripts/fetch_model tiny-1b"}});
  });
}

bool says(const std::string& message, const std::string& words) {
  return message.find(words) != std::string::npos;
}

/// Defect: a name of the hub is answered with a list of other names.
TEST(GivenModels, OfAHubAreNotFetched) {
  for (const char* model : {"Qwen/Qwen2.5-0.5B", "openai-community/gpt2",
                            "https://huggingface.co/Qwen/Qwen2.5-0.5B", "hf.co/a/b"}) {
    EXPECT_TRUE(says(missing(model), "models are not fetched; download it")) << missing(model);
    EXPECT_FALSE(says(missing(model), "known")) << model;
  }
}

/// Defect: the script that brings a model of the hub is not named, or one is named that does not.
TEST(GivenModels, OfAHubNameTheScriptThatBringsThem) {
  for (const char* model :
       {"org/Tiny-1B-Chat", "other/tiny-1b-chat-GGUF", "hf.co/org/Tiny-1B-Chat"})
    EXPECT_TRUE(says(missing(model), "scripts/fetch_model tiny-1b brings it")) << missing(model);
  EXPECT_TRUE(says(missing("org/Tiny-1B"), "'hf download org/Tiny-1B --local-dir Tiny-1B'"));
}

/// Defect: a path that a shell did not expand is answered with a list of names.
TEST(GivenModels, ThatAShellShouldExpandAreToldSo) {
  EXPECT_TRUE(says(missing("$HOME/tiny"), "expanded by a shell"));
  EXPECT_TRUE(says(missing("~nobody-here/tiny"), "no home of such a user"));
}

/// Defect: it is not told where a relative path was looked for.
TEST(GivenModels, AreLookedForInTheCurrentFolder) {
  const std::string here = std::filesystem::current_path().string();
  for (const char* model : {"tiny", "./tiny/model", "a/b.gguf", "/a/b/c"}) {
    EXPECT_TRUE(says(missing(model), "in " + here.substr(0, 100))) << missing(model);
    EXPECT_TRUE(says(missing(model), "allowed names: known")) << missing(model);
  }
}

/// Defect: a name with a slip, or half a name, is answered with a list alone.
TEST(GivenModels, ThatAreNearlyNamedGetTheName) {
  for (const char* model : {"kn", "knwon"})
    EXPECT_TRUE(says(missing(model), "did you mean known?")) << missing(model);
}

/// Defect: the path of the weights is called a damaged GGUF file.
TEST(GivenModels, ThatArePartsOfAFolderNameTheFolder) {
  const TemporaryFolder folder;
  const auto refusal = [&](const std::string& name) {
    return words_of<ConfigError>([&] { open_model(folder.file(name, "{}")); });
  };
  EXPECT_TRUE(says(refusal("model.safetensors"), "a folder with config.json"));
  const std::string config = refusal("config.json");
  EXPECT_TRUE(says(config, "allowed: the folder, '" + folder.path() + "'")) << config;
  for (const char* name :
       {"model-00001-of-00002.safetensors", "model.safetensors.index.json", "tokenizer.json",
        "tokenizer.model", "pytorch_model.bin", "consolidated.00.pth", "tf_model.h5"})
    EXPECT_TRUE(says(refusal(name), "the folder, '" + folder.path() + "'")) << refusal(name);
  EXPECT_THROW(open_model(folder.file("model.gguf", "{}")), ModelFileError);
}

/// Defect: an adapter's folder is asked for a config.json that adapters do not have.
TEST(GivenModels, ThatAreAdaptersAreToldSo) {
  const TemporaryFolder folder;
  folder.file("adapter_config.json", R"({"peft_type":"LORA"})");
  const std::string words = words_of<ModelFileError>([&] { open_model(folder.path()); });
  EXPECT_TRUE(says(words, "adapter")) << words;
  const std::string weights = folder.file("adapter_model.safetensors", "");
  EXPECT_TRUE(says(words_of<ModelFileError>([&] { open_model(weights); }), "merge the adapter"));
}

/// Defect: the catalogue and the script that fetches its models name different files.
TEST(Catalogue, HasTheModelsThatTheScriptFetches) {
  const std::string table = read_file(SPECLAB_SOURCE_DIR "/scripts/packages/models.tsv");
  int num_fetched = 0;
  for (const CatalogueEntry& entry : model_catalogue()) {
    if (entry.fetched_by == "scripts/setup") continue;
    ++num_fetched;
    EXPECT_EQ(entry.fetched_by, "scripts/fetch_model " + entry.name);
    const std::string file = std::filesystem::path(entry.path).filename().string();
    const std::regex line("\n" + entry.name + "\t" + file + "\t[0-9]+\t" + entry.sha256 + "\t");
    EXPECT_TRUE(std::regex_search(table, line)) << entry.name;
  }
  EXPECT_EQ(num_fetched, 3);
}

/// Defect: a model that cannot fit is read until the system kills the program.
TEST(MemoryNeed, IsRefusedWithBothSizes) {
  const auto refusal = [](std::int64_t needed, const char* dtype, std::int64_t available) {
    return words_of<OutOfMemoryError>([&] { require_memory("m", needed, dtype, available); });
  };
  EXPECT_EQ(refusal(2'000'000'000, "bfloat16", 2'000'000'000), "accepted");
  const std::string bfloat16 = refusal(2'000'000'000, "bfloat16", 1'999'999'999);
  EXPECT_TRUE(says(bfloat16, "needs 2.0 GB in bfloat16; 2.0 GB of memory")) << bfloat16;
  const std::string float32 = refusal(4'000'000'000, "float32", 2'000'000'000);
  EXPECT_TRUE(says(float32, "needs 4.0 GB in float32; 2.0 GB")) << float32;
  EXPECT_TRUE(says(float32, "--dtype bfloat16")) << float32;
  EXPECT_NO_THROW(require_memory("m", INT64_MAX, "float32", std::nullopt));
}

/// MiB that loading a bfloat16 model with these layers needs. Its table has 64 Ki rows of 1024.
std::int64_t mebibytes_to_load(std::int32_t num_layers, int num_threads) {
  DecoderShape shape;
  shape.vocab_size = 1 << 16;
  shape.num_layers = num_layers;
  shape.hidden_size = 1024;
  shape.intermediate_size = 4096;
  shape.num_heads = shape.num_kv_heads = 8;
  shape.head_dim = 128;
  const auto weights = random_decoder_weights(shape, 1);
  return cpu::DecoderCpu::bytes_to_load(shape, *weights, cpu::ElementType::bfloat16, num_threads) >>
         20;
}

/// Defect: float32 values of the table, or of the layers that threads load at once, do not count.
/// A matrix of more than 4 MiB takes whole pages of 2 MiB and at least 8 KiB more than its values.
TEST(MemoryNeed, CountsWhatLoadingHoldsAtOnce) {
  const std::int64_t table = 128 + 2, float32_table = 256, query_key_value = 6 + 2, output = 2,
                     gate_up = 16 + 2, down = 8 + 2, float32_gate_up = 32;
  const std::int64_t layer = query_key_value + output + gate_up + down;
  EXPECT_EQ(mebibytes_to_load(2, 1), table + float32_table) << "before there is a layer";
  EXPECT_EQ(mebibytes_to_load(8, 3), table + 8 * layer + 3 * float32_gate_up);
  EXPECT_EQ(mebibytes_to_load(8, 99), table + 8 * layer + 8 * float32_gate_up);
}

/// Defect: the limit of a container is overlooked, or "max" is read as 0.
TEST(MemoryNeed, HeedsTheMachineAndItsControlGroup) {
  const TemporaryFolder root;
  for (const char* name : {"proc", "sys/fs/cgroup"}) make_folder(root.path(name));
  EXPECT_EQ(available_memory(root.path()), std::nullopt);
  root.file("proc/meminfo", "MemTotal: 9 kB\nMemAvailable:   4 kB\nSwapFree: 1 kB\n");
  EXPECT_EQ(available_memory(root.path()), 5 * 1024);
  root.file("sys/fs/cgroup/memory.max", "max\n");
  EXPECT_EQ(available_memory(root.path()), 5 * 1024);
  root.file("sys/fs/cgroup/memory.max", "3000\n");
  EXPECT_EQ(available_memory(root.path()), 3000);
}

/// Defect: what the group has taken counts as free, or pages of files that it can drop as taken.
TEST(MemoryNeed, HeedsWhatItsControlGroupHasTaken) {
  const TemporaryFolder root;
  make_folder(root.path("sys/fs/cgroup"));
  root.file("sys/fs/cgroup/memory.max", "9000\n");
  root.file("sys/fs/cgroup/memory.current", "5000\n");
  EXPECT_EQ(available_memory(root.path()), 4000);
  root.file("sys/fs/cgroup/memory.stat", "anon 2000\ninactive_file 2500\nactive_file 500\n");
  EXPECT_EQ(available_memory(root.path()), 7000);
  root.file("sys/fs/cgroup/memory.current", "12001\n");
  EXPECT_EQ(available_memory(root.path()), 0);
}

}  // namespace
}  // namespace speclab::engines
