// The built program as a user meets it: outputs, messages and exit codes of the commands that run a
// model.

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "sim/system/files.h"
#include "tests/engines/formats/temporary_folder.h"
#include "tests/experiments/program/program.h"
#include "tests/experiments/program/tiny_models.h"
#include "tests/support/test_size.h"

namespace speclab {
namespace {

using testing::expect_refusal;
using testing::Outcome;
using testing::run_program;
using testing::run_shell;
using testing::TinyModels;

std::string default_model() {
  return user_cache_folder() + "/models/smollm2-135m-instruct-q4_1.gguf";
}

/// A damaged copy of the default model's first part. @param change  edits the bytes
std::string damaged_model(const std::string& name, std::size_t size, void (*change)(std::string&)) {
  std::string bytes(size, '\0');
  std::ifstream(default_model(), std::ios::binary)
      .read(bytes.data(), static_cast<std::streamsize>(size));
  change(bytes);
  const std::string path = ::testing::TempDir() + "/" + name;
  write_file(path, bytes);
  return path;
}

/// A run of two cells a model that takes seconds, with a shape model beside the real one.
std::string small_run(const std::string& folder, const std::string& more) {
  return "run " SPECLAB_SOURCE_DIR
         "/experiments/configs/walltime_vs_temperature.toml --set 'target.model=[\"smollm2-135m\", "
         "\"shape-15m\"]'"
         " --set 'axes.temperature=[0.0]' --set 'axes.drafter=[\"none\", \"prompt_lookup\"]' --set "
         "'prompts.categories=[\"extraction\"]'"
         " --set prompts.per_category=1 --set pilot.per_category=1 --set prompts.new_tokens=6 "
         "--set costs.repetitions=1 --set 'costs.rows=[1]' --output " +
         folder + " " + more;
}

TEST(Program, RunsRealAndShapeModelsAndReportsThem) {
  const std::string folder = ::testing::TempDir() + "/small_run";
  std::filesystem::remove_all(folder);
  const Outcome run = run_program(small_run(folder, "--no-report 2>&1"));
  ASSERT_EQ(run.code, 0) << run.output;
  const std::string rows = read_file(folder + "/rows.csv");
  EXPECT_NE(rows.find("smollm2-135m,prompt_lookup,chain,auto,rejection"), std::string::npos)
      << rows;
  EXPECT_NE(rows.find("shape-15m,prompt_lookup,chain,auto,replay"), std::string::npos) << rows;
  EXPECT_NE(read_file(folder + "/manifest.toml").find("weights = \"random\""), std::string::npos);
  const Outcome again = run_program(small_run(folder, "2>&1"));  // complete, but for the report
  EXPECT_EQ(again.code, 0) << again.output;
  EXPECT_NE(again.output.find(folder + "/report.html"), std::string::npos) << again.output;
  EXPECT_NE(read_file(folder + "/report.html").find("Shape models have random weights"),
            std::string::npos);
}

/// Columns of a row of rows.csv from prompt_tokens on, which tell the counts of a generation.
std::string counts_of(const std::string& rows, const std::string& cell) {
  const std::size_t begin = rows.find("," + cell + ",");
  const std::string row = rows.substr(begin, rows.find('\n', begin) - begin);
  std::size_t at = 0;
  for (int column = 0; column < 12; ++column) at = row.find(',', at + 1);
  return row.substr(at);
}

/// Defect: a widened target replays, loads under another name, keeps other drafts than its source,
/// or a report that does not say whose acceptance it has.
TEST(Program, RunsWidenedModelsWithTheAcceptanceOfTheirSource) {
  const std::string folder = ::testing::TempDir() + "/widened_run";
  std::filesystem::remove_all(folder);
  const Outcome run = run_program(
      "run " SPECLAB_SOURCE_DIR
      "/experiments/configs/walltime_vs_widened_size.toml --set 'target.model=[\"smollm2-135m\", "
      "\"widened:640x1536x31\"]' --set target.threads=1 --set 'axes.drafter=[\"none\", "
      "\"feature_transformer\"]' --set 'prompts.categories=[\"extraction\"]' --set "
      "prompts.new_tokens=6 --set costs.repetitions=1 --set 'costs.rows=[1]' --set "
      "costs.new_tokens=16 --set 'axes.policy=[\"constant:3\"]' --output " +
      folder + " 2>&1");
  ASSERT_EQ(run.code, 0) << run.output;
  const std::string rows = read_file(folder + "/rows.csv");
  EXPECT_EQ(counts_of(rows, "smollm2-135m,feature_transformer"),
            counts_of(rows, "widened:640x1536x31,feature_transformer"))
      << rows;
  EXPECT_NE(read_file(folder + "/manifest.toml").find("weights = \"widened\""), std::string::npos);
  EXPECT_NE(read_file(folder + "/report.html").find("larger models usually differ in acceptance"),
            std::string::npos);
}

TEST(Program, SaysSoWhereStandardOutputIsFull) {
  EXPECT_EQ(run_program("models >/dev/full 2>/dev/null").code, 8);
}

/// A run of two cells of a tiny model.
std::string tiny_run(const std::string& folder) {
  return "run " SPECLAB_SOURCE_DIR
         "/experiments/configs/walltime_vs_temperature.toml --no-report --set 'axes.temperature="
         "[0.0]' --set 'axes.drafter=[\"none\", \"prompt_lookup\"]' --set "
         "'prompts.categories=[\"chat\"]' --set prompts.per_category=1 --set pilot.per_category=1 "
         "--set prompts.new_tokens=6 --set costs.repetitions=1 "
         "--set 'costs.rows=[1]' --set 'target.model=\"" +
         TinyModels::get().target() + "\"' --output " + folder;
}

/// A closed descriptor must not become the next file that is opened: messages would go into it.
TEST(Program, WritesNoMessageIntoAFileWhereStandardErrorIsClosed) {
  const std::string folder = ::testing::TempDir() + "/closed_descriptors";
  std::filesystem::remove_all(folder);
  const Outcome run = run_program(tiny_run(folder) + " 2>&- <&-");
  EXPECT_EQ(run.code, 0) << run.output;
  EXPECT_TRUE(std::filesystem::exists(folder + "/rows.csv"));
  EXPECT_EQ(read_file(folder + "/lock").find("measuring"), std::string::npos);
  EXPECT_EQ(run_program("models >&- 2>/dev/null").code, 8)
      << "what is printed to a closed standard output has not arrived";
}

TEST(Program, HelpEndsWithZeroAndGivesAnExample) {
  for (const char* command : {"generate", "tokenize", "law", "score", "verify", "models", "run",
                              "config", "report", "train", "predict", "reproduce"}) {
    const Outcome outcome = run_program(std::string(command) + " --help");
    EXPECT_EQ(outcome.code, 0);
    const std::size_t example = outcome.output.find("Example: ");
    ASSERT_NE(example, std::string::npos) << outcome.output;
    EXPECT_NE(outcome.output.find("speclab " + std::string(command), example), std::string::npos)
        << outcome.output;
  }
}

TEST(Program, RefusesWrongCommandLines) {
  const std::string generate = "generate --model " + TinyModels::get().target() + " ";
  expect_refusal("", 2, "a command is needed; allowed: generate, ");
  expect_refusal("generat --prompt x", 2, "no command 'generat'; allowed: generate, tokenize");
  expect_refusal(generate + "--prompt x --bogus 1", 2, "--bogus");
  for (const char* option : {"temperature", "top-k", "seed", "threads", "speculation-length"})
    expect_refusal(generate + std::string("--prompt x --") + option + " ''", 2, "''; allowed:");
  expect_refusal(generate + "--prompt x --seed -1", 2,
                 "'-1'; allowed: integers from 0 to 18446744073709551615");
  expect_refusal(generate + "--prompt x --seed 18446744073709551616", 2,
                 "allowed: integers from 0");
  expect_refusal(generate + "--prompt x --temperature warm", 2, "temperature");
  expect_refusal(generate + "--prompt x --temperature -1", 2, "temperature = -1; allowed");
  expect_refusal(generate + "--prompt x --top-p 1.5", 2, "top_p = 1.5; allowed");
  expect_refusal(generate + "--prompt x --max-new-tokens 0", 2, "max_new_tokens = 0; allowed");
  expect_refusal(generate + "--prompt x --drafter psychic", 2,
                 "drafter 'psychic'; allowed: none, unigram, bigram");
  expect_refusal(generate + "--prompt x --drafter small_transformer --tree 2xx", 2, "2xx");
  for (const char* drafter : {"plain", "none", "prompt_lookup"})
    expect_refusal(generate + std::string("--prompt x --tree 2x2 --drafter ") + drafter, 2,
                   "a drafter that draws trees: unigram, bigram");
  expect_refusal(generate + "--prompt x --drafter bigram --tree best_first:0", 2,
                 "NODES from 1 to 512");
  expect_refusal(generate + "--prompt x --drafter bigram --tree suffixes:31:5x3x2", 2,
                 "COUNT from 1 to what CHILDREN multiply to");
  expect_refusal("generate --prompt x --drafter bigram --tree beam:8 --policy confidence", 2,
                 "confidence ends chains");
  for (const char* policy : {"auto", "tracking", "confidence"})
    expect_refusal(
        generate + std::string("--prompt x --drafter bigram --tree best_first:adaptive --policy ") +
            policy,
        2, "allowed: heuristic, constant:N");
  expect_refusal(generate + "--prompt x --drafter prompt_lookup --drafter-model m", 2,
                 "which reads no model");
  expect_refusal(generate + "--prompt x --drafter mixture", 2, "name them in --drafter-parts");
  expect_refusal(generate + "--prompt x --drafter mixture --drafter-parts ngram", 2,
                 "allowed: 2 to 16");
  expect_refusal(
      generate + "--prompt x --drafter mixture --drafter-parts ngram,mixture", 2,
      "with the part 'mixture'; allowed: drafters that draft and are no mixtures: unigram, bigram");
  expect_refusal(generate + "--prompt x --drafter mixture --drafter-parts ngram,bigram:0", 2,
                 "a weight from 1e-6 to 1e6");
  expect_refusal(
      "generate --prompt x --drafter mixture --drafter-parts "
      "feature_transformer,lookup_transformer",
      2, "every model but n-grams once");
  expect_refusal(generate + "--prompt x --drafter ngram --drafter-parts ngram,bigram", 2,
                 "parts of a mixture");
  expect_refusal(generate + "--prompt x --verifier wishful", 2, "verifier 'wishful'; allowed");
  expect_refusal(generate + "--prompt x --verifier greedy --temperature 1", 2, "temperature 0");
  expect_refusal(generate + "--prompt-ids 1,,2", 2, "--prompt-ids");
  expect_refusal(generate + "--prompt-ids 1,99999999", 2,
                 "prompt token 99999999; allowed: 0 to 256");
  expect_refusal(generate, 2, "the prompt is empty");
  expect_refusal("generate --prompt \"$(printf 'a\\377')\"", 2, "byte 1: 0xff is no UTF-8");
  expect_refusal(generate + "--prompt-file /nowhere/at/all", 2, "/nowhere/at/all");
  expect_refusal(generate + "--prompt x --max-new-tokens 9000", 2, "context of 1024");
  expect_refusal(generate + "--prompt x --device abacus", 2, "device 'abacus'; allowed");
  expect_refusal(generate + "--prompt x --dtype float8", 2, "dtype 'float8'; allowed");
  expect_refusal(generate + "--prompt x --activations int8 --dtype bfloat16", 2,
                 "allowed: dtype file or q8");
  expect_refusal(generate + "--prompt x --cache-dtype bfloat16", 2, "activations 'exact'");
  expect_refusal(generate + "--prompt x --activations int8 --kernels reference", 2,
                 "kernels 'reference'");
  expect_refusal(generate + "--prompt x --weights streamed", 2, "bytes of memory, 1 or more");
  expect_refusal(generate + "--prompt x --resident-bytes 5", 2, "weights 'resident'");
  expect_refusal(generate + "--prompt x --weights streamed --resident-bytes 5", 2,
                 "allowed: at least");
  expect_refusal("score --file /nowhere", 2, "/nowhere");
  expect_refusal("train /nowhere.toml", 2, "/nowhere.toml");
  expect_refusal("train", 2, "train needs a config or a target");
  expect_refusal("train --target shape-15m --kind bigram", 2, "allowed with --target: ngram");
  expect_refusal("train --target shape-15m --kind ngram", 2, "has no tokenizer");
  expect_refusal("train /nowhere.toml --target shape-15m", 2, "excludes --target");
}

TEST(Program, RefusesModelsThatAreMissingDamagedOrOfAnotherKind) {
  expect_refusal("generate --prompt x --model no-such-model", 2, "no-such-model");
  const std::string truncated = damaged_model("truncated.gguf", 1 << 20, [](std::string&) {});
  expect_refusal("generate --prompt x --model " + truncated, 7, "truncated.gguf: byte");
  const std::string flipped =
      damaged_model("flipped.gguf", 1 << 22, [](std::string& bytes) { bytes[0] ^= 1; });
  expect_refusal("generate --prompt x --model " + flipped, 7, "flipped.gguf: magic");
  const std::string other = damaged_model("other.gguf", 98362432, [](std::string& bytes) {
    const std::size_t at = bytes.find("llama", bytes.find("general.architecture"));
    bytes.replace(at, 5, "mamba");
  });
  expect_refusal("generate --prompt x --model " + other, 7,
                 "'mamba'; allowed: llama, granite, qwen2");
  std::remove(other.c_str());
}

TEST(Program, RefusesADefaultModelWithAFlippedBitAmongTheWeights) {
  const std::string cache = ::testing::TempDir() + "/flipped_cache";
  make_folder(cache + "/models");
  const std::string copy = damaged_model("flipped_cache/models/smollm2-135m-instruct-q4_1.gguf",
                                         std::filesystem::file_size(default_model()),
                                         [](std::string& bytes) { bytes[60000000] ^= 0x10; });
  const Outcome outcome =
      run_shell("SPECLAB_CACHE=" + cache + " " + SPECLAB_PROGRAM + " generate --prompt x 2>&1");
  EXPECT_EQ(outcome.code, 7);
  EXPECT_NE(outcome.output.find("the file is damaged or another one"), std::string::npos)
      << outcome.output;
  std::remove(copy.c_str());
}

TEST(Program, TakesAnNgramDrafterAsAFolder) {
  const std::string common =
      "generate --json --temperature 0 --max-new-tokens 4 --prompt x --drafter bigram "
      "--drafter-model ";
  EXPECT_EQ(run_program(common + SPECLAB_SOURCE_DIR "/results/models/smollm2-bigram").code, 0);
  expect_refusal(common + SPECLAB_SOURCE_DIR "/results/models/smollm2-drafter", 7, "ngram.bin");
  expect_refusal(common + SPECLAB_SOURCE_DIR "/results/models/smollm2-5gram", 2, "order 5");
  expect_refusal(common + "/nowhere/at/all", 2, "/nowhere/at/all");
}

TEST(Program, TrainsNgramsOnTextFilesAndRefusesWhatIsNoText) {
  const testing::TemporaryFolder folder;
  const std::string model = folder.path("model");
  const auto config = [&](const std::string& file) {
    return folder.file("train.toml",
                       "[text]\nfiles = [\"" + file +
                           "\"]\n[drafter]\nkind = \"ngram\"\norder = 3\noutput = \"" + model +
                           "\"\n");
  };
  folder.file("empty.txt", "");
  folder.file("binary.txt", std::string("ab\0c", 4));
  folder.file("good.txt", "One fish, two fish, red fish, blue fish.");
  expect_refusal("train " + config("empty.txt"), 3, "empty.txt: an empty file");
  expect_refusal("train " + config("binary.txt"), 3, "binary.txt: byte 2: 0x00");
  EXPECT_FALSE(std::filesystem::exists(model));
  EXPECT_EQ(run_program("train " + config("good.txt") + " 2>/dev/null").code, 0);
  EXPECT_EQ(run_program("generate --json --temperature 0 --max-new-tokens 2 --prompt x --drafter "
                        "ngram --drafter-model " +
                        model + " 2>/dev/null")
                .code,
            0);
}

TEST(Program, AsksForCudaWhereThereIsNone) {
  if (access("/dev/nvidia0", F_OK) == 0) GTEST_SKIP() << "this machine has a GPU";
  expect_refusal("generate --prompt x --device cuda", 9, "no CUDA device");
}

TEST(Program, RefusesWhatTheCudaPathDoesNotHave) {
  expect_refusal("generate --prompt x --device cuda --dtype float32", 9, "bfloat16");
  expect_refusal("generate --prompt x --device cpu --rounds device", 2, "--device cuda");
  expect_refusal("generate --prompt x --rounds gpu", 2, "host, device");
  expect_refusal("generate --prompt x --device cuda --dtype float8", 2, "dtype 'float8'; allowed");
}

TEST(Program, RefusesADryRunOfAModelThatIsNowhere) {
  const testing::TemporaryFolder folder;
  const std::string config = folder.file(
      "nowhere.toml",
      "[axes]\ndrafter = [\"none\", \"mine\"]\n[drafters.mine]\nkind = "
      "\"small_transformer\"\nmodel = \"no/such/folder\"\n[target]\nmodel = \"smollm3\"\n");
  const std::string found =
      "drafters.mine.model = '" + folder.path("no/such/folder") +
      "', target.model = 'smollm3': neither a known model nor a file or folder, and models are not "
      "fetched; allowed: smollm2-135m, ";
  expect_refusal("run " + config + " --dry-run", 2, found);
  expect_refusal("run " + config + " --dry-run --set target.model=/dev/zero", 2,
                 "target.model = '/dev/zero': neither a known model nor a file or folder");
}

/// Defect: --dry-run passes a drafter, a context or a model that the run then refuses.
TEST(Program, RefusesADryRunOfModelsThatDoNotFit) {
  const testing::TemporaryFolder folder;
  const std::string run = "run " + folder.file("fit.toml", R"([prompts]
categories = ["chat"]
per_category = 1
[axes]
drafter = ["none", "mine"]
[drafters.mine]
kind = "small_transformer"
)") + " --dry-run --output " +
                          folder.path("run");
  EXPECT_EQ(run_program(run + " 2>&1").code, 0);
  const std::string other = testing::TinyModels::get().drafter();
  const std::string of_other = run + " --set drafters.mine.model=" + other;
  EXPECT_EQ(run_program(of_other + " 2>&1").code, 0) << "it crosses to the target's vocabulary";
  expect_refusal(of_other + " --set drafters.mine.kind=lookup_transformer", 2,
                 "has a vocabulary of");
  expect_refusal(run + " --set prompts.new_tokens=8190", 2, "has a context of 8192");
  const Outcome missing =
      run_shell("HOME=" + folder.path() + " XDG_CACHE_HOME= " SPECLAB_PROGRAM " " + run +
                " --set axes.drafter=none 2>&1");
  EXPECT_EQ(missing.code, 2);
  EXPECT_NE(missing.output.find("not here: smollm2-135m (run scripts/setup)"), std::string::npos)
      << missing.output;
}

/// Defect: a run or a training writes among files of something else, or does not resume.
TEST(Program, WritesIntoNoFolderOfSomethingElse) {
  const testing::TemporaryFolder folder;
  folder.file("letter.txt", "");
  const std::string run = std::string("run " SPECLAB_SOURCE_DIR
                                      "/experiments/configs/quickstart.toml --dry-run --output ") +
                          folder.path();
  expect_refusal(run, 2, "holds files of something else: letter.txt; give another --output");
  expect_refusal("train " SPECLAB_SOURCE_DIR
                 "/experiments/configs/train_smollm2_drafter.toml --output " +
                     folder.path(),
                 2, "holds files of something else: letter.txt");
  EXPECT_EQ(run_program(run + " --into-used-folder 2>&1").code, 0);
  folder.file("journal", "");
  EXPECT_EQ(run_program(run + " 2>&1").code, 0);
}

/// Defect: "~" behind an equals sign, which no shell expands, names a folder "~".
TEST(Program, ExpandsTheHomeFolderInOptions) {
  const testing::TemporaryFolder home;
  home.file("talk.json", R"([{"role": "user", "content": "Hi"}])");
  home.file("t.jinja", "{{ messages[0].content }}");
  const Outcome outcome = run_shell("HOME=" + home.path() +
                                    " " SPECLAB_PROGRAM
                                    " tokenize --text --messages='~/talk.json' "
                                    "--template='~/t.jinja' 2>&1");
  EXPECT_EQ(outcome.output, "Hi");
  expect_refusal("generate --prompt x --model='~/no-model'", 2, "/no-model': no such file");
  expect_refusal("generate --prompt x --model='~nobody-here/x'", 2, "there is no such user");
}

/// Defect: more threads than processors slow a command down without a word.
TEST(Program, WarnsOfMoreThreadsThanProcessors) {
  const Outcome outcome =
      run_shell("taskset -c 0 " SPECLAB_PROGRAM
                " generate --prompt x --max-new-tokens 1 --threads 2 2>&1 >/dev/null");
  EXPECT_EQ(outcome.code, 0);
  EXPECT_NE(outcome.output.find("warning: 2 threads for 1 processors"), std::string::npos)
      << outcome.output;
}

/// Every drafter, tree and policy gives plain decoding's tokens at temperature 0, in rounds that
/// add up.
TEST(Program, GivesTheSameTokensWithEveryDrafterAtTemperatureZero) {
  const auto generated = [](const std::string& options) {
    const Outcome outcome = run_program(
        "generate --json --temperature 0 --max-new-tokens 16 --ignore-eos --prompt "
        "'Repeat: one two three one two three' --drafter " +
        options);
    EXPECT_EQ(outcome.code, 0) << options << outcome.output;
    nlohmann::json object = nlohmann::json::parse(outcome.output);
    std::size_t emitted = 0;
    for (const auto& round : object.at("rounds")) emitted += round.at("emitted").get<std::size_t>();
    EXPECT_EQ(emitted, object.at("output_ids").size()) << options;
    EXPECT_GT(object.at("decode_seconds").get<double>(), 0.0) << options;
    return object.at("output_ids");
  };
  using Options = std::vector<std::string>;
  const nlohmann::json plain = generated("plain");
  const Options few{"prompt_lookup --speculation-length 8", "bigram --tree 2x2",
                    "lookup_ngram --speculation-length 3", "feature_transformer",
                    "mixture --drafter-parts feature_transformer:4,ngram,prompt_lookup"};
  const Options others{"none",
                       "unigram --speculation-length 3",
                       "ngram --speculation-length 3",
                       "lookup_ngram --tree best_first:8",
                       "small_transformer --tree beam:8:3",
                       "mlp_speculator --tree 3x2x1",
                       "mlp_speculator --tree suffixes:5:5x3x2",
                       "mlp_speculator --tree best_first:12:5x3x2",
                       "small_transformer --tree best_first:adaptive --policy heuristic",
                       "bigram --policy tracking",
                       "lookup_transformer --speculation-length 6",
                       "small_transformer --policy confidence"};
  for (const std::string& options : few) EXPECT_EQ(generated(options), plain) << options;
  for (const std::string& options : testing::by_size(Options{}, others, others))
    EXPECT_EQ(generated(options), plain) << options;
}

TEST(Program, DrawsTheDraftOfEveryRound) {
  const std::string generate =
      "generate --temperature 0.7 --max-new-tokens 10 --ignore-eos --prompt 'Repeat: one two three "
      "one two three' --drafter lookup_ngram ";
  const Outcome text = run_program(generate + "--tree 2x2 2>/dev/null"),
                drawn = run_program(generate + "--tree 2x2 --draw-trees 2>/dev/null");
  ASSERT_EQ(drawn.code, 0);
  for (const char* part : {"round 1: 6 drafted, ", "└─ \"", "  q ", ", p ", "  accepted\n"})
    EXPECT_NE(drawn.output.find(part), std::string::npos) << part << drawn.output;
  EXPECT_TRUE(drawn.output.ends_with(text.output)) << drawn.output;
  expect_refusal(generate + "--draw-trees --json", 2, "give one");
}

TEST(Program, DecodesWithEveryVerifierAndRepeatsItself) {
  const std::string common =
      "generate --json --max-new-tokens 12 --ignore-eos --temperature 0.8 --seed 3 --prompt 'abc' ";
  const auto ids = [&](const std::string& options) {
    const Outcome outcome = run_program(common + TinyModels::get().pair() + options);
    EXPECT_EQ(outcome.code, 0) << options;
    return nlohmann::json::parse(outcome.output).at("output_ids");
  };
  const auto plain =
      nlohmann::json::parse(run_program(common + "--drafter plain --no-chat-template --model " +
                                        TinyModels::get().target())
                                .output)
          .at("output_ids");
  for (const char* verifier :
       {"rejection", "sample_and_match", "point_mass", "block", "several_drafts",
        "lenient --lenience 0.5 --lenient-residual lenient", "typical --typical-epsilon 0.2"})
    EXPECT_EQ(ids(std::string("--verifier ") + verifier),
              ids(std::string("--verifier ") + verifier))
        << verifier;
  EXPECT_EQ(ids("--verifier sample_and_match"), plain) << "the target's own draws decide";
  for (const char* verifier : {"tree_naive", "tree_multi_round", "tree_without_replacement",
                               "several_drafts", "point_mass"})
    EXPECT_EQ(ids(std::string("--tree 2x2 --verifier ") + verifier).size(), 12U) << verifier;
  EXPECT_EQ(ids("--tree 2x2 --verifier tree_naive"), plain);
  const Outcome lossy =
      run_program("generate --json --max-new-tokens 2 --prompt x --verifier typical" +
                  TinyModels::get().pair() + "2>/dev/null");
  EXPECT_EQ(nlohmann::json::parse(lossy.output).at("settings").at("lossless"), false);
  expect_refusal("generate --prompt x --drafter small_transformer --tree 2x2 --verifier block", 2,
                 "allowed: chain");
  expect_refusal("generate --prompt x --verifier lenient --lenience 0", 2,
                 "lenience = 0; allowed: numbers in (0, 1]");
  expect_refusal("generate --prompt x --lenience 0.5", 2,
                 "--lenience: --verifier is rejection; allowed: only with --verifier lenient");
  expect_refusal("verify --verifier lenient --typical-delta 0.5", 2,
                 "--typical-delta: --verifier is lenient; allowed: only with --verifier typical");
}

TEST(Program, MeasuresCostsForThePolicyAuto) {
  const std::string generate =
      "generate --temperature 0 --max-new-tokens 12 --ignore-eos --prompt 'Count to ten.' ";
  const Outcome plain = run_program(generate + "--drafter plain 2>/dev/null");
  for (const char* drafter : {"prompt_lookup", "small_transformer --tree 2x1"}) {
    const testing::TemporaryFolder folder;
    const Outcome automatic =
        run_program(generate + "--policy auto --drafter " + drafter + " 2>" + folder.path("said"));
    EXPECT_EQ(automatic.code, 0);
    EXPECT_EQ(automatic.output, plain.output) << drafter;
    const std::string said = read_file(folder.path("said"));
    EXPECT_NE(said.find("policy auto: costs measured in"), std::string::npos) << said;
  }
}

TEST(Program, EndsWith130AndASentenceWhenGenerateIsInterrupted) {
  const std::string text = ::testing::TempDir() + "/interrupted.txt";
  const Outcome outcome =
      run_shell("rm -f " + text + "; " + SPECLAB_PROGRAM +
                " generate --ignore-eos --max-new-tokens 8000 --prompt x 2>&1 >" + text +
                " & pid=$!; until [ -s " + text +
                " ] || ! kill -0 $pid; do sleep 0.1; done; kill -INT $pid; wait $pid; exit $?");
  EXPECT_EQ(outcome.code, 130) << outcome.output;
  EXPECT_NE(outcome.output.find("interrupted; the text is not finished"), std::string::npos)
      << outcome.output;
}

TEST(Program, EndsWith8WhenItsOutputCannotBeWritten) {
  for (const char* arguments :
       {"generate --prompt x --max-new-tokens 2 --json", "models", "tokenize --raw <<'E'\nx\nE\n"})
    EXPECT_EQ(run_program("2>/dev/null >/dev/full " + std::string(arguments)).code, 8) << arguments;
}

}  // namespace
}  // namespace speclab
