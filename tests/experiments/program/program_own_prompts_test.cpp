// The prompts and the models of the user: files of other tools, and models that move.
#include <filesystem>
#include <nlohmann/json.hpp>

#include "sim/system/files.h"
#include "sim/system/versions.h"
#include "tests/experiments/program/tiny_models.h"

namespace speclab {
namespace {

using testing::Outcome;
using testing::run_program;

namespace fs = std::filesystem;

constexpr const char* kPrompts =
    "{\"id\": \"one\", \"prompt\": \"abc d1\"}\n{\"id\": \"two\", \"prompt\": \"abc d2\"}\n"
    "{\"id\": \"three\", \"prompt\": \"abc d3\"}\n";

class ProgramOwnPrompts : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_.file("mine.jsonl", kPrompts);
    folder_.file("mine.toml", R"([target]
model = "model_a"
threads = 1
[axes]
drafter = "prompt_lookup"
policy = "constant:2"
[prompts]
set = "mine.jsonl"
per_category = 2
new_tokens = 8
[pilot]
max_length = 2
[costs]
repetitions = 1
new_tokens = 16
rows = [1, 2, 3]
)");
    fs::copy(newest_version(testing::TinyModels::get().target()), folder_.path("model_a"));
  }

  Outcome run(const std::string& more = "") const {
    return run_program("run " + folder_.path("mine.toml") + " --no-report --output " +
                       folder_.path("run") + more + " 2>&1");
  }

  const testing::TemporaryFolder folder_;
};

/// Defects: work is known by the path of the model; the path stands in every table.
TEST_F(ProgramOwnPrompts, AModelMayMoveAndItsPathIsInNoTable) {
  const Outcome begun = run();
  ASSERT_EQ(begun.code, 0) << begun.output;
  const std::string rows = read_file(folder_.path("run/rows.csv"));
  EXPECT_NE(rows.find("model_a T=0 prompt_lookup"), std::string::npos) << rows;
  for (const auto& entry : fs::directory_iterator(folder_.path("run")))
    if (entry.path().extension() == ".csv")
      EXPECT_EQ(read_file(entry.path().string()).find(folder_.path()), std::string::npos)
          << entry.path();
  make_folder(folder_.path("moved"));
  fs::rename(folder_.path("model_a"), folder_.path("moved/model_b"));
  const std::string moved = " --set target.model=" + folder_.path("moved/model_b");
  const Outcome again = run(moved);
  EXPECT_EQ(again.code, 0) << again.output;
  EXPECT_EQ(read_file(folder_.path("run/rows.csv")), rows) << "nothing is measured again";
  const Outcome more = run(moved + " --set experiment.repetitions=2");
  EXPECT_EQ(more.code, 0) << more.output;
  EXPECT_NE(more.output.find("resumed with 4 of 8"), std::string::npos) << more.output;
}

/// Defect: another model under a known name goes on with the rows of the first.
TEST_F(ProgramOwnPrompts, AnotherModelOfTheSameNameIsRefused) {
  ASSERT_EQ(run().code, 0);
  make_folder(folder_.path("other"));
  fs::copy(newest_version(testing::TinyModels::get().drafter()), folder_.path("other/model_a"));
  for (const char* repetitions : {"1", "2"}) {  // nothing is left to measure, or something
    const Outcome other = run(std::string(" --set experiment.repetitions=") + repetitions +
                              " --set target.model=" + folder_.path("other/model_a"));
    EXPECT_EQ(other.code, 5) << other.output;
    EXPECT_NE(other.output.find("model model_a: was"), std::string::npos) << other.output;
  }
}

/// Defect: a drafter that was moved is measured anew, or another one under its name is not.
TEST_F(ProgramOwnPrompts, ADrafterMayMoveToo) {
  fs::copy(newest_version(testing::TinyModels::get().drafter()), folder_.path("draft_a"));
  const std::string pair = " --set axes.drafter=mine --set drafters.mine.kind=small_transformer";
  const auto with = [&](const std::string& drafter, int repetitions) {
    return run(pair + " --set drafters.mine.model=" + folder_.path(drafter) +
               " --set experiment.repetitions=" + std::to_string(repetitions));
  };
  ASSERT_EQ(with("draft_a", 1).code, 0);
  fs::rename(folder_.path("draft_a"), folder_.path("draft_b"));
  const Outcome moved = with("draft_b", 2);
  EXPECT_EQ(moved.code, 0) << moved.output;
  EXPECT_NE(moved.output.find("resumed with 4 of 8"), std::string::npos) << moved.output;
  fs::copy(newest_version(testing::TinyModels::get().target()), folder_.path("draft_c"));
  const Outcome other = with("draft_c", 2);
  EXPECT_EQ(other.code, 0) << other.output;
  EXPECT_NE(other.output.find("resumed with 4 of 8"), std::string::npos)
      << "plain rows stay, those of the other drafter do not\n"
      << other.output;
}

/// Defects: a drafter that got a newer version goes on with the rows of the older one; the manifest
/// does not say which version drafted.
TEST_F(ProgramOwnPrompts, ANewerVersionOfADrafterIsRefusedUnlessItIsAllowed) {
  make_folder(folder_.path("draft"));
  fs::copy(newest_version(testing::TinyModels::get().drafter()), folder_.path("draft/v1"));
  const auto with = [&](const std::string& more) {
    return run(
        " --set axes.drafter=mine --set drafters.mine.kind=small_transformer --set "
        "drafters.mine.model=" +
        folder_.path("draft") + more);
  };
  ASSERT_EQ(with("").code, 0);
  const auto manifest = [&] { return read_file(folder_.path("run/manifest.toml")); };
  EXPECT_NE(manifest().find("version = \"draft/v1\""), std::string::npos) << manifest();
  fs::copy(newest_version(testing::TinyModels::get().target()), folder_.path("draft/v2"));
  const std::string more = " --set experiment.repetitions=2";
  const Outcome newer = with(more);
  EXPECT_EQ(newer.code, 5) << newer.output;
  EXPECT_NE(newer.output.find("model mine: was"), std::string::npos) << newer.output;
  const Outcome held = with(more + " --set drafters.mine.model=" + folder_.path("draft/v1"));
  EXPECT_EQ(held.code, 0) << held.output;
  EXPECT_NE(held.output.find("resumed with 4 of 8"), std::string::npos) << held.output;
  const Outcome mixed = with(" --set experiment.repetitions=3 --allow-mixed");
  EXPECT_EQ(mixed.code, 0) << mixed.output;
  EXPECT_NE(manifest().find("version = \"draft/v2\""), std::string::npos) << manifest();
  EXPECT_NE(manifest().find("differs = [\"model mine: was"), std::string::npos) << manifest();
}

/// Defect: generate, score and verify know no files of prompts.
TEST_F(ProgramOwnPrompts, AreTakenByTheCommandsOfTexts) {
  const std::string options = " --model " + folder_.path("model_a") + " --prompts " +
                              folder_.path("mine.jsonl") + " --prompts-per-category 2";
  const Outcome generated =
      run_program("generate --no-chat-template --max-new-tokens 4 --json" + options);
  ASSERT_EQ(generated.code, 0);
  const std::size_t end = generated.output.find('\n');
  EXPECT_EQ(nlohmann::json::parse(generated.output.substr(0, end)).at("prompt_id"), "one");
  EXPECT_EQ(nlohmann::json::parse(generated.output.substr(end)).at("category"), "mine");
  const Outcome scored = run_program("score" + options);
  EXPECT_NE(scored.output.find("two (mine): 5 tokens scored"), std::string::npos) << scored.output;
  const Outcome verified = run_program(
      "verify --no-chat-template --temperature 0 --max-new-tokens 8 --drafter prompt_lookup "
      "--json" +
      options + " 2>/dev/null");
  EXPECT_EQ(nlohmann::json::parse(verified.output).at("settings").at("texts"), 2)
      << verified.output;
  testing::expect_refusal("generate --prompts nowhere.jsonl", 2, "--prompts");
}

}  // namespace
}  // namespace speclab
