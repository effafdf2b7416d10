#include "engines/formats/checkpoint_folder.h"

#include <gtest/gtest.h>

#include "engines/formats/gguf_file.h"
#include "engines/formats/safetensors_writer.h"
#include "engines/ngrams/ngram_file.h"
#include "engines/tokenizers/load_tokenizer.h"
#include "sim/system/errors.h"
#include "tests/engines/formats/temporary_folder.h"

namespace speclab::engines {
namespace {

using testing::TemporaryFolder;

class CheckpointFolderTest : public ::testing::Test {
 protected:
  void write_weights(const std::string& file, const std::string& tensor) {
    const TensorToWrite tensors[] = {{tensor, {2}, values_}};
    write_safetensors(folder_.path(file), tensors);
  }
  void write_index(const std::string& weight_map) {
    folder_.file("model.safetensors.index.json",
                 "{\"metadata\":{},\"weight_map\":" + weight_map + "}");
  }

  TemporaryFolder folder_;
  const std::vector<float> values_ = {1.0F, 2.0F};
};

TEST_F(CheckpointFolderTest, ReadsOneFile) {
  folder_.file(
      "config.json",
      R"({"model_type":"llama","hidden_size":576,"rope_theta":1e5,"tie_word_embeddings":true})");
  write_weights("model.safetensors", "a");
  const CheckpointFolder checkpoint = CheckpointFolder::open(folder_.path());
  EXPECT_EQ(checkpoint.config().at("hidden_size").as_integer(1, 1 << 20), 576);
  EXPECT_EQ(checkpoint.config().at("rope_theta").as_number(), 1e5);
  EXPECT_TRUE(checkpoint.config().at("tie_word_embeddings").as_bool());
  EXPECT_EQ(checkpoint.read_float32("a"), values_);
  EXPECT_EQ(checkpoint.weight_paths(), std::vector<std::string>{folder_.path("model.safetensors")});
  EXPECT_EQ(checkpoint.tokenizer_path(), std::nullopt);
}

TEST_F(CheckpointFolderTest, ReadsShards) {
  folder_.file("config.json", "{}");
  write_weights("model-00001-of-00002.safetensors", "a");
  write_weights("model-00002-of-00002.safetensors", "b");
  write_index(R"({"a":"model-00001-of-00002.safetensors","b":"model-00002-of-00002.safetensors"})");
  const CheckpointFolder checkpoint = CheckpointFolder::open(folder_.path());
  EXPECT_EQ(checkpoint.tensors().size(), 2U);
  EXPECT_EQ(checkpoint.read_float32("b"), values_);
  EXPECT_THROW(checkpoint.read_float32("c"), ModelFileError);
}

TEST_F(CheckpointFolderTest, ErrorsNameTheConfigsField) {
  folder_.file("config.json", R"({"hidden_size":"wide"})");
  write_weights("model.safetensors", "a");
  const CheckpointFolder checkpoint = CheckpointFolder::open(folder_.path());
  try {
    checkpoint.config().at("hidden_size").as_integer(1, 100);
    FAIL() << "no error";
  } catch (const ModelFileError& error) {
    EXPECT_NE(std::string(error.what()).find("config.json: hidden_size = "), std::string::npos)
        << error.what();
  }
  EXPECT_THROW(checkpoint.config().at("num_layers"), ModelFileError);
}

TEST_F(CheckpointFolderTest, RefusesFoldersWithoutTheirParts) {
  EXPECT_THROW(CheckpointFolder::open(folder_.path()), ModelFileError);
  folder_.file("config.json", "{}");
  folder_.file("pytorch_model.bin", "\x80\x02}q.");
  EXPECT_THROW(CheckpointFolder::open(folder_.path()), ModelFileError);
}

TEST_F(CheckpointFolderTest, RefusesALinkToItself) {
  folder_.file("config.json", "{}");
  std::filesystem::create_symlink("model.safetensors", folder_.path("model.safetensors"));
  EXPECT_THROW(CheckpointFolder::open(folder_.path()), ModelFileError);
}

TEST_F(CheckpointFolderTest, RefusesIndexesThatContradictTheShards) {
  folder_.file("config.json", "{}");
  write_weights("one.safetensors", "a");
  write_weights("two.safetensors", "a");
  for (const char* map :
       {R"({"a":"one.safetensors","b":"one.safetensors"})",
        R"({"a":"one.safetensors","b":"two.safetensors"})", R"({"a":"missing.safetensors"})",
        R"({"a":7})", R"(["one.safetensors"])"}) {
    write_index(map);
    EXPECT_THROW(CheckpointFolder::open(folder_.path()), ModelFileError) << map;
  }
}

TEST_F(CheckpointFolderTest, RefusesShardNamesThatLeaveTheFolder) {
  const TemporaryFolder outside;
  const TensorToWrite tensors[] = {{"a", {2}, values_}};
  write_safetensors(outside.path("x.safetensors"), tensors);
  folder_.file("config.json", "{}");
  const std::string sibling = std::filesystem::path(outside.path()).filename().string();
  const std::vector<std::string> names = {outside.path("x.safetensors"),
                                          "../" + sibling + "/x.safetensors",
                                          "./../" + sibling + "/x.safetensors",
                                          "a/../../" + sibling + "/x.safetensors",
                                          "..",
                                          ".",
                                          "",
                                          "a/b",
                                          "./x.safetensors",
                                          "x.safetensors/",
                                          "a\\\\b",
                                          "..\\\\x.safetensors",
                                          "C:\\\\x.safetensors",
                                          "x\\u0000.safetensors",
                                          "~/x",
                                          "/dev/zero",
                                          "/proc/self/mem",
                                          "file:///etc/passwd",
                                          "https://example.org/x.safetensors",
                                          "//host/share/x",
                                          "$HOME/x"};
  EXPECT_GE(names.size(), 20U);
  for (const std::string& name : names) {
    write_index("{\"a\":\"" + name + "\"}");
    EXPECT_THROW(CheckpointFolder::open(folder_.path()), ModelFileError) << name;
  }
}

/// Defect: a model as huggingface_hub leaves it in its cache is refused, for its shards are links
/// that leave the folder.
TEST_F(CheckpointFolderTest, TakesTheLinksOfTheHubsCache) {
  const std::string blobs = folder_.path("blobs"), snapshot = folder_.path("snapshots/0123");
  make_folder(blobs);
  make_folder(snapshot);
  write_file(blobs + "/config", "{}");
  const TensorToWrite a[] = {{"a", {2}, values_}}, b[] = {{"b", {2}, values_}};
  write_safetensors(blobs + "/one", a);
  write_safetensors(blobs + "/two", b);
  write_file(blobs + "/index", R"({"weight_map":{"a":"1.safetensors","b":"2.safetensors"}})");
  for (const auto& [blob, link] : {std::pair{"config", "config.json"},
                                   {"index", "model.safetensors.index.json"},
                                   {"one", "1.safetensors"},
                                   {"two", "2.safetensors"}})
    std::filesystem::create_symlink(std::string("../../blobs/") + blob, snapshot + "/" + link);
  const CheckpointFolder checkpoint = CheckpointFolder::open(snapshot);
  EXPECT_EQ(checkpoint.read_float32("b"), values_);
  EXPECT_EQ(checkpoint.weight_paths().size(), 2u);
}

/// Defect: a copy of the hub's cache by a tool without links is read as text, or a file of another
/// text decides what is opened.
TEST_F(CheckpointFolderTest, FollowsLinksThatBecameTexts) {
  const std::string digest(40, 'a'), sha256(64, 'b');
  for (const char* name : {"blobs", "snapshots/0123"}) make_folder(folder_.path(name));
  write_file(folder_.path("blobs/" + digest), "{\"a\": 1}");
  write_file(folder_.path("blobs/" + sha256), "{\"a\": 2}");
  const auto read = [&](const std::string& text) {
    return read_json_file(folder_.file("snapshots/0123/config.json", text)).at("a").get<int>();
  };
  EXPECT_EQ(read("../../blobs/" + digest), 1);
  EXPECT_EQ(read("../../blobs/" + sha256), 2);
  for (const std::string& text :
       {"../../blobs/" + digest + "\n", "../../blobs/../blobs/" + digest.substr(9),
        "../../../../../etc/passwd" + std::string(30, ' '), "../../blobs/" + digest + "c",
        "../blobs/" + digest + "aaa", "../../blobs/" + std::string(40, 'A')})
    EXPECT_THROW(read(text), ModelFileError) << text;
  EXPECT_THROW(read("../../blobs/" + std::string(40, 'c')), ModelFileError) << "no such blob";
}

/// Defect: a download that stopped between two shards is told by the first name alone.
TEST_F(CheckpointFolderTest, CountsTheMissingShards) {
  folder_.file("config.json", "{}");
  write_weights("1.safetensors", "a");
  write_index(R"({"a":"1.safetensors","b":"2.safetensors","c":"3.safetensors"})");
  try {
    CheckpointFolder::open(folder_.path());
    FAIL() << "accepted";
  } catch (const ModelFileError& error) {
    const std::string message = error.what();
    EXPECT_NE(message.find("2 of 3 shards missing, the first of them 2.safetensors"),
              std::string::npos)
        << message;
    EXPECT_EQ(message.find("undamaged"), std::string::npos) << message;
  }
}

/// What torch.save writes, and plain pickles of all protocols: looked at, never unpickled, whatever
/// their name.
TEST_F(CheckpointFolderTest, RefusesPicklesByTheirContent) {
  const std::string call = "cos\nsystem\n(S'true'\ntR.";
  for (const std::string& bytes :
       {std::string("PK\x03\x04archive/data.pkl"), call, "\x80\x02" + call, "\x80\x03" + call,
        "\x80\x04\x95" + call, "\x80\x05\x95" + call}) {
    for (const std::size_t padding : {0, 4096}) {
      const std::string path = folder_.file("any", bytes + std::string(padding, '.'));
      EXPECT_THROW(GgufFile::open(path), ModelFileError);
      EXPECT_THROW(SafetensorsFile::open(path), ModelFileError);
      EXPECT_THROW(read_json_file(path), ModelFileError);
      EXPECT_THROW(load_tokenizer_from_json(path), ModelFileError);
      EXPECT_THROW(load_ngrams(path), ModelFileError);
    }
  }
}

}  // namespace
}  // namespace speclab::engines
