#include "sim/system/versions.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <vector>

#include "sim/system/errors.h"
#include "sim/system/files.h"

namespace speclab {
namespace {

/// A drafter's folder, which the destructor removes.
class Versions : public ::testing::Test {
 protected:
  Versions() { std::filesystem::remove_all(folder_); }
  ~Versions() override { std::filesystem::remove_all(folder_); }

  void put(const std::string& file, const std::string& content = "") const {
    make_folder(std::filesystem::path(folder_ + "/" + file).parent_path().string());
    write_file(folder_ + "/" + file, content);
  }
  void put_version(int version) const {
    put(version_folder("", version).substr(1) + "/ngram.bin");
    put(version_folder("", version).substr(1) + "/manifest.json",
        "{\n  \"text\": {\n    \"sha256\": \"other\"\n  },\n  \"sha256\": \"ab" +
            std::to_string(version) + "\"\n}\n");
  }
  std::string at(const std::string& name) const { return folder_ + "/" + name; }
  static std::string refusal(const std::string& path) {
    try {
      return "taken as " + newest_version(path);
    } catch (const ConfigError& error) {
      return error.what();
    }
  }

  std::string folder_ = ::testing::TempDir() + "/speclab_versions";
};

/// Defect: v10 is older than v9, or a plain name means the first version.
TEST_F(Versions, APlainFolderMeansTheNewest) {
  for (const int version : {1, 9, 10}) put_version(version);
  put("v011/ngram.bin");
  put("notes/ngram.bin");
  EXPECT_EQ(versions_in(folder_), (std::vector<std::int64_t>{1, 9, 10}));
  EXPECT_EQ(newest_version(folder_), at("v10"));
  EXPECT_EQ(newest_version(folder_ + "/"), at("v10"));
  EXPECT_EQ(newest_version(at("v9")), at("v9"));
  EXPECT_EQ(version_name(at("v9/")), "speclab_versions/v9");
  EXPECT_EQ(version_name(folder_), "");
}

/// Defect: a version in training is opened, or a folder of another form is not found any more.
TEST_F(Versions, UnfinishedOnesAreNotMeant) {
  put_version(1);
  put("v2/checkpoint.bin");
  put("v2/model.safetensors");
  put("v2/manifest.json");
  EXPECT_EQ(newest_version(folder_), at("v1"));
  EXPECT_EQ(training_folder(folder_), at("v2")) << "goes on";
  put("config.json");
  EXPECT_EQ(newest_version(folder_), folder_) << "a model without versions";
  EXPECT_EQ(newest_version("/nowhere"), "/nowhere");
}

/// Defect: removed weights are called a damaged folder, or another version is opened for them.
TEST_F(Versions, RemovedWeightsAreNamedByTheirDigest) {
  put_version(1);
  put_version(2);
  std::filesystem::remove(at("v1/ngram.bin"));
  EXPECT_EQ(newest_version(folder_), at("v2"));
  const std::string removed = refusal(at("v1"));
  EXPECT_NE(removed.find("were removed, their SHA-256 is ab1"), std::string::npos) << removed;
  EXPECT_NE(removed.find("/speclab_versions/v2, the newest version"), std::string::npos) << removed;
  std::filesystem::remove(at("v2/ngram.bin"));
  EXPECT_NE(refusal(folder_).find("none here has some"), std::string::npos) << refusal(folder_);
}

/// Defect: a training writes over a finished version, also over one whose weights were removed.
TEST_F(Versions, ATrainingWritesTheNext) {
  EXPECT_EQ(training_folder(folder_), at("v1"));
  put_version(3);
  EXPECT_EQ(training_folder(folder_), at("v4"));
  std::filesystem::remove(at("v3/ngram.bin"));
  EXPECT_EQ(training_folder(folder_), at("v4"));
  put("v3/acceptance.part");
  EXPECT_EQ(training_folder(folder_), at("v3")) << "its acceptance is being measured";
  put("checkpoint.bin");
  EXPECT_EQ(training_folder(folder_), folder_) << "begun before there were versions";
}

}  // namespace
}  // namespace speclab
