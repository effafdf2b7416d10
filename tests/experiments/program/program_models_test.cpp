// `speclab models`, `models inspect` and `score` on tiny checkpoints of other families.

#include <cmath>
#include <cstring>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "sim/system/files.h"
#include "tests/engines/formats/temporary_folder.h"
#include "tests/experiments/program/program.h"
#include "tests/support/family_files.h"

namespace speclab {
namespace {

using namespace speclab::testing;
using nlohmann::json;

json json_of(const std::string& arguments) {
  const Outcome outcome = run_program(arguments + " 2>&1");
  EXPECT_EQ(outcome.code, 0) << arguments << "\n" << outcome.output;
  return json::parse(outcome.output, nullptr, false);
}

/// A checkpoint of a fixture in a folder of its own.
class Checkpoint {
 public:
  explicit Checkpoint(const std::string& name) : fixture(read_family(name)) {
    write_family_folder(fixture, fixture.target, folder.path());
  }

  std::string prompt_ids() const {
    std::string text;
    for (const Token id : fixture.prompt) text += (text.empty() ? "" : ",") + std::to_string(id);
    return text;
  }

  FamilyFixture fixture;
  TemporaryFolder folder;
};

/// -ln p of the next token, by the logits of transformers.
double expected_value(const FamilyFixture& fixture, std::size_t i) {
  double sum = 0;
  for (const float logit : fixture.logits[i]) sum += std::exp(static_cast<double>(logit));
  const auto next = static_cast<std::size_t>(fixture.prompt[i + 1]);
  return std::log(sum) - static_cast<double>(fixture.logits[i][next]);
}

/// Defect: score needs a tokenizer for ids, or its values belong to other positions.
TEST(ProgramScore, ScoresIdsWithoutATokenizer) {
  const Checkpoint model("llama");
  const json object = json_of("score --dtype float32 --json --model " + model.folder.path() +
                              " --prompt-ids " + model.prompt_ids());
  ASSERT_EQ(object.at("ids").get<std::vector<Token>>(), model.fixture.prompt);
  const auto values = object.at("values").get<std::vector<double>>();
  ASSERT_EQ(values.size() + 1, model.fixture.prompt.size());
  double sum = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    EXPECT_NEAR(values[i], expected_value(model.fixture, i), 1e-3) << i;
    sum += values[i];
  }
  EXPECT_NEAR(object.at("mean_negative_log_likelihood").get<double>(),
              sum / static_cast<double>(values.size()), 1e-12);
}

/// Defect: the model's own choice stands at another place, or ties count against the text.
TEST(ProgramScore, ConfirmsTheModelsOwnText) {
  const Checkpoint model("llama");
  std::string ids = model.prompt_ids();
  for (const Token token : model.fixture.greedy) ids += "," + std::to_string(token);
  const json object = json_of("score --confirm --dtype float32 --json --model " +
                              model.folder.path() + " --prompt-ids " + ids);
  const std::size_t prompt = model.fixture.prompt.size();
  std::size_t confirmed = 0;
  for (const json& place : object.at("positions")) {
    const bool is_own = place.at("own") == place.at("id");
    confirmed += is_own ? 1 : 0;
    EXPECT_EQ(place.at("rank") == 1, is_own) << place;
    EXPECT_EQ(place.at("margin") > 0.0, is_own) << place;
    if (place.at("position") < prompt) continue;
    const std::size_t step = place.at("position").get<std::size_t>() - prompt;
    EXPECT_TRUE(is_own) << place;
    EXPECT_EQ(place.at("id"), model.fixture.greedy.at(step));
    EXPECT_NEAR(place.at("margin").get<double>(), model.fixture.margins.at(step), 1e-3);
  }
  EXPECT_EQ(object.at("confirmed"), confirmed);
}

/// Defect: without a tokenizer an empty line stands where the text would, and the ids are lost.
TEST(ProgramGenerate, PrintsIdsWhereThereIsNoText) {
  const Checkpoint model("llama");
  const std::string arguments = "generate --model " + model.folder.path() + " --prompt-ids " +
                                model.prompt_ids() +
                                " --max-new-tokens 3 --ignore-eos --temperature 0";
  std::string ids = json_of(arguments + " --json").at("output_ids").dump();
  ids = ids.substr(1, ids.size() - 2);
  EXPECT_EQ(run_program(arguments + " 2>/dev/null").output, ids + "\n");
  const Outcome summary = run_program(arguments + " 2>&1 >/dev/null");
  EXPECT_NE(summary.output.find(" in bfloat16 on cpu, kernels "), std::string::npos)
      << summary.output;
}

/// Defect: the file lacks the last row, or NumPy reads another shape.
TEST(ProgramScore, WritesTheLogitsOfAllRows) {
  const Checkpoint model("llama_odd");
  const std::string path = model.folder.path("logits.npy");
  json_of("score --dtype float32 --json --model " + model.folder.path() + " --prompt-ids " +
          model.prompt_ids() + " --logits " + path);
  const std::string bytes = read_file(path);
  const std::size_t rows = model.fixture.prompt.size(), vocab = model.fixture.logits[0].size();
  ASSERT_GT(bytes.size(), rows * vocab * 4);
  const std::size_t begin = bytes.size() - rows * vocab * 4;
  EXPECT_EQ(begin % 64, 0u);
  EXPECT_EQ(bytes.substr(0, 8), std::string("\x93NUMPY\x01\x00", 8));
  EXPECT_NE(bytes.find("'shape': (24, 97)"), std::string::npos);
  std::vector<float> found(rows * vocab);
  std::memcpy(found.data(), bytes.data() + begin, found.size() * 4);
  for (std::size_t i = 0; i < found.size(); ++i)
    ASSERT_NEAR(found[i], model.fixture.logits[i / vocab][i % vocab], 2e-3) << i;
}

/// Catches options that do not reach the model, and a checkpoint that is silently expanded.
TEST(ProgramModels, RunsInTheArithmeticThatIsAskedFor) {
  const Checkpoint model("llama");
  const std::string call =
      "generate --prompt-ids 1,2 --max-new-tokens 2 --temperature 0 --ignore-eos --drafter plain "
      "--json --model " +
      model.folder.path() + " ";
  const auto dtype_of = [&](const std::string& options) {
    return json_of(call + options).at("settings").at("dtype");
  };
  EXPECT_EQ(dtype_of("--dtype q8"), "q8");
  EXPECT_EQ(dtype_of("--dtype q8 --activations int8"), "q8 x int8");
  EXPECT_EQ(dtype_of("--dtype q8 --activations bfloat16 --cache-dtype float32"),
            "q8 x bfloat16, cache float32");
  expect_refusal(call + "--dtype file", 2, "dtype q8, or a GGUF file");
  expect_refusal(call + "--activations int8", 2, "dtype q8, or a GGUF file");
}

/// Defect: ids that no model has are scored, and a failed call leaves half a file.
TEST(ProgramScore, RefusesWhatItCannotScore) {
  const Checkpoint model("llama");
  const std::string with = "score --model " + model.folder.path();
  expect_refusal(with, 2, "--prompt-ids 1,2,3");
  expect_refusal(with + " --prompt-ids 1", 2, "1 tokens; allowed: at least 2");
  expect_refusal(with + " --prompt-ids 1,96", 2, "id 96; allowed: 0 to 95");
  expect_refusal(with + " --prompt-ids 1,2 --file x", 2, "excludes");
  expect_refusal(with + " --prompt-ids 1,2 --logits " + model.folder.path("none/x.npy"), 8,
                 "cannot write");
  EXPECT_FALSE(std::filesystem::exists(model.folder.path("none")));
}

/// Defect: --logits replaces a file of the model, a device, a link, or another file beside it.
TEST(ProgramScore, ReplacesNothingButAnOldTable) {
  const Checkpoint model("llama");
  const TemporaryFolder folder;
  const std::string to = "score --prompt-ids 1,2,3 --model " + model.folder.path() + " --logits ";
  expect_refusal(to + "''", 2, "an empty text");
  expect_refusal(to + model.folder.path("config.json"), 2, "a file of the model");
  expect_refusal(to + "/dev/null", 8, "not a regular file");
  folder.file("x.npy.part", "another");
  expect_refusal(to + folder.path("x.npy"), 8, "x.npy.part, which is there already");
  EXPECT_EQ(read_file(folder.path("x.npy.part")), "another");
  std::filesystem::create_symlink(folder.path("x.npy.part"), folder.path("link.npy"));
  expect_refusal(to + folder.path("link.npy"), 8, "a link");
  for (int turn = 0; turn < 2; ++turn) {
    const Outcome outcome = run_program(to + model.folder.path("own.npy") + " 2>&1");
    EXPECT_EQ(outcome.code, 0) << outcome.output;
  }
}

/// Defect: a part of a split model, or a text that is scored, is replaced by the logits.
TEST(ProgramScore, DoesNotReplaceWhatItReads) {
  const TemporaryFolder folder;
  const std::string first = folder.file("m-00001-of-00002.gguf", "no model"),
                    second = folder.file("m-00002-of-00002.gguf", "no model"),
                    text = folder.file("text", "text");
  expect_refusal("score --prompt-ids 1,2 --model " + first + " --logits " + second, 2,
                 "a file of the model");
  expect_refusal("score --file " + text + " --logits " + text, 2, "the text that is scored");
  EXPECT_EQ(read_file(second) + read_file(text), "no modeltext");
}

/// Defect: the logits of damaged weights are scored as "nan nats" or null, with exit code 0.
TEST(ProgramScore, RefusesLogitsThatAreNotFinite) {
  const Checkpoint model("llama");
  std::string bytes = read_file(model.folder.path("model.safetensors"));
  std::uint64_t header = 0;
  std::memcpy(&header, bytes.data(), sizeof header);
  const float nan = std::nanf("");
  for (std::size_t i = sizeof header + header; i + sizeof nan <= bytes.size(); i += sizeof nan)
    std::memcpy(&bytes[i], &nan, sizeof nan);
  model.folder.file("model.safetensors", bytes);
  const std::string to = model.folder.path("x.npy");
  expect_refusal(
      "score --json --prompt-ids 1,2,3 --model " + model.folder.path() + " --logits " + to, 7,
      "logits are not finite");
  EXPECT_FALSE(std::filesystem::exists(to) || std::filesystem::exists(to + ".part"));
}

/// Defect: inspect tells people something and programs nothing, or hides what a model lacks.
TEST(ProgramModels, InspectAFolderForPeopleAndPrograms) {
  const Checkpoint model("llama");
  const std::string name = std::filesystem::path(model.folder.path()).filename();
  const json page = json_of("models inspect --json " + model.folder.path());
  EXPECT_EQ(page.at("name"), name);
  EXPECT_EQ(page.at("layers"), 2);
  EXPECT_TRUE(page.at("tokenizer").is_null());
  EXPECT_EQ(page.at("stored").at(0).at("type"), "F32");
  EXPECT_EQ(page.at("stored").at(0).at("tensors"), model.fixture.tensors.size());
  EXPECT_NE(page.at("lacking").dump().find("no tokenizer"), std::string::npos);
  const Outcome people = run_program("models inspect " + model.folder.path());
  EXPECT_EQ(people.code, 0);
  EXPECT_NE(people.output.find("layers            2\n"), std::string::npos) << people.output;
  EXPECT_NE(people.output.find("\nweight_bytes  bytes of weights that"), std::string::npos);
  EXPECT_NE(people.output.find("no tokenizer"), std::string::npos) << people.output;
}

/// Defect: inspect loads weights to describe them: 26 GB here.
TEST(ProgramModels, InspectHoldsNoWeights) {
  const Outcome outcome = run_program("models inspect --json shape-llama-2-13b");
  ASSERT_EQ(outcome.code, 0) << outcome.output;
  EXPECT_EQ(json::parse(outcome.output).at("layers"), 40);
}

/// Defect: a widened model hides what it was made of, or that its acceptance is the small model's.
TEST(ProgramModels, InspectAWidenedModelWithItsSource) {
  const Outcome outcome = run_program("models inspect --json widened:shape-8b");
  ASSERT_EQ(outcome.code, 0) << outcome.output;
  const json page = json::parse(outcome.output),
             source = json::parse(run_program("models inspect --json smollm2-135m").output);
  EXPECT_EQ(page.at("name"), "widened:shape-8b");
  EXPECT_EQ(page.at("hidden_size"), 4096);
  EXPECT_EQ(page.at("widened_from"), "smollm2-135m, 576x1536x30");
  EXPECT_EQ(page.at("sha256"), source.at("sha256"));
  EXPECT_NE(page.at("lacking").dump().find("acceptance"), std::string::npos);
  expect_refusal("models inspect widened:shape-3b", 2, "a number of layers of 28");
}

/// Defect: inspect accepts a file that loading refuses by the name of a tensor.
TEST(ProgramModels, InspectRefusesWhatLoadingRefuses) {
  const Checkpoint model("llama");
  const std::string path = model.folder.path("config.json");
  json config = json::parse(read_file(path));
  config["num_hidden_layers"] = 3;
  write_file(path, config.dump());
  expect_refusal("models inspect " + model.folder.path(), 7, "layers.2.");
}

/// Defect: a tokenizer of an unknown kind keeps a model from commands that need no text.
TEST(ProgramModels, RunOnIdsWhereTheTokenizerCannotBeRead) {
  const Checkpoint model("llama");
  write_file(model.folder.path("tokenizer.json"), R"({"model": {"type": "WordPiece"}})");
  const std::string of_model = " --model " + model.folder.path();
  const json page = json_of("models inspect --json " + model.folder.path());
  EXPECT_TRUE(page.at("tokenizer").is_null());
  EXPECT_NE(page.at("lacking").dump().find("WordPiece"), std::string::npos) << page.dump();
  for (const char* command : {"score --prompt-ids 1,2,3",
                              "generate --temperature 0 --max-new-tokens 2 --prompt-ids 1,2,3"}) {
    const Outcome outcome = run_program(command + of_model + " 2>&1");
    EXPECT_EQ(outcome.code, 0) << outcome.output;
    EXPECT_NE(outcome.output.find("text is not available"), std::string::npos) << outcome.output;
    EXPECT_NE(outcome.output.find("WordPiece"), std::string::npos) << outcome.output;
  }
  expect_refusal("generate --prompt x" + of_model, 7, "WordPiece");
  expect_refusal("generate --prompt-ids 1,2 --stop x" + of_model, 7, "WordPiece");
}

/// Defect: inspect finds nothing amiss with a tokenizer that has more tokens than the model rows.
TEST(ProgramModels, InspectSaysWhichTokensHaveNoRow) {
  const Checkpoint model("llama");
  json tokenizer = {{"pre_tokenizer", {{"type", "ByteLevel"}}},
                    {"model", {{"type", "BPE"}, {"merges", json::array()}}}};
  const auto lacking = [&](int tokens) {
    for (int id = 0; id < tokens; ++id) tokenizer["model"]["vocab"]["a" + std::to_string(id)] = id;
    write_file(model.folder.path("tokenizer.json"), tokenizer.dump());
    return json_of("models inspect --json " + model.folder.path()).at("lacking").dump();
  };
  EXPECT_EQ(lacking(96).find("rows"), std::string::npos);
  EXPECT_NE(lacking(260).find("the tokenizer has 260, the model 96"), std::string::npos);
}

/// Defect: inspect does not say what ends a text, or where that and the chat template were found.
TEST(ProgramModels, InspectTheTokenizerOfTheDefaultModel) {
  const json page = json_of("models inspect --json smollm2-135m");
  EXPECT_EQ(page.at("name"), "smollm2-135m");
  EXPECT_EQ(page.at("tokenizer"), "byte-level BPE");
  EXPECT_EQ(page.at("ends").at(0).at("text"), "<|im_end|>");
  EXPECT_NE(page.at("ends").at(0).at("found_in").dump().find("eos_token_id"), std::string::npos);
  EXPECT_EQ(page.at("chat_templates").at(0).at("name"), "default");
  EXPECT_TRUE(page.at("lacking").empty());
  const Outcome people = run_program("models inspect smollm2-135m");
  EXPECT_NE(people.output.find("<|im_end|> ("), std::string::npos) << people.output;
}

/// Defect: a model that has yet to be fetched looks like one that is there.
TEST(ProgramModels, SayWhatBringsAMissingFile) {
  const TemporaryFolder cache;
  const Outcome outcome =
      run_shell("SPECLAB_CACHE=" + cache.path() + " " + SPECLAB_PROGRAM + " models --json");
  ASSERT_EQ(outcome.code, 0);
  const json page = json::parse(outcome.output);
  const json& fetched = page.at("models").at(1);
  EXPECT_EQ(fetched.at("name"), "qwen2.5-coder-0.5b");
  EXPECT_EQ(fetched.at("fetched_by"), "scripts/fetch_model qwen2.5-coder-0.5b");
  EXPECT_EQ(page.at("models").at(0).at("is_there"), false);
  const Outcome missing = run_shell("SPECLAB_CACHE=" + cache.path() + " " + SPECLAB_PROGRAM +
                                    " generate --model gemma3-270m --prompt x 2>&1");
  EXPECT_EQ(missing.code, 2);
  EXPECT_NE(missing.output.find("run scripts/fetch_model gemma3-270m"), std::string::npos)
      << missing.output;
}

/// Defect: the name that a person gives does not reach the output.
TEST(ProgramModels, TakeANameForTables) {
  const Checkpoint model("llama");
  const std::string call = "generate --json --prompt-ids 1,2 --max-new-tokens 1 --model ";
  EXPECT_EQ(
      json_of(call + model.folder.path() + " --model-name mine").at("settings").at("model_name"),
      "mine");
}

}  // namespace
}  // namespace speclab
