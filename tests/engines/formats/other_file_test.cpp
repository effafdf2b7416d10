// Files and folders that people give by mistake: each is named, with what to give instead.

#include <gtest/gtest.h>

#include <filesystem>

#include "engines/formats/checkpoint_folder.h"
#include "engines/formats/gguf_file.h"
#include "engines/formats/input_file.h"
#include "sim/system/errors.h"
#include "sim/system/files.h"
#include "tests/engines/formats/safetensors_bytes.h"
#include "tests/engines/formats/temporary_folder.h"

namespace speclab::engines {
namespace {

using namespace speclab::testing;

template <typename Read>
std::string message_of(const Read& read) {
  try {
    read();
  } catch (const ModelFileError& error) {
    return error.what();
  }
  return "accepted";
}

void expect_words(const std::string& message, const std::vector<std::string>& words) {
  for (const std::string& word : words)
    EXPECT_NE(message.find(word), std::string::npos) << word << " in: " << message;
  EXPECT_EQ(message.find("undamaged"), std::string::npos) << message;
}

const std::string kPointer =
    "version https://git-lfs.github.com/spec/v1\noid sha256:0123\nsize 269060552\n";

/// Defect: a pointer, an archive or a web page counts as a damaged model, and the reader is sent
/// for another copy of it.
TEST(OtherFiles, AreNamedByEveryReader) {
  const std::string rest(600, 'x');
  const std::vector<std::pair<std::string, std::vector<std::string>>> files = {
      {kPointer, {"git-lfs", "git lfs pull"}},
      {"PK\x03\x04" + rest, {"zip archive", "convert"}},
      {"\x80\x02}q" + rest, {"pickle", "convert"}},
      {"\n<!DOCTYPE HTML><html>" + rest, {"web page", "download"}},
      {"<html lang=en>" + rest, {"web page", "download"}},
      {"\x1f\x8b\x08" + rest, {"gzip", "unpack"}},
      {"tjgg" + rest, {"GGML", "convert"}}};
  for (const auto& [bytes, words] : files) {
    const TemporaryFolder folder;
    const std::string path = folder.file("file", bytes);
    expect_words(message_of([&] { SafetensorsFile::open(path); }), words);
    expect_words(message_of([&] { GgufFile::open(path); }), words);
    expect_words(message_of([&] { read_json_file(path); }), words);
  }
}

/// Defect: a file of the other format is called damaged.
TEST(OtherFiles, AreNamedWhereTheFormatsAreMistaken) {
  const TemporaryFolder folder;
  const std::string tensors =
      folder.file("model.gguf",
                  safetensors_bytes("{" + safetensors_entry("t", "U8", "[1]", "[0,1]") + "}", "x"));
  expect_words(message_of([&] { GgufFile::open(tensors); }), {"a safetensors file", "folder"});
  const std::string gguf = folder.file("model.safetensors", "GGUF" + std::string(100, '\3'));
  expect_words(message_of([&] { SafetensorsFile::open(gguf); }), {"a GGUF file", "path"});
}

/// Defect: bytes of no known kind are given a kind.
TEST(OtherFiles, LeaveUnknownBytesToTheirReader) {
  for (const char* bytes : {"", "x", "version 2", "PK", "{\"a\":1}", "   "})
    EXPECT_FALSE(other_file(bytes)) << bytes;
}

class OtherFolders : public ::testing::Test {
 protected:
  std::string refusal() {
    return message_of([&] { refuse_other_folder(folder_.path()); });
  }

  TemporaryFolder folder_;
};

/// Defect: an adapter is looked for weights, or its neighbour's weights are used without it.
TEST_F(OtherFolders, AreAdapters) {
  folder_.file("adapter_config.json", R"({"peft_type":"LORA","base_model_name_or_path":"a/b"})");
  expect_words(refusal(), {"an adapter (LORA) of the model a/b", "merge"});
  folder_.file("config.json", "{}");
  expect_words(refusal(), {"adapter"});
}

/// Defect: weights that another tool quantised are read as they lie there.
TEST_F(OtherFolders, AreQuantised) {
  for (const auto& [config, words] : std::vector<std::pair<std::string, std::string>>{
           {R"({"quantization_config":{"quant_method":"fp8"}})", "quantization_config = fp8"},
           {R"({"quantization_config":{"load_in_4bit":true,"bits":4}})", "bits 4"},
           {R"({"quantization":{"group_size":64,"bits":4}})", "quantization = bits 4"},
           {R"({"quantization_config":"awq"})", "quantization_config = awq"}}) {
    folder_.file("config.json", config);
    expect_words(refusal(), {words, "quant", "U32", "GGUF file"});
  }
  folder_.file("config.json", R"({"quantization_config":null,"quantization":{}})");
  EXPECT_EQ(refusal(), "accepted");
  folder_.file("quantize_config.json", "{}");
  expect_words(refusal(), {"quantize_config.json = in the folder"});
}

/// Defect: a folder without config.json gets the same words whatever lies in it.
TEST_F(OtherFolders, LackAConfig) {
  expect_words(refusal(), {"config.json = missing", "check the path"});
  folder_.file("params.json", "{}");
  expect_words(refusal(), {"maker's own layout"});
  folder_.file("b.gguf", "");
  folder_.file("a.gguf", "");
  expect_words(refusal(), {"GGUF file in it: a.gguf"});
  make_folder(folder_.path("models--org--tiny/snapshots/89ab"));
  expect_words(refusal(), {"give a snapshot of one model: models--org--tiny/snapshots/89ab"});
  make_folder(folder_.path("snapshots/0123"));
  make_folder(folder_.path("snapshots/4567"));
  expect_words(refusal(), {"snapshots/0123"});
  make_folder(folder_.path("refs"));
  folder_.file("refs/main", "4567");
  expect_words(refusal(), {"snapshots/4567"});
}

/// Defect: weights in another format are called missing, or the way to use them is another's.
TEST_F(OtherFolders, LackWeightsThatAreRead) {
  folder_.file("config.json", "{}");
  const auto opened = [&] { return message_of([&] { CheckpointFolder::open(folder_.path()); }); };
  expect_words(opened(), {"weights = missing", "download model.safetensors"});
  for (const auto& [name, words] : std::vector<std::pair<std::string, std::string>>{
           {"flax_model.msgpack", "Flax"},
           {"pytorch_model.bin", "pickle, which is not read"},
           {"tiny.gguf", "give the path of that file"},
           {"weights.safetensors", "name the file of all weights model.safetensors"},
           {"consolidated.safetensors", "maker's own layout"},
           {"model-00001-of-00002.safetensors", "download model.safetensors.index.json too"}}) {
    folder_.file(name, "");
    expect_words(opened(), {"weights = " + name, words});
  }
}

/// Defect: a checkpoint is opened without a look at the kind of its folder.
TEST_F(OtherFolders, AreRefusedByTheReaderToo) {
  folder_.file("config.json", R"({"quantization":{"bits":8}})");
  expect_words(message_of([&] { CheckpointFolder::open(folder_.path()); }), {"bits 8"});
}

/// Defect: a place is named where there is none.
TEST(Advice, NamesNoByteOfAFaultOfTheWholeFile) {
  const TemporaryFolder folder;
  const std::string whole = message_of([&] { read_json_file(folder.path("none")); });
  EXPECT_EQ(whole.find("byte"), std::string::npos) << whole;
  const std::string inside = message_of([&] { read_json_file(folder.file("a", "{\"a\": ?")); });
  EXPECT_NE(inside.find(": byte 7: JSON = "), std::string::npos) << inside;
}

/// Defect: another copy is advised for a sound file that is not supported, or none for a damaged
/// one.
TEST(Advice, OfAnotherCopyStandsBehindDamagedFilesOnly) {
  const TemporaryFolder folder;
  const auto advises_copy = [](const std::string& message) {
    return message.find("undamaged copy") != std::string::npos;
  };
  const std::string cut = message_of([&] { read_json_file(folder.file("a", "{\"a\": 1")); });
  EXPECT_TRUE(advises_copy(cut)) << cut;
  const std::string short_header =
      message_of([&] { SafetensorsFile::open(folder.file("b", "\3")); });
  EXPECT_TRUE(advises_copy(short_header)) << short_header;
  const std::string ends_early = message_of([&] { GgufFile::open(folder.file("c", "GGUF\3")); });
  EXPECT_TRUE(advises_copy(ends_early)) << ends_early;
  const std::string new_type = message_of([&] {
    SafetensorsFile::open(folder.file(
        "d",
        safetensors_bytes("{" + safetensors_entry("t", "F8_E8M0", "[1]", "[0,1]") + "}", "x")));
  });
  EXPECT_FALSE(advises_copy(new_type)) << new_type;
  const nlohmann::json root = {{"hidden_act", "square"}};
  const std::string value =
      message_of([&] { JsonNode(root, "config.json").at("hidden_act").as_integer(0, 1); });
  EXPECT_FALSE(advises_copy(value)) << value;
}

}  // namespace
}  // namespace speclab::engines
