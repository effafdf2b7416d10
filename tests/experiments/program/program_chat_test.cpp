// Conversations on the command line: messages, tools, system messages and templates of one's own.

#include <nlohmann/json.hpp>

#include "sim/system/files.h"
#include "tests/experiments/program/program.h"

namespace speclab {
namespace {

using testing::expect_refusal;
using testing::Outcome;
using testing::run_program;

/// The path of a file with this text in the folder of tests.
std::string file_with(const std::string& name, const std::string& text) {
  const std::string path = ::testing::TempDir() + "/speclab_chat_" + name;
  write_file(path, text);
  return path;
}

std::string messages() {
  return file_with("messages.json", R"([{"role": "user", "content": "Hi", "z": 1, "a": [null]}])");
}

std::string rendered(const std::string& source, const std::string& more = "") {
  return run_program("tokenize --text --messages " + messages() + " --template " +
                     file_with("t.jinja", source) + " " + more)
      .output;
}

/// Defect: a message loses keys or their order, or the text gets a line feed of its own.
TEST(ProgramChat, PrintsTheRenderedTextAndNothingElse) {
  EXPECT_EQ(rendered("{{ messages|tojson }}\n"),
            R"([{"role": "user", "content": "Hi", "z": 1, "a": [null]}])");
  EXPECT_EQ(rendered("a\n\n"), "a\n");
}

/// Defect: a template of one's own sees other variables than those that are given.
TEST(ProgramChat, KnowsGivenVariablesAndNoOthers) {
  const std::string names =
      "{{ bos_token }}|{{ tools }}|{{ documents }}|{{ x is defined }}|"
      "{{ add_generation_prompt }}";
  EXPECT_EQ(rendered(names), "|None|None|False|False");
  EXPECT_EQ(rendered(names, "--add-generation-prompt --tools " + file_with("tools.json", "[7]") +
                                " --template-variables " +
                                file_with("v.json", R"({"bos_token": "<s>", "x": null})")),
            "<s>|[7]|None|True|True");
}

/// Defect: the ids of a conversation differ from what generate reads, or begin twice.
TEST(ProgramChat, TokenizesAsGenerateDoes) {
  const std::string file = "--messages " + messages();
  const Outcome ids = run_program("tokenize --add-generation-prompt " + file);
  const Outcome generated =
      run_program("generate --json --max-new-tokens 1 --temperature 0 " + file);
  EXPECT_EQ(nlohmann::json::parse(ids.output),
            nlohmann::json::parse(generated.output).at("prompt_ids"));
  const Outcome prompt =
      run_program("generate --json --max-new-tokens 1 --temperature 0 --prompt Hi");
  EXPECT_EQ(nlohmann::json::parse(prompt.output).at("prompt_ids"),
            nlohmann::json::parse(ids.output));
}

/// Defect: the system message is lost, or stands behind the others.
TEST(ProgramChat, PutsTheSystemMessageFirst) {
  const Outcome generated =
      run_program("generate --json --max-new-tokens 1 --temperature 0 --system Short. --prompt Hi");
  const std::string ids = nlohmann::json::parse(generated.output).at("prompt_ids").dump();
  EXPECT_EQ(run_program("tokenize --decode <<'E'\n" + ids + "\nE\n").output,
            nlohmann::json("<|im_start|>system\nShort.<|im_end|>\n<|im_start|>user\nHi<|im_end|>\n"
                           "<|im_start|>assistant\n")
                    .dump() +
                "\n");
}

/// Defect: a refusal has the wrong exit code, or does not name option, file and what is allowed.
TEST(ProgramChat, RefusesInWords) {
  const auto refused = [](const std::string& source, int code, const std::string& part) {
    expect_refusal(
        "tokenize --text --messages " + messages() + " --template " + file_with("t.jinja", source),
        code, part);
  };
  refused("{{ raise_exception('Roles must alternate') }}", 2, "Roles must alternate");
  refused("\n{% if %}", 7, "t.jinja, line 2:");
  refused("{{ messages|nope }}", 2, "filter 'nope' is not known; allowed: abs");
  refused("{% for i in range(99999) %}{% for j in range(99999) %}{% endfor %}{% endfor %}", 2,
          "more than the limit");
  const std::string mine = " --text --template " + file_with("t.jinja", "x");
  const auto bad = [&](const std::string& json, const std::string& part) {
    expect_refusal("tokenize --messages " + file_with("bad.json", json) + mine, 2, part);
  };
  bad("{}", "bad.json: a JSON object; allowed: an array");
  bad("[]", "an empty array; allowed: at least one message");
  bad("[1", "no valid JSON at byte");
  bad("[123456789012345678901]", "allowed: integers of at most 64 bits");
  bad(std::string(200, '[') + std::string(200, ']'), "nested deeper than 100");
  bad("[\"\xff\"]", "no valid JSON at byte");
  expect_refusal("tokenize --messages /nowhere.json" + mine, 2, "--messages /nowhere.json");
  expect_refusal("tokenize --text", 2, "--text requires --messages");
  expect_refusal("generate --messages " + messages() + " --prompt x", 2, "excludes --messages");
  expect_refusal("generate --no-chat-template --system x --prompt y", 2, "excludes --system");
  expect_refusal("generate --system x --messages " +
                     file_with("s.json", R"([{"role": "system", "content": "y"}])"),
                 2, "the messages begin with a system message");
}

}  // namespace
}  // namespace speclab
