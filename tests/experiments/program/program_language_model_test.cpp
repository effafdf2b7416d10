// Language models of a closed world: trained on text files, then target and drafter of each other.

#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>

#include "sim/system/files.h"
#include "sim/system/sha256.h"
#include "tests/experiments/program/program.h"

namespace speclab {
namespace {

using testing::Outcome;
using testing::run_program;

/// A folder with text of a simple rule, a part of it held out, and a config.
class ProgramLanguageModel : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = ::testing::TempDir() + "/language_model";
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
    std::string text;
    for (int i = 0; i < 4000; ++i) text += "abc d" + std::to_string(i % 10) + "\xC3\xA9\n";
    write_file(folder_ + "/text.txt", text);
    write_file(folder_ + "/held_out.txt", text.substr(0, 4000));
    write_file(folder_ + "/train.toml", R"([text]
files = "text.txt"
held_out_files = "held_out.txt"
sequence_length = 64
[drafter]
kind = "language_model"
hidden_size = 32
num_layers = 1
num_heads = 2
intermediate_size = 64
batch = 8
epochs = 2
learning_rate = 1e-2
validation_sequences = 8
)");
  }

  Outcome train(const std::string& name, const std::string& more = "") const {
    return run_program("train " + folder_ + "/train.toml --output " + model(name) + " " + more +
                       " 2>&1");
  }
  std::string model(const std::string& name) const { return folder_ + "/" + name; }

  /// The bytes of every file below a folder, by its path there.
  static std::map<std::string, std::string> files_of(const std::string& folder) {
    std::map<std::string, std::string> files;
    for (const auto& file : std::filesystem::recursive_directory_iterator(folder))
      if (file.is_regular_file())
        files[std::filesystem::relative(file.path(), folder).string()] =
            read_file(file.path().string());
    return files;
  }

  /// Defect: a drafter with another tokenizer is refused, changes the text, or says another bridge
  /// than it took. Here a token of the target is a byte, so characters are drafted in halves.
  static void expect_bridges(const std::string& command) {
    const auto ids_of = [](const std::string& line) {
      return nlohmann::json::parse(run_program(line + " --json 2>/dev/null").output);
    };
    const nlohmann::json plain = ids_of(command);
    const std::string drafting =
        command + " --drafter small_transformer --drafter-model smollm2-135m";
    for (const std::string bridge :
         {"auto", "re_encode", "look_behind", "intersection", "trimmed_intersection"}) {
      const nlohmann::json drafted = ids_of(drafting + " --drafter-bridge " + bridge);
      EXPECT_EQ(drafted.at("output_ids"), plain.at("output_ids")) << bridge;
      EXPECT_EQ(drafted.at("bridge").at("kind"), bridge == "auto" ? "look_behind" : bridge);
    }
    EXPECT_TRUE(plain.at("bridge").is_null());
  }

  std::string folder_;
};

TEST_F(ProgramLanguageModel, LearnsBytesAndIsTargetAndDrafterOfOthers) {
  ASSERT_EQ(train("small").code, 0);
  const Outcome large = train("large", "--set drafter.num_layers=2");
  ASSERT_EQ(large.code, 0) << large.output;
  const nlohmann::json manifest =
      nlohmann::json::parse(read_file(model("large") + "/v1/manifest.json"));
  EXPECT_EQ(manifest.at("kind"), "language_model");
  EXPECT_FALSE(manifest.contains("target"));
  EXPECT_LT(manifest.at("held_out").at(0).at("loss_nats").get<double>(), 0.5)
      << "only the digit is hard";
  const std::string prompt =
      " --prompt 'abc d3\xC3\xA9\nabc' --no-chat-template --temperature 0 --max-new-tokens 6";
  const Outcome plain = run_program("generate --model " + model("large") + prompt + " 2>/dev/null");
  EXPECT_EQ(plain.output.substr(0, 2), " d") << plain.output;
  const Outcome drafted = run_program("generate --model " + model("large") + prompt +
                                      " --drafter small_transformer --drafter-model " +
                                      model("small") + " 2>/dev/null");
  EXPECT_EQ(drafted.output, plain.output);
  expect_bridges("generate --model " + model("large") + prompt);
}

TEST_F(ProgramLanguageModel, NotesWhatTrainedItSoThatItsCurveIsDrawn) {
  ASSERT_EQ(train("small").code, 0);
  ASSERT_EQ(train("again").code, 0);
  ASSERT_EQ(train("faster", "--set drafter.learning_rate=2e-2").code, 0);
  const auto provenance = [&](const std::string& name) {
    return nlohmann::json::parse(read_file(model(name) + "/v1/manifest.json")).at("provenance");
  };
  const std::string version = run_program("--version").output,
                    revision = provenance("small").at("revision");
  EXPECT_TRUE(version.ends_with("(revision " + revision + ")\n")) << version;
  EXPECT_EQ(provenance("small").at("device"), "cpu");
  EXPECT_EQ(provenance("small").at("config_sha256"), provenance("again").at("config_sha256"))
      << "the folder is another";
  EXPECT_NE(provenance("small").at("config_sha256"), provenance("faster").at("config_sha256"));
  EXPECT_EQ(nlohmann::json::parse(read_file(model("faster") + "/v1/manifest.json"))
                .at("config")
                .at("drafter.learning_rate"),
            "0.02");
  const Outcome drawn = run_program("report " + model("small") + " 2>&1");
  EXPECT_EQ(drawn.code, 0) << drawn.output;
  EXPECT_TRUE(std::filesystem::exists(model("small") + "/v1/figures/training_loss.svg"));
}

TEST_F(ProgramLanguageModel, NotesWhereItsTextIsFromAndSpoilsNothingWhereThatIsDamaged) {
  write_file(folder_ + "/text.txt.source.json", R"({"package": "some-text", "licences": ["CC0"]})");
  ASSERT_EQ(train("model").code, 0);
  const nlohmann::json manifest =
      nlohmann::json::parse(read_file(model("model") + "/v1/manifest.json"));
  EXPECT_EQ(manifest.at("text").at("files").at(0).at("source").at("package"), "some-text");
  EXPECT_FALSE(manifest.at("text").at("held_out_files").at(0).contains("source"));
  testing::expect_refusal("train " + folder_ + "/train.toml --output " + model("model") + "/v1", 2,
                          "give --overwrite to replace it");
  const auto before = files_of(folder_);
  write_file(folder_ + "/text.txt.source.json", "[]");
  testing::expect_refusal("train " + folder_ + "/train.toml --overwrite --output " + model("model"),
                          3, "no JSON object");
  std::string deep = "1";
  for (int i = 0; i < 50'000; ++i) deep = "{\"a\":" + deep + "}";
  write_file(folder_ + "/text.txt.source.json", deep);
  testing::expect_refusal("train " + folder_ + "/train.toml --overwrite --output " + model("model"),
                          3, "allowed: 16");
  std::filesystem::remove(folder_ + "/text.txt.source.json");
  write_file(folder_ + "/text.txt", "");
  testing::expect_refusal("train " + folder_ + "/train.toml --overwrite --output " + model("model"),
                          3, "an empty file");
  write_file(folder_ + "/text.txt", before.at("text.txt"));
  write_file(folder_ + "/text.txt.source.json", before.at("text.txt.source.json"));
  EXPECT_EQ(files_of(folder_), before) << "until all is read";
}

/// Defect: the second training writes over the first, or beside it.
TEST_F(ProgramLanguageModel, TrainedAgainIsAnotherVersion) {
  ASSERT_EQ(train("model").code, 0);
  const auto before = files_of(folder_);
  const Outcome again = train("model", "--set drafter.seed=2");
  ASSERT_EQ(again.code, 0) << again.output;
  EXPECT_NE(again.output.find(model("model") + "/v2\n"), std::string::npos) << again.output;
  auto after = files_of(folder_);
  const std::size_t written =
      std::erase_if(after, [](const auto& file) { return file.first.starts_with("model/v2/"); });
  EXPECT_GE(written, 5u);
  EXPECT_EQ(after, before);
  const nlohmann::json newest = nlohmann::json::parse(
      run_program("models inspect --json " + model("model") + " 2>/dev/null").output);
  EXPECT_EQ(newest.at("sha256"), sha256_file(model("model") + "/v2/model.safetensors"));
  EXPECT_EQ(nlohmann::json::parse(read_file(model("model") + "/v2/manifest.json")).at("version"),
            2);
}

TEST_F(ProgramLanguageModel, SpellsEveryByte) {
  ASSERT_EQ(train("model").code, 0);
  const Outcome ids = testing::run_shell("printf 'a\xC3\xA9\xE4\xB8\xAD\n' | " SPECLAB_PROGRAM
                                         " tokenize --raw --model " +
                                         model("model") + " 2>&1");
  EXPECT_NE(ids.output.find("97"), std::string::npos) << ids.output;
  EXPECT_NE(ids.output.find("195"), std::string::npos) << ids.output;
  EXPECT_NE(ids.output.find("228"), std::string::npos) << ids.output;
}

TEST_F(ProgramLanguageModel, RefusesWhatItHasNoUseFor) {
  const auto expect = [&](const std::string& setting, const std::string& message) {
    testing::expect_refusal(
        "train " + folder_ + "/train.toml --output " + model("none") + " --set " + setting, 2,
        message);
  };
  expect("target.model=smollm2-135m", "[target] with drafter.kind = \"language_model\"");
  expect("own_text.num_prompts=4", "[own_text] with drafter.kind = \"language_model\"");
  expect("drafter.draft_vocabulary=100", "draft_vocabulary");
  expect("drafter.num_heads=3", "num_heads");
  expect("text.sequence_length=2000000",
         "text.sequence_length = 2000000; allowed: integers from 3 to 1048576");
  EXPECT_FALSE(std::filesystem::exists(model("none") + "/config.json"));
}

}  // namespace
}  // namespace speclab
