#include "engines/families/catalogue.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "engines/ngrams/ngram_file.h"
#include "sim/system/errors.h"
#include "sim/system/files.h"
#include "sim/system/versions.h"
#include "tests/engines/formats/temporary_folder.h"

namespace speclab::engines {
namespace {

TEST(Catalogue, RefusesANameThatIsNoFile) {
  EXPECT_THROW(open_model("no-such-model"), ConfigError);
  EXPECT_THROW(open_tokenizer("no-such-model"), ConfigError);
}

TEST(Catalogue, RefusesANameThatIsTooLongForAFile) {
  for (const std::size_t length : {300u, 5000u}) {
    try {
      open_model(std::string(length, 'm'));
      ADD_FAILURE() << "accepted";
    } catch (const ConfigError& error) {
      EXPECT_NE(std::string(error.what()).find("too long"), std::string::npos) << error.what();
    }
    EXPECT_THROW(open_tokenizer(std::string(length, 'm')), ConfigError);
  }
}

/// A committed model with one bit of its weights flipped.
class DamagedModel {
 public:
  DamagedModel(const std::string& name, const std::string& weights) : path_(folder_.path(name)) {
    std::filesystem::copy(newest_version(project_models_folder() + "/" + name), path_);
    std::string bytes = read_file(path_ + "/" + weights);
    bytes[bytes.size() - 9] = static_cast<char>(bytes[bytes.size() - 9] ^ 1);
    write_file(path_ + "/" + weights, bytes);
  }
  const std::string& path() const { return path_; }

 private:
  speclab::testing::TemporaryFolder folder_;
  std::string path_;
};

template <typename Open>
void expect_refused(const Open& open) {
  try {
    open();
    ADD_FAILURE() << "accepted";
  } catch (const ModelFileError& error) {
    EXPECT_NE(std::string(error.what()).find("as manifest.json says"), std::string::npos)
        << error.what();
  }
}

TEST(Catalogue, RefusesDraftersWithAFlippedBit) {
  const DamagedModel mlp("smollm2-mlp", "model.safetensors"), ngrams("smollm2-bigram", "ngram.bin");
  expect_refused([&] { open_mlp_speculator(mlp.path()); });
  expect_refused([&] { load_ngrams(ngrams.path()); });
  expect_refused([&] { load_ngrams(ngrams.path() + "/ngram.bin"); });
  const std::filesystem::path before = std::filesystem::current_path();
  std::filesystem::current_path(ngrams.path());
  expect_refused([&] { load_ngrams("ngram.bin"); });
  std::filesystem::current_path(before);
}

TEST(Catalogue, TakesDraftersAsTheyWereTrained) {
  EXPECT_NO_THROW(open_mlp_speculator(project_models_folder() + "/smollm2-mlp"));
  EXPECT_NO_THROW(load_ngrams(project_models_folder() + "/smollm2-bigram"));
}

/// Defect: a plain name means another version than the newest, or a version cannot be named.
TEST(Catalogue, GivesTheNewestVersionOfAPlainName) {
  const std::string folder = project_models_folder() + "/smollm2-drafter",
                    newest = newest_version(folder);
  EXPECT_EQ(model_path("smollm2-drafter"), newest);
  EXPECT_EQ(model_path(folder), newest);
  EXPECT_EQ(model_path(version_name(newest)), newest);
  EXPECT_EQ(open_model(version_name(newest)).weights->sha256(),
            open_model("smollm2-drafter").weights->sha256());
  EXPECT_EQ(open_model(newest).config.name, "smollm2-drafter");
  EXPECT_THROW(open_model("smollm2-drafter/v99"), ConfigError);
}

/// Defect: a version whose weights were removed is refused without a word of what it was.
TEST(Catalogue, NamesWhatARemovedVersionWas) {
  for (const std::string& model :
       {std::string("smollm2-drafter/v1"), project_models_folder() + "/smollm2-drafter/v1"})
    try {
      open_model(model);
      ADD_FAILURE() << "accepted";
    } catch (const ConfigError& error) {
      EXPECT_NE(std::string(error.what()).find("removed, their SHA-256 is 19e626c1b5a3"),
                std::string::npos)
          << error.what();
      EXPECT_NE(std::string(error.what()).find("the newest version"), std::string::npos);
    }
  EXPECT_THROW(load_ngrams(project_models_folder() + "/smollm2-bigram/v1"), ConfigError);
}

/// By itself it has the whole head, though only the rows of what it drafts were trained as one.
TEST(Catalogue, GivesADraftVocabularyToDraftersOnly) {
  const std::string drafter = project_models_folder() + "/smollm2-drafter";
  const ModelSource whole = open_model(drafter), drafting = open_draft_model(drafter);
  EXPECT_EQ(whole.config.num_logits(), whole.config.vocab_size);
  EXPECT_TRUE(whole.config.head_is_embedding());
  EXPECT_EQ(drafting.config.num_logits(), 8192);
  const std::vector<float> table = whole.weights->read(TensorRole::head, 0),
                           rows = drafting.weights->read(TensorRole::head, 0);
  const auto width = static_cast<std::size_t>(whole.config.hidden_size);
  ASSERT_EQ(rows.size(), 8192 * width);
  const auto last = static_cast<std::size_t>(drafting.config.draft_vocabulary.back());
  EXPECT_TRUE(std::equal(rows.end() - static_cast<std::ptrdiff_t>(width), rows.end(),
                         table.begin() + static_cast<std::ptrdiff_t>(last * width)));
}

/// Somebody else's manifest may mean something else by it.
TEST(Catalogue, HeedsOnlyManifestsOfTrainings) {
  const DamagedModel mlp("smollm2-mlp", "model.safetensors");
  write_file(mlp.path() + "/manifest.json", R"({"sha256": "of something"})");
  EXPECT_NO_THROW(open_mlp_speculator(mlp.path()));
}

}  // namespace
}  // namespace speclab::engines
