// `speclab generate` in every mode that a GenerationConfig can ask for.

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

#include "sim/system/files.h"
#include "tests/engines/formats/temporary_folder.h"
#include "tests/experiments/program/program.h"
#include "tests/support/family_files.h"

namespace speclab {
namespace {

using namespace speclab::testing;
using nlohmann::json;

/// A tiny model, and calls of the program with it.
class ProgramGeneration : public ::testing::Test {
 protected:
  explicit ProgramGeneration(const std::string& family = "llama") : family_(read_family(family)) {
    write_family_folder(family_, family_.target, folder_.path());
  }

  std::string call(const std::string& options) const {
    return "generate --dtype float32 --model " + folder_.path() + " " + options;
  }
  std::string file_of(const json& config) const {
    const std::string path = folder_.path("given.json");
    std::ofstream(path) << config.dump();
    return path;
  }
  json result(const std::string& options) const {
    const Outcome outcome = run_program(call(options) + " --json 2>" + folder_.path("errors"));
    EXPECT_EQ(outcome.code, 0) << options << "\n" << read_file(folder_.path("errors"));
    return json::parse(outcome.output, nullptr, false);
  }

  /// A prompt in which every beam finds its last token.
  std::string all_tokens() const {
    std::string ids = "0";
    for (std::size_t token = 1; token < family_.logits.front().size(); ++token)
      ids += "," + std::to_string(token);
    return ids;
  }

  FamilyFixture family_;
  TemporaryFolder folder_;
};

std::string joined(const json& ids) {
  std::string text;
  for (const json& id : ids) text += (text.empty() ? "" : ",") + id.dump();
  return text;
}

std::vector<json> ids_of(const json& sequences) {
  std::vector<json> ids;
  for (const json& one : sequences) ids.push_back(one.at("ids"));
  return ids;
}

/// Defect: a key that goes to another setting, or is lost between the file and the engine.
TEST_F(ProgramGeneration, OfAFileIsThatOfTransformers) {
  std::ifstream cases(SPECLAB_SOURCE_DIR "/tests/golden/generation/cases.jsonl");
  int compared = 0;
  for (std::string line; std::getline(cases, line);) {
    const json one = json::parse(line);
    if (one["family"] != "llama" || !one["stable"]) continue;
    SCOPED_TRACE(one["options"].dump());
    json config = one["options"];
    const bool has_end = !config["eos_token_id"].is_null();
    const json found = result("--prompt-ids " + joined(one["prompt"]) + " --generation-config " +
                              file_of(config) + (has_end ? "" : " --ignore-eos"));
    ++compared;
    EXPECT_EQ(found.at("output_ids"), one["sequences"][0]);
    if (one["mode"] == "greedy_search") continue;
    EXPECT_EQ(found.at("mode"), one["mode"]);
    EXPECT_EQ(ids_of(found.at("sequences")), one["sequences"].get<std::vector<json>>());
    for (std::size_t i = 0; i < one["scores"].size(); ++i)
      if (!one["scores"][i].is_null())
        EXPECT_NEAR(found.at("sequences")[i].at("score").get<double>(),
                    one["scores"][i].get<double>(), 1e-4);
  }
  EXPECT_EQ(compared, 12);
}

/// Defect: the settings of a search tell of a temperature although no beam is drawn.
TEST_F(ProgramGeneration, HasATemperatureOnlyWhereTokensAreDrawn) {
  const std::string beams =
      "--prompt-ids 1,2,3 --ignore-eos --max-new-tokens 2 --num-beams 2 --early-stopping true ";
  EXPECT_EQ(result(beams).at("settings").at("temperature"), 0);
  EXPECT_EQ(result(beams + "--do-sample true").at("settings").at("temperature"), 1);
}

/// Defect: copies of one text in place of several, or another first text than that of a call by
/// itself.
TEST_F(ProgramGeneration, DrawsSeveralTexts) {
  const std::string options =
      "--prompt-ids 1,2,3 --ignore-eos --do-sample true --max-new-tokens 6 --seed 4 ";
  const json several = result(options + "--num-return-sequences 3");
  const json alone = result(options);
  const std::vector<json> ids = ids_of(several.at("sequences"));
  ASSERT_EQ(ids.size(), 3u);
  EXPECT_EQ(ids[0], alone.at("output_ids"));
  EXPECT_EQ(several.at("output_ids"), ids[0]);
  EXPECT_NE(ids[1], ids[0]);
  EXPECT_NE(ids[2], ids[1]);
  EXPECT_TRUE(several.at("sequences")[0].at("score").is_null());
  const std::string with_drafts = options + "--num-return-sequences 3 --drafter prompt_lookup ";
  EXPECT_EQ(ids_of(result(with_drafts + "--verifier sample_and_match").at("sequences")), ids);
}

/// Defect: drafts that break a rule about the text.
TEST_F(ProgramGeneration, DraftsKeepTheRules) {
  const std::string options =
      "--prompt-ids 1,37,32,17,77,1,37,32 --temperature 0 --max-new-tokens 20 --eos-token-id 36 "
      "--bad-words-ids '[[50],[31,72]]' --sequence-bias '[[[12],1.5]]' --min-new-tokens 9 "
      "--begin-suppress-tokens '[87,82]' --exponential-decay-length-penalty '[4,1.2]' "
      "--no-repeat-ngram-size 3 ";
  const json plain = result(options), drafted = result(options + "--drafter prompt_lookup");
  EXPECT_EQ(drafted.at("output_ids"), plain.at("output_ids"));
  EXPECT_GE(plain.at("output_ids").size(), 9u);
  const json free = result(
      "--prompt-ids 1,37,32,17,77,1,37,32 --temperature 0 --max-new-tokens 20 --eos-token-id 36");
  EXPECT_NE(plain.at("output_ids"), free.at("output_ids")) << "no rule did anything";
  EXPECT_EQ(plain.at("generation").at("values").at("min_new_tokens").at("value"), 9);
}

TEST_F(ProgramGeneration, ExplainsWithoutAModel) {
  const Outcome outcome =
      run_program("generate --explain --json --generation-config " + file_of(json::object()));
  EXPECT_EQ(json::parse(outcome.output).at("mode"), "greedy_search") << outcome.output;
  EXPECT_EQ(json::parse(run_program("generate --explain --json --num-beams 3").output).at("mode"),
            "beam_search");
}

/// Defect: --explain is silent on drafts, or hides what a call would refuse.
TEST_F(ProgramGeneration, ExplainsDraftsAndRefusals) {
  const auto explained = [](const std::string& options) {
    return run_program("generate --explain --num-beams 4 " + options).output;
  };
  EXPECT_NE(explained("--drafter ngram").find("drafter ngram, tree chain, policy constant:4\n"),
            std::string::npos);
  EXPECT_NE(explained("--drafter ngram --draw-trees").find("is refused: --draw-trees"),
            std::string::npos);
  EXPECT_EQ(json::parse(explained("--drafter ngram --json")).at("drafter").at("kind"), "ngram");
  const json refused = json::parse(explained("--drafter mlp_speculator --json"));
  EXPECT_NE(refused.at("refusal").get<std::string>().find("states of one text"), std::string::npos);
}

/// Defect: an error that names one of two keys, or a search that begins with impossible settings.
TEST_F(ProgramGeneration, RefusesContradictions) {
  expect_refusal(call("--prompt-ids 1 --num-beams 2 --num-return-sequences 3"), 2,
                 "num_return_sequences");
  expect_refusal(call("--prompt-ids 1 --num-beams 2 --prompt-lookup-num-tokens 3"), 2,
                 "prompt_lookup_num_tokens");
  expect_refusal(call("--prompt-ids 1 --num-beams 2 --side-by-side"), 2, "side-by-side");
  expect_refusal(call("--prompt-ids 1 --eos-token-id 999999"), 2, "eos_token_id has 999999");
  expect_refusal("generate --explain --stop-strings \"$(printf 'a\\377')\"", 2, "no valid UTF-8");
  expect_refusal("generate --explain --stop \"$(printf 'a\\377')\"", 0, "no valid UTF-8");
  expect_refusal(call("--prompt-ids 1 --num-beams 4 --max-new-tokens 100000"), 2, "context");
  expect_refusal(call("--prompt-ids 1 --force-words-ids '[[5]]'"), 2, "2 beams or more");
  expect_refusal(call("--prompt-ids 1 --force-words-ids '[[5,100000]]' --num-beams 4"), 2,
                 "vocabulary");
  expect_refusal(call("--prompt-ids 1 --force-words-ids '[[[5],[5,6]]]' --num-beams 4"), 2,
                 "begins with its form");
  expect_refusal(call("--prompt-ids 1 --force-words-ids '[[5,6]]' --num-beams 4 "
                      "--max-new-tokens 1"),
                 2, "take 2 tokens");
  expect_refusal(call("--prompt-ids 1 --dola-layers high"), 2, "dola");
  expect_refusal(call("--prompt-ids 1 --bad-words-ids '[[100000]]'"), 2, "vocabulary");
  expect_refusal(call("--prompt-ids 1 --num-beams 2 --drafter feature_transformer"), 2,
                 "reads states of one text");
  expect_refusal(call("--prompt-ids 1 --num-beams 2 --drafter prompt_lookup --policy heuristic"), 2,
                 "policy 'heuristic'");
  expect_refusal(call("--prompt-ids 1 --do-sample true --num-return-sequences 99999"), 2,
                 "at most 2048");
  expect_refusal(call("--prompt-ids 1 --num-beams 2 --length-penalty inf"), 2, "length_penalty");
}

/// Defect: drafts that change beams, or that nobody drafts.
TEST_F(ProgramGeneration, DraftsLeaveBeamsAsTheyAre) {
  const std::string options = "--prompt-ids " + all_tokens() +
                              " --ignore-eos --num-beams 3 --num-return-sequences 3 "
                              "--max-new-tokens 24 ";
  const json plain = result(options);
  const json drafted = result(options + "--drafter prompt_lookup --speculation-length 3");
  EXPECT_EQ(drafted.at("sequences"), plain.at("sequences"));
  EXPECT_GT(drafted.at("drafted_steps"), 0);
  EXPECT_EQ(drafted.at("steps").get<int>() + drafted.at("accepted_steps").get<int>(),
            plain.at("steps"));
  const Outcome shown = run_program(call(options + "--drafter prompt_lookup 2>&1"));
  EXPECT_NE(shown.output.find("steps, with drafts by prompt_lookup"), std::string::npos)
      << shown.output;
}

/// Defect: a text that lacks a forced word is shown as if it had all, or one that the prompt has
/// counts as missing.
TEST_F(ProgramGeneration, SaysWhichForcedWordsAreMissing) {
  const std::string options =
      "--prompt-ids 1,37,32,17,77 --ignore-eos --num-beams 2 --num-return-sequences 2 "
      "--max-new-tokens 4 --force-words-ids ";
  for (const json& one : result(options + "'[[37,32],[[5],[6]]]'").at("sequences"))
    EXPECT_TRUE(one.at("missing_words").empty()) << one;
  const json hard = result(options + "'[[5,6,7,8]]'").at("sequences");
  EXPECT_EQ(hard[0].at("missing_words"), json::parse("[[[5,6,7,8]]]")) << hard;
  EXPECT_EQ(hard[1].at("missing_words"), json::parse("[]")) << hard;
  const Outcome shown = run_program(call(options + "'[[5,6,7,8]]' 2>&1"));
  EXPECT_NE(shown.output.find("text 1 lacks the forced words [[[5,6,7,8]]]"), std::string::npos)
      << shown.output;
}

/// Defect: hostile JSON that ends the program by itself or in an error without a place.
TEST_F(ProgramGeneration, RefusesHostileJson) {
  const std::string nested(20'000, '[');
  expect_refusal("generate --explain --compile-config '" + nested + "'", 2, "nested deeper");
  std::ofstream(folder_.path("given.json")) << R"({"top_p": 1e400})";
  expect_refusal("generate --explain --generation-config " + folder_.path("given.json"), 2,
                 "given.json: a number that no double holds");
  expect_refusal("generate --explain --stop-strings '[\"\"]'", 2, "none of them empty");
}

/// Defect: a link that becomes a file, or a device that does.
TEST_F(ProgramGeneration, SavesThroughALinkAndToRegularFilesAlone) {
  const std::string target = folder_.path("target.json"), link = folder_.path("link.json");
  std::ofstream(target) << "old";
  std::filesystem::create_symlink(target, link);
  const std::string save = "generate --explain --num-beams 2 --save-generation-config ";
  EXPECT_EQ(run_program(save + link).code, 0);
  EXPECT_TRUE(std::filesystem::is_symlink(link));
  EXPECT_EQ(json::parse(read_file(target)).at("num_beams"), 2);
  expect_refusal(save + "/dev/null", 2, "no regular file");
}

/// Defect: a saved file that gives another text than the options that it was saved from.
TEST_F(ProgramGeneration, OfASavedFileIsThatOfTheOptions) {
  const std::string saved = folder_.path("saved.json");
  const std::string prompt = "--prompt-ids 1,2,3 --max-new-tokens 8 ";
  const json first = result(prompt +
                            "--num-beams 3 --length-penalty 2 --eos-token-id 9 "
                            "--save-generation-config " +
                            saved);
  EXPECT_EQ(json::parse(read_file(saved)).at("num_beams"), 3);
  EXPECT_EQ(result(prompt + "--generation-config " + saved).at("sequences"), first.at("sequences"));
}

/// Defect: a constraint that does not reach the engine, drafts that change a constrained text, or
/// one text that stands several times among those of beams.
TEST(ProgramConstraint, HoldsForEveryText) {
  const auto result = [](const std::string& options) {
    return json::parse(run_program("generate --prompt Year --temperature 0 --max-new-tokens 12 "
                                   "--json " +
                                   options + " 2>/dev/null")
                           .output);
  };
  const json plain = result("--regex '[0-9]{4}-[0-9]{2}' --drafter plain"),
             drafted = result("--regex '[0-9]{4}-[0-9]{2}' --drafter lookup_transformer"),
             beams = result("--regex 'yes|no' --num-beams 4 --num-return-sequences 4");
  EXPECT_EQ(plain.at("output_ids"), drafted.at("output_ids"));
  EXPECT_EQ(plain.at("text").get<std::string>().size(), 7u);
  EXPECT_EQ(plain.at("constraint_met"), true);
  std::set<std::vector<Token>> texts;
  for (const json& one : beams.at("sequences")) {
    EXPECT_EQ(one.at("constraint_met"), true);
    EXPECT_TRUE(texts.insert(one.at("ids").get<std::vector<Token>>()).second);
  }
  const json drawn = json::parse(
      run_program("generate --prompt Year --max-new-tokens 12 --json --regex 'yes|no' "
                  "--masking-shift --do-sample true --top-k 0 --num-return-sequences 8 2>/dev/null")
          .output);
  const json& shift = drawn.at("masking_shift");
  EXPECT_EQ(shift.at("texts"), 8);
  EXPECT_GE(shift.at("effective_sample_size"), 1);
  EXPECT_LE(shift.at("effective_sample_size"), 8);
  EXPECT_LT(shift.at("total_variation"), 1);
  EXPECT_LT(shift.at("log_match_probability"), 0);
  expect_refusal("generate --prompt Hi --regex 'yes|no' --masking-shift", 2, "8 or more");
  expect_refusal(
      "generate --prompt Hi --temperature 0 --regex '[0-9]{4}' --num-beams 3 --force-words-ids "
      "'[[5]]'",
      2, "may contradict each other");
}

}  // namespace
}  // namespace speclab
