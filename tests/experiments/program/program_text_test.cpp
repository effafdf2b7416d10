// The built program's commands that turn text, ids and logits into each other.

#include <fmt/format.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "sim/system/files.h"
#include "tests/engines/formats/temporary_folder.h"
#include "tests/experiments/program/program.h"

namespace speclab {
namespace {

using testing::expect_refusal;
using testing::Outcome;
using testing::run_program;
using testing::run_shell;

/// Catches bytes that the last line or the object leaves out, and a drafter whose bytes are lost.
TEST(Program, TellsTheBytesThatATokenReads) {
  const std::string call =
      "generate --temperature 0 --max-new-tokens 8 --ignore-eos --prompt 'Say the alphabet.' "
      "--dtype bfloat16 ";
  const auto object = nlohmann::json::parse(run_program(call + "--json --drafter plain").output);
  const double bytes = object.at("bytes_per_token");
  EXPECT_GT(bytes, 2.6e8) << "the default model's weights";
  EXPECT_EQ(object.at("target_bytes").get<double>() + object.at("draft_bytes").get<double>(),
            8 * bytes);
  EXPECT_EQ(object.at("draft_bytes"), 0);
  EXPECT_EQ(object.at("energy_j").is_null(), object.at("energy_source").is_null());
  EXPECT_EQ(object.at("energy_j").is_null(), object.at("energy_per_token_j").is_null());
  const auto drafted =
      nlohmann::json::parse(run_program(call + "--json --drafter small_transformer").output);
  EXPECT_GT(drafted.at("draft_bytes"), 0);
  const Outcome page = run_program(call + "--drafter plain 2>&1");
  EXPECT_NE(page.output.find(fmt::format("{:.1f} MB read a token", bytes * 1e-6)),
            std::string::npos)
      << page.output;
}

// Catches a drafter that has no low-bit weights and stops the run, and a text that drafts change.
TEST(Program, DraftsForLowBitWeights) {
  const std::string call =
      "generate --json --temperature 0 --max-new-tokens 12 --ignore-eos --prompt 'Say the "
      "alphabet.' --activations int8 --drafter ";
  const auto plain = nlohmann::json::parse(run_program(call + "plain").output);
  const auto drafted = nlohmann::json::parse(run_program(call + "small_transformer").output);
  EXPECT_EQ(plain.at("settings").at("dtype"), "file x int8");
  EXPECT_EQ(drafted.at("text"), plain.at("text"));
  EXPECT_GT(drafted.at("draft_bytes"), 0);
}

TEST(Program, StopsBeforeAStopString) {
  const Outcome whole = run_program(
      "generate --json --temperature 0 --max-new-tokens 16 --ignore-eos --prompt 'Say the "
      "alphabet.' --drafter plain");
  const std::string text = nlohmann::json::parse(whole.output).at("text");
  ASSERT_GT(text.size(), 8u);
  const std::string stop = text.substr(4, 3);
  const Outcome cut = run_program(
      "generate --json --temperature 0 --max-new-tokens 16 --ignore-eos --prompt 'Say the "
      "alphabet.' --drafter plain --stop '" +
      stop + "'");
  const nlohmann::json object = nlohmann::json::parse(cut.output);
  EXPECT_EQ(object.at("text"), text.substr(0, text.find(stop)));
  EXPECT_EQ(object.at("stop_reason"), "stop_string");
  EXPECT_EQ(object.at("settings").at("stop"), std::vector<std::string>{stop});
  const Outcome streamed = run_program(
      "generate --temperature 0 --max-new-tokens 16 --ignore-eos --prompt 'Say the alphabet.' "
      "--drafter plain --stop '" +
      stop + "' 2>/dev/null");
  EXPECT_EQ(streamed.output, text.substr(0, text.find(stop)) + "\n");
}

TEST(Program, DecodesNothingButIds) {
  for (const char* line : {"[-1]", "[1.5]", "[true]", "[4294967297]", "{}", "7", "[\"1\"]"}) {
    const Outcome outcome =
        run_program(std::string("tokenize --decode 2>&1 <<'E'\n") + line + "\nE\n");
    EXPECT_EQ(outcome.code, 2) << line;
    EXPECT_NE(outcome.output.find("standard input:1"), std::string::npos) << outcome.output;
  }
  expect_refusal("tokenize --dtype float32", 2, "--dtype");
}

/// Defect: an id that no token has vanishes without a word.
TEST(Program, WarnsOfIdsWithoutText) {
  const Outcome outcome = run_program("tokenize --decode 2>&1 <<'E'\n[19556]\n[19556,49152]\nE\n");
  EXPECT_EQ(outcome.code, 0);
  EXPECT_NE(outcome.output.find("warning: standard input:2: id 49152 has no text"),
            std::string::npos)
      << outcome.output;
  EXPECT_EQ(outcome.output.find("standard input:1"), std::string::npos);
}

/// Defect: score reads no pipe, or scores another text than that of the file.
TEST(Program, ScoresStandardInputAsAFile) {
  const testing::TemporaryFolder folder;
  const std::string file = folder.file("text", "Hello, you two.\n");
  const Outcome piped = run_program("score --json <" + file);
  EXPECT_EQ(piped.code, 0) << piped.output;
  EXPECT_EQ(piped.output, run_program("score --json --file " + file).output);
  expect_refusal("score", 2, "standard input: 0 tokens; allowed: at least 2");
}

TEST(Program, TokenizesBothWays) {
  const Outcome ids = run_program("tokenize <<'E'\n\"Hello 123\"\n\"\\u00e4\"\nE\n");
  EXPECT_EQ(ids.code, 0);
  EXPECT_EQ(ids.output.substr(0, ids.output.find('\n')), "[19556,216,33,34,35]");
  const Outcome text = run_program("tokenize --decode <<'E'\n" + ids.output + "E\n");
  EXPECT_EQ(text.output, "\"Hello 123\"\n\"\xc3\xa4\"\n");
  EXPECT_EQ(run_program("tokenize 2>/dev/null <<'E'\nnot json\nE\n").code, 2);
}

TEST(Program, TellsTheKeysOfALawsLine) {
  const std::string help = run_program("law --help").output,
                    keys = help.substr(std::min(help.size(), help.find("Keys of a line: ")));
  for (const char* key : {"logits", "previous_ids", "eos_token_id", "temperature", "top_k", "top_p",
                          "min_p", "repetition_penalty"})
    EXPECT_NE(keys.find(key), std::string::npos) << key << ": " << help;
}

TEST(Program, NoticesAnInputThatCannotBeRead) {
  for (const char* command : {"tokenize", "law", "generate"}) {
    const Outcome outcome = run_program(std::string(command) + " 2>&1 < /tmp");
    EXPECT_EQ(outcome.code, 2) << command;
    EXPECT_NE(outcome.output.find("standard input: cannot read"), std::string::npos)
        << outcome.output;
  }
}

TEST(Program, TakesAPromptFromAPipeWithoutItsFinalNewline) {
  const auto ids = [](const std::string& input) {
    const Outcome outcome = run_shell(
        input + " | " SPECLAB_PROGRAM " generate --json --max-new-tokens 1 --drafter plain");
    return nlohmann::json::parse(outcome.output).at("prompt_ids");
  };
  EXPECT_EQ(ids("echo Hello"), ids("printf Hello"));
  EXPECT_NE(ids("printf 'Hello\n\n'"), ids("printf Hello"));
}

TEST(Program, WarnsOfBytesThatTheVocabularyHasNoTokenFor) {
  const std::string warning =
      " bytes of the input have no token in this model's vocabulary and are dropped";
  const Outcome two = run_program(
      "tokenize --raw 2>&1 <<'E'\na\x04"
      "b\n\x06\nE\n");
  EXPECT_EQ(two.code, 0);
  EXPECT_NE(two.output.find("warning: 2" + warning), std::string::npos) << two.output;
  EXPECT_EQ(run_program("tokenize --raw 2>&1 <<'E'\nab\nE\n").output.find("warning"),
            std::string::npos);
  const Outcome generated =
      run_program("generate --max-new-tokens 1 --prompt \"$(printf 'a\\004b')\" 2>&1");
  EXPECT_NE(generated.output.find("warning: 1" + warning), std::string::npos) << generated.output;
}

TEST(Program, PrintsTheLawsOfThePeersProcessors) {
  std::ifstream file(SPECLAB_SOURCE_DIR "/tests/golden/sampling.jsonl");
  std::string requests;
  std::vector<std::vector<double>> expected;
  for (std::string text; expected.size() < 100 && std::getline(file, text);) {
    nlohmann::json line = nlohmann::json::parse(text);
    expected.push_back(line.at("law"));
    line.erase("law");
    requests += line.dump() + "\n";
  }
  const std::string path = ::testing::TempDir() + "/law.jsonl";
  write_file(path, requests);
  const Outcome outcome = run_program("law < " + path);
  ASSERT_EQ(outcome.code, 0);
  std::istringstream lines(outcome.output);
  for (const auto& law : expected) {
    std::string line;
    ASSERT_TRUE(std::getline(lines, line));
    const auto found = nlohmann::json::parse(line).get<std::vector<double>>();
    ASSERT_EQ(found.size(), law.size());
    for (std::size_t i = 0; i < law.size(); ++i) EXPECT_NEAR(found[i], law[i], 1e-14);
  }
}

TEST(Program, RefusesLogitsAndSettingsThatMakeNoLaw) {
  for (const char* line :
       {"[1]", "not json", "{}", R"({"logits": []})", R"({"logits": [null, null]})",
        R"({"logits": ["1"]})", R"({"logits": [1e999]})", R"({"logits": [1, 2], "topk": 3})",
        R"({"logits": [1, 2], "top_p": 0})", R"({"logits": [1, 2], "top_k": -1})",
        R"({"logits": [1, 2], "previous_ids": [2]})",
        R"({"logits": [1, 2], "suppress_tokens": [0, 1]})"}) {
    const Outcome outcome =
        run_program(std::string("law 2>&1 <<'E'\n{\"logits\": [1]}\n") + line + "\nE\n");
    EXPECT_EQ(outcome.code, 2) << line;
    EXPECT_NE(outcome.output.find("standard input:2: "), std::string::npos) << outcome.output;
  }
}

TEST(Program, ScoresAText) {
  const std::string path = ::testing::TempDir() + "/score.txt";
  write_file(path, "The sun rises in the east and sets in the west.");
  const Outcome outcome = run_program("score --json --dtype float32 --file " + path);
  ASSERT_EQ(outcome.code, 0);
  const nlohmann::json object = nlohmann::json::parse(outcome.output);
  EXPECT_EQ(object.at("values").size() + 1, object.at("ids").size());
  EXPECT_EQ(object.at("tokens"), object.at("values").size());
  EXPECT_GT(object.at("mean_negative_log_likelihood").get<double>(), 0.5);
  EXPECT_LT(object.at("mean_negative_log_likelihood").get<double>(), 4.0);
}

}  // namespace
}  // namespace speclab
