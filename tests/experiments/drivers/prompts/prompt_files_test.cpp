// Prompt sets as people have them: JSONL of benchmarks, ShareGPT, plain files.
#include <gtest/gtest.h>

#include <algorithm>

#include "experiments/drivers/prompts/prompt_set.h"
#include "sim/core/rng_stream.h"
#include "sim/system/errors.h"
#include "tests/engines/formats/temporary_folder.h"

namespace speclab::experiments {
namespace {

constexpr const char* kBench =
    R"({"question_id": 81, "category": "writing", "turns": ["Write about rain.", "Shorter."]}
{"question_id": 82, "category": "maths", "turns": ["What is 3 + 4?"], "reference": ["7"]}
)";
constexpr const char* kSpeedBench =
    R"({"question_id": "a1", "category": "coding", "sub_category": "x", )"
    R"("turns": ["Sort a list."], "source": "s", "src_id": 1, "multiturn": false})"
    "\n"
    R"({"question_id": "a2", "category": "rag", "turns": ["Read this."], "multiturn": false})"
    "\n";
constexpr const char* kShareGpt =
    R"([{"id": "x_0", "conversations": [{"from": "human", "value": "Hello"}, )"
    R"({"from": "gpt", "value": "Hi"}]},)"
    "\n"
    R"({"id": "x_1", "conversations": [{"from": "gpt", "value": "Hi"}]}, )"
    R"({"id": "x_2", "conversations": []}])";
constexpr const char* kPlain =
    "{\"prompt\": \"First line.\"}\n\n{\"prompt\": \"Second\\nline.\"}\r\n";
constexpr const char* kMessages = R"({"id": "m", "messages": [{"role": "user", "content": "One"}, )"
                                  R"({"role": "assistant", "content": "Two"}]})";

class PromptFiles : public ::testing::Test {
 protected:
  PromptSet read(const std::string& name, const std::string& content) const {
    return read_prompt_set(folder_.file(name, content), "prompts");
  }
  std::string refusal(const std::string& name, const std::string& content) const {
    try {
      read(name, content);
      return "accepted";
    } catch (const ConfigError& error) {
      return error.what();
    }
  }

  const testing::TemporaryFolder folder_;
};

/// Each prompt as "id|category|text".
std::vector<std::string> told(const PromptSet& set) {
  std::vector<std::string> prompts;
  for (const Prompt& p : set.prompts) prompts.push_back(p.id + "|" + p.category + "|" + p.text);
  return prompts;
}

/// Defect: the files that everybody has on disk are no prompt sets.
TEST_F(PromptFiles, OfKnownBenchmarksGiveTheirFirstTurns) {
  const PromptSet bench = read("question.jsonl", kBench);
  EXPECT_EQ(told(bench), (std::vector<std::string>{"question-82|maths|What is 3 + 4?",
                                                   "question-81|writing|Write about rain."}));
  EXPECT_NE(bench.note().find("1 prompts have further turns"), std::string::npos) << bench.note();
  EXPECT_EQ(told(read("s.jsonl", kSpeedBench)),
            (std::vector<std::string>{"a1|coding|Sort a list.", "a2|rag|Read this."}));
  const PromptSet shared = read("sg.json", kShareGpt);
  EXPECT_EQ(told(shared), (std::vector<std::string>{"x_0|sg|Hello"}));
  EXPECT_NE(shared.note().find("2 conversations"), std::string::npos) << shared.note();
  EXPECT_EQ(told(read("m.jsonl", kMessages)), (std::vector<std::string>{"m|m|One"}));
}

/// Defect: a byte order mark, an empty line or a carriage return becomes part of a prompt.
TEST_F(PromptFiles, OfPlainLinesCountTheirLines) {
  const std::vector<std::string> expected{"mine:1|mine|First line.", "mine:3|mine|Second\nline."};
  EXPECT_EQ(told(read("mine.jsonl", kPlain)), expected);
  EXPECT_EQ(told(read("mine.jsonl", std::string("\xef\xbb\xbf") + kPlain)), expected);
  EXPECT_EQ(told(read("texts.jsonl", "\"only text\"\n")),
            (std::vector<std::string>{"texts:1|texts|only text"}));
}

/// Defect: a run measures placeholders or random ids, whose acceptance means nothing.
TEST_F(PromptFiles, WithoutRealPromptsAreRefusedWithTheReason) {
  const std::pair<const char*, const char*> cases[] = {
      {R"({"turns": ["FULL BENCHMARK DATA SHOULD BE FETCHED FROM THE SOURCE"]})", "placeholder"},
      {R"({"prompt": "<your prompt here>"})", "placeholder"},
      {R"({"prompt": [12, 7, 99]})", "token ids"},
      {R"({"prompt_token_ids": [12, 7, 99]})", "without a text"},
      {R"({"prompt": "812 3 4411 90 7 1 22 45"})", "random"},
      {R"({"prompt": "  "})", "not empty"},
      {R"({"completion": "x"})", "found the fields: completion"},
      {R"({"messages": [{"role": "system", "content": "s"}, {"role": "user", "content": "u"}]})",
       "system"},
      {R"({"prompt": "x", "category": "a\nb"})", "category"},
      {R"({"prompt": "x", "category": "all"})", "every category"},
      {R"({"prompt": "x")", "column 15"},
      {"{\"prompt\": \"\xff\"}", "UTF-8"},
      {"", "holds no prompts"}};
  for (const auto& [content, reason] : cases) {
    const std::string message = refusal("f.jsonl", content);
    EXPECT_NE(message.find(reason), std::string::npos) << content << "\n" << message;
    EXPECT_NE(message.find("f.jsonl"), std::string::npos) << message;
  }
  EXPECT_NE(
      refusal("f.jsonl", "{\"prompt\": \"ok\"}\n{\"prompt\": 3}\n").find("line 2: prompt = 3"),
      std::string::npos);
  EXPECT_NE(refusal("f.json", "[{\"prompt\": \"ok\"}, {\"x\": 1}]").find("record 2"),
            std::string::npos);
}

/// Defect: a prompt that holds a few numbers is taken for token ids.
TEST_F(PromptFiles, HoldNumbersUntilTheyAreARowOfIds) {
  EXPECT_EQ(read("p.jsonl", R"({"prompt": "2, 4, 8,"})").prompts.front().text, "2, 4, 8,");
  EXPECT_EQ(read("p.jsonl", R"({"prompt": "1 2 3 4 5 6 7"})").prompts.size(), 1u);
  EXPECT_NE(refusal("p.jsonl", R"({"prompt": "1 2 3 4 5 6 7 8"})").find("random"),
            std::string::npos);
}

/// Defect: a field that files of questions and texts have, or the ending of a file of lines, is no
/// longer known.
TEST_F(PromptFiles, HaveTheirTextInAnyOfTheFields) {
  for (const char* name : {"f.jsonl", "f.ndjson", "f.json"})
    EXPECT_EQ(told(read(name, "{\"question\": \"Why?\"}\n{\"text\": \"Once.\"}\n")),
              (std::vector<std::string>{"f:1|f|Why?", "f:2|f|Once."}))
        << name;
}

/// Defect: a value that is nested deeply enough overflows the stack of the printer.
TEST_F(PromptFiles, NestedDeeplyAreRefusedWithTheirPlace) {
  const std::string deep = std::string(200'000, '[') + std::string(200'000, ']'),
                    record = "{\"prompt\": " + deep + "}", good = "{\"prompt\": \"ok\"}";
  for (const auto& [name, content, place] :
       {std::tuple{"l.jsonl", good + "\n" + record, "line 2"},
        std::tuple{"a.json", "[" + good + "," + record + "]", "record 2"}}) {
    const std::string message = refusal(name, content);
    EXPECT_NE(message.find("nested deeper than 100"), std::string::npos) << message;
    EXPECT_NE(message.find(place), std::string::npos) << message;
    EXPECT_LT(message.size(), 400u);
  }
}

/// Defect: an editor's or a system's hidden file makes a folder unreadable.
TEST_F(PromptFiles, HiddenOnesAreSkipped) {
  make_folder(folder_.path("set"));
  folder_.file("set/talk.toml", "category = \"talk\"\n[[prompt]]\nid = \"t\"\ntext = \"Hi.\"\n");
  folder_.file("set/more.jsonl", kPlain);
  folder_.file("set/._talk.toml", "\x01\x02");
  folder_.file("set/notes.txt", "nothing");
  EXPECT_EQ(told(read_prompt_set(folder_.path("set"), "prompts")).size(), 3u);
}

/// Defect: pilots need a folder of their own, or are measured.
TEST_F(PromptFiles, HoldPilotsOutAtTheirEnds) {
  const PromptSet set = read("p.jsonl", "\"a\"\n\"b\"\n\"c\"\n");
  EXPECT_EQ(selected_prompts(set, {.per_category = 2, .held_out = 1}).back().text, "b");
  EXPECT_EQ(selected_prompts(set, {.table = "pilot", .from_end = true}).front().text, "c");
  EXPECT_THROW(selected_prompts(set, {.per_category = 3, .held_out = 1}), ConfigError);
  EXPECT_EQ(selected_prompts(set, {.per_category = 0}).size(), 3u);
}

/// Defect: a damaged file is read as other prompts, or ends the program.
TEST_F(PromptFiles, MutatedGiveAnErrorOrTheRightPrompts) {
  const std::pair<const char*, const char*> formats[] = {{"bench.jsonl", kBench},
                                                         {"speed.jsonl", kSpeedBench},
                                                         {"share.json", kShareGpt},
                                                         {"plain.jsonl", kPlain},
                                                         {"chat.jsonl", kMessages}};
  for (const auto& [name, content] : formats) {
    const std::vector<std::string> whole = told(read(name, content));
    for (std::uint32_t seed = 0; seed < 40; ++seed) {
      std::string mutant = content;
      const double chance = RngStream(7).uniform({.sequence = seed});
      const auto at = static_cast<std::size_t>(chance * static_cast<double>(mutant.size()));
      if (seed % 4 == 0) mutant.resize(at);
      if (seed % 4 == 1) mutant[at] = static_cast<char>(mutant[at] ^ 0x15);
      if (seed % 4 == 2) mutant.insert(at, "\"");
      if (seed % 4 == 3) mutant.erase(at, 3);
      std::vector<std::string> read_prompts;
      try {
        read_prompts = told(read(name, mutant));
      } catch (const ConfigError& error) {
        EXPECT_NE(std::string(error.what()).find(name), std::string::npos) << error.what();
        continue;
      }
      EXPECT_LE(read_prompts.size(), whole.size() + 1) << mutant;
      const auto num_new = std::ranges::count_if(read_prompts, [&](const std::string& prompt) {
        return std::ranges::find(whole, prompt) == whole.end();
      });
      EXPECT_LE(num_new, 1) << "one record was changed\n" << mutant;
    }
  }
}

}  // namespace
}  // namespace speclab::experiments
