// `speclab generate` while the text comes: JSON lines, the prompt, special tokens, refusals.

#include <fmt/format.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "tests/engines/formats/temporary_folder.h"
#include "tests/experiments/program/program.h"
#include "tests/support/family_files.h"

namespace speclab {
namespace {

using namespace speclab::testing;
using nlohmann::json;

const std::string kCall =
    "generate --temperature 0 --max-new-tokens 12 --ignore-eos --prompt 'Say the alphabet.' ";

/// The object of --json, without drafts.
const json& plain_result() {
  static const json object = json::parse(run_program(kCall + "--json").output);
  return object;
}

std::vector<json> lines_of(const std::string& arguments) {
  std::istringstream output(run_program(arguments + " 2>/dev/null").output);
  std::vector<json> lines;
  for (std::string line; std::getline(output, line);)
    lines.push_back(json::parse(line, nullptr, false));
  return lines;
}

/// Values of a key of all lines but the last.
template <typename Value>
std::vector<Value> values_of(const std::vector<json>& lines, const char* key) {
  std::vector<Value> values;
  for (std::size_t i = 0; i + 1 < lines.size(); ++i) values.push_back(lines[i].at(key));
  return values;
}

std::string joined(const std::vector<std::string>& parts, const char* separator = "") {
  return fmt::format("{}", fmt::join(parts, separator));
}

/// Defect: a token, a piece or the end of the text that no line has, or one that two lines have.
TEST(ProgramStream, OfJsonHasALineForEachToken) {
  const std::vector<json> lines = lines_of(kCall + "--drafter prompt_lookup --stream json");
  EXPECT_EQ(values_of<Token>(lines, "id"), plain_result().at("output_ids"));
  EXPECT_EQ(joined(values_of<std::string>(lines, "text")), plain_result().at("text"));
  EXPECT_EQ(lines.back().at("output_ids"), plain_result().at("output_ids"));
  EXPECT_EQ(lines.back().at("stop_reason"), "length");
  const auto rounds = values_of<std::size_t>(lines, "round");
  EXPECT_TRUE(std::ranges::is_sorted(rounds));
  EXPECT_EQ(rounds.back() + 1, lines.back().at("rounds").size());
  for (std::size_t i = 0; i + 1 < lines.size(); ++i) {
    EXPECT_EQ(lines[i].at("index"), i);
    EXPECT_TRUE(
        (std::set<std::string>{"accepted", "recovered", "bonus"}).contains(lines[i].at("fate")));
  }
}

/// Defect: pieces behind a stop string.
TEST(ProgramStream, OfJsonEndsBeforeAStopString) {
  const std::string text = plain_result().at("text");
  const std::string stop = text.substr(4, 3);
  const std::vector<json> lines = lines_of(kCall + "--stream json --stop '" + stop + "'");
  EXPECT_EQ(joined(values_of<std::string>(lines, "text")), text.substr(0, text.find(stop)));
  EXPECT_EQ(lines.back().at("stop_reason"), "stop_string");
}

/// Defect: lines of a list of prompts that do not say whose they are.
TEST(ProgramStream, OfJsonNamesThePromptOfEachLine) {
  const TemporaryFolder folder;
  std::ofstream(folder.path("mine.jsonl")) << R"({"id": "first", "prompt": "One"})"
                                              "\n"
                                              R"({"id": "second", "prompt": "Two"})"
                                              "\n";
  const std::vector<json> lines =
      lines_of("generate --max-new-tokens 2 --ignore-eos --stream json --prompts " +
               folder.path("mine.jsonl"));
  ASSERT_EQ(lines.size(), 6u);
  for (std::size_t i = 0; i < lines.size(); ++i)
    EXPECT_EQ(lines[i].at("prompt_id"), i < 3 ? "first" : "second");
}

/// Defect: a form of the stream that changes the text.
TEST(ProgramStream, HasTheSameTextInEveryForm) {
  const std::string text = plain_result().at("text");
  for (const char* form : {"", "--stream characters", "--stream off"})
    EXPECT_EQ(run_program(kCall + form + " 2>/dev/null").output, text + "\n") << form;
}

/// Defect: a prompt that is left out although it is asked for, or special tokens that come or go
/// against the option.
TEST(ProgramStream, BeginsWithThePromptWhereAsked) {
  const std::string text = plain_result().at("text");
  const auto shown = [](const std::string& special) {
    return run_program(kCall + "--skip-prompt false --skip-special-tokens " + special +
                       " 2>/dev/null")
        .output;
  };
  const std::string without = shown("true");
  EXPECT_NE(without.find("Say the alphabet."), std::string::npos) << without;
  EXPECT_TRUE(without.ends_with(text + "\n")) << without;
  EXPECT_EQ(without.find("<|im_"), std::string::npos) << without;
  EXPECT_TRUE(shown("false").starts_with("<|im_start|>"));
  EXPECT_NE(shown("ends").find("Say the alphabet.<|im_end|>"), std::string::npos);
}

/// Defect: two options of which one would be ignored, or a mode that streams nothing without a
/// word.
TEST(ProgramStream, IsRefusedWhereThereIsNone) {
  for (const char* other : {"--json", "--draw-trees", "--side-by-side", "--skip-prompt false"})
    expect_refusal(kCall + "--stream json " + other, 2, std::string("--stream json with ") + other);
  expect_refusal(kCall + "--stream words --json", 2, "--stream words with --json");
  expect_refusal(kCall + "--skip-prompt false --draw-trees", 2, "with --draw-trees");
  expect_refusal(kCall + "--stream lines", 2, "allowed: words, characters, json, off");
  expect_refusal(kCall + "--skip-special-tokens all", 2, "allowed: ends, true, false");
  for (const char* form : {"words", "characters", "json"}) {
    const std::string call = std::string("generate --prompt Hi --stream ") + form;
    expect_refusal(call + " --num-beams 2", 2, "beam_search");
    expect_refusal(call + " --penalty-alpha 0.6 --top-k 4", 2, "contrastive_search");
    expect_refusal(call + " --do-sample true --num-return-sequences 2", 2, "num_return_sequences");
  }
}

/// A tiny model without a tokenizer.
class ProgramStreamOfIds : public ::testing::Test {
 protected:
  ProgramStreamOfIds() { write_family_folder(family_, family_.target, folder_.path()); }
  std::string options() const { return "--dtype float32 --model " + folder_.path() + " "; }

  FamilyFixture family_ = read_family("llama");
  TemporaryFolder folder_;
};

/// Defect: log-probabilities under the law that tokens are drawn from, or of another place.
TEST_F(ProgramStreamOfIds, HasTheLogProbabilitiesThatScoreGives) {
  const std::vector<json> lines = lines_of(
      "generate --stream json --prompt-ids 1,2,3 --ignore-eos --max-new-tokens 6 "
      "--temperature 0.7 --top-k 9 --repetition-penalty 1.2 " +
      options());
  ASSERT_EQ(lines.size(), 7u);
  std::vector<std::string> ids{"1", "2", "3"};
  for (const Token id : values_of<Token>(lines, "id")) ids.push_back(std::to_string(id));
  const json scored = json::parse(
      run_program("score --json --prompt-ids " + joined(ids, ",") + " " + options()).output);
  for (std::size_t i = 0; i < 6; ++i) {
    EXPECT_TRUE(lines[i].at("text").is_null());
    EXPECT_NEAR(lines[i].at("log_probability").get<double>(),
                -scored.at("values")[i + 2].get<double>(), 1e-4);
  }
}

TEST_F(ProgramStreamOfIds, RefusesWords) {
  const std::string call = "generate --prompt-ids 1,2,3 --max-new-tokens 2 " + options();
  expect_refusal(call + "--stream words", 2, "no tokenizer");
  expect_refusal(call + "--skip-prompt false", 2, "no tokenizer");
  EXPECT_EQ(run_program(call + "2>/dev/null").code, 0);
}

}  // namespace
}  // namespace speclab
