#include "experiments/drivers/config/run_config.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "sim/system/errors.h"
#include "tests/engines/formats/temporary_folder.h"
#include "tests/experiments/drivers/config/refusal.h"

namespace speclab::experiments {
namespace {

using testing::refusal;

struct ConfigMistake {
  const char* text;      ///< of the config
  const char* position;  ///< expected line:column
  const char* found;     ///< part of the message
};

const ConfigMistake kConfigMistakes[] = {
    {"[experiment]\nknd = \"decoding\"\n", "2:1", "did you mean kind?"},
    {"[experiment]\nkind = \"dekoding\"\n", "2:8", "allowed: decoding, cost_surface"},
    {"[experiment]\nname = \"a/b\"\n", "2:8", "experiment.name = \"a/b\""},
    {"[experiment]\nname = \"\"\n", "2:8", "letters"},
    {"[experiment]\nseed = -1\n", "2:8", "integers >= 0"},
    {"[experiment]\nseed = 99999999999999999999\n", "2:8", "64 bits"},
    {"[experiment]\nrepetitions = 0\n", "2:15", "integers from 1"},
    {"[experiment]\nrepetitions = 1.5\n", "2:15", "experiment.repetitions = 1.5"},
    {"[experiment]\nrepetitions = \"2\"\n", "2:15", "\"2\""},
    {"[experiment]\nseed = 1\nseed = 2\n", "3:8", "cannot redefine"},
    {"[experimnt]\nseed = 1\n", "1:2", "did you mean experiment?"},
    {"experiment = 1\n", "1:14", "a table"},
    {"seed = 1\n", "1:1", "unknown key seed"},
    {"[target]\nmodel = []\n", "2:9", "at least one"},
    {"[target]\nmodel = [\"a\", \"a\"]\n", "2:15", "each value once"},
    {"[target]\nmodel = 3\n", "2:9", "strings"},
    {"[target]\nmodel = [\"m\", \"two\\nlines\"]\n", "2:15", "without control characters"},
    {"[axes]\npolicy = \"constant:4\\n\"\n", "2:10", ""},
    {"[axes]\ndrafter = \"small_transformer\"\ntree = \"2x2\\n\"\n", "3:8", ""},
    {"[target]\nmodel = [\"shape-15m\"]\n", "2:9", "one real model"},
    {"[experiment]\nkind = \"rule_atlas\"\n[target]\nmodel = [\"m\", "
     "\"shape-15m\"]\n[axes]\ndrafter = \"bigram\"\n",
     "4:9", "the kind rule_atlas reads their laws"},
    {"[target]\nmodel = [\"a\", \"b\", \"shape-15m\"]\n", "2:9", "exactly one real model"},
    {"[target]\ndevice = \"tpu\"\n", "2:10", "auto, cpu, cuda"},
    {"[target]\ndtype = \"int4\"\n", "2:9", "auto, file, q8, float32, bfloat16"},
    {"[target]\narithmetic = \"fast\"\n", "2:14",
     "rows never depend on their number; remove the key"},
    {"[target]\nrounds = \"gpu\"\n", "2:10", "host, device"},
    {"[target]\ndevice = \"cpu\"\nrounds = \"device\"\n", "3:10", "host if target.device is cpu"},
    {"[target]\ndevice = \"cuda\"\ndtype = \"float32\"\n", "3:9", "auto or bfloat16"},
    {"[target]\ndevice = \"cuda\"\ndtype = \"file\"\n", "3:9", "auto or bfloat16"},
    {"[target]\ndtype = \"bfloat16\"\nactivations = \"int8\"\n", "3:15", "exact if"},
    {"[target]\ndtype = \"q8\"\ncache_dtype = \"bfloat16\"\n", "3:15", "auto or float32 if"},
    {"[target]\nweights = \"streamed\"\n", "2:11", "resident_bytes of 1 or more"},
    {"[target]\nresident_bytes = 5\n", "2:18", "0 if target.weights is resident"},
    {"[target]\nresident_bytes = -5\n", "2:18", "integers >= 0"},
    {"[target]\ndtype = \"q8\"\nweights = \"streamed\"\nresident_bytes = 5\n", "2:9",
     "if target.weights is streamed"},
    {"[target]\nchat_template = \"on\"\n", "2:17", "auto, off"},
    {"[target]\nthreads = -2\n", "2:11", "integers from 0"},
    {"[drafters.mine]\nkind = \"trigram\"\n", "2:8",
     "unigram, bigram, ngram, prompt_lookup, lookup_ngram"},
    {"[drafters.mine]\nmodel = \"x\"\n", "1:1", "drafters.mine.kind is missing"},
    {"[drafters.bigram]\nkind = \"bigram\"\n", "1:11", "no kind of drafter"},
    {"[drafters.\"a,b\"]\nkind = \"bigram\"\n", "1:11", "letters, digits"},
    {"[drafters.\"\"]\nkind = \"bigram\"\n", "1:11", "letters, digits"},
    {"[drafters.mine]\nkind = \"prompt_lookup\"\ntree = \"2x2\"\n", "3:8",
     "a kind that draws trees"},
    {"[drafters.mine]\nkind = \"small_transformer\"\ntree = \"2y2\"\n", "3:8", "children per"},
    {"[drafters.mine]\nkind = \"prompt_lookup\"\nmin_ngram = 4\n", "3:13", "at most max_ngram"},
    {"[drafters.mine]\nkind = \"bigram\"\nmax_ngram = 4\n", "3:13",
     "prompt_lookup, lookup_ngram, lookup_transformer only"},
    {"[drafters.mine]\nkind = \"prompt_lookup\"\nlookup_weight = 0.5\n", "3:17",
     "lookup_ngram, lookup_transformer only"},
    {"[drafters.mine]\nkind = \"lookup_ngram\"\nlookup_weight = 0\n", "3:17", "above 0"},
    {"[drafters.mine]\nkind = \"lookup_ngram\"\nlookup_weight = 1.5\n", "3:17",
     "lookup_weight = 1.5"},
    {"[drafters.mine]\nkind = \"bigram\"\nparts = [\"ngram\", \"bigram\"]\n", "3:9",
     "for the kind mixture only"},
    {"[drafters.mine]\nkind = \"mixture\"\n", "1:1", "at least two drafters"},
    {"[drafters.mine]\nkind = \"mixture\"\nparts = \"ngram\"\n", "3:9", "at least two drafters"},
    {"[drafters.mine]\nkind = \"mixture\"\nparts = [\"ngram\", \"none\"]\n", "3:19",
     "part 'none'; allowed: unigram, bigram"},
    {"[drafters.mine]\nkind = \"mixture\"\nparts = [\"ngram\", \"bigram:0\"]\n", "3:19",
     "a weight from 1e-6 to 1e6"},
    {"[drafters.mine]\nkind = \"mixture\"\nparts = [\"ngram\", \"mine\"]\n", "3:19",
     "part 'mine'; allowed"},
    {"[drafters.mine]\nkind = \"mixture\"\nparts = [\"ngram\", \"tree\"]\n[drafters.tree]\nkind = "
     "\"bigram\"\ntree = \"2x2\"\n",
     "3:19", "no tree of their own"},
    {"[drafters.mine]\nkind = \"mixture\"\nmodel = \"x\"\nparts = [\"ngram\", \"bigram\"]\n", "3:9",
     "no model for mixture"},
    {"[axes]\ndrafter = [\"none\", \"mixture\"]\n", "2:20", "or a [drafters.NAME]"},
    {"[axes]\ntemperature = []\n", "2:15", "at least one"},
    {"[axes]\ntemperature = [0.0, -0.5]\n", "2:21", "numbers from 0"},
    {"[axes]\ntemperature = [0.5, 1e-4]\n", "2:21",
     "axes.temperature = 0.0001; allowed: 0, or numbers from 0.001 to 100"},
    {"[axes]\ntemperature = [0.0, nan]\n", "2:21", "nan"},
    {"[axes]\ntemperature = \"hot\"\n", "2:15", "numbers"},
    {"[axes]\ndrafter = [\"none\", \"bigramm\"]\n", "2:20",
     "axes.drafter = \"bigramm\"; allowed: none, unigram"},
    {"[axes]\ntree = [\"chain\", \"0x2\"]\n", "2:18", "children per"},
    {"[axes]\ndrafter = [\"none\", \"prompt_lookup\"]\ntree = [\"chain\", \"2x2\"]\n", "3:18",
     "kind unigram, bigram, ngram, lookup_ngram, small_transformer, mlp_speculator, "
     "feature_transformer, lookup_transformer, mixture do"},
    {"[axes]\ntree = \"0\"\n", "2:8", "tree = \"0\"; allowed"},
    {"[axes]\npolicy = \"constant:x\"\n", "2:10", "constant:N"},
    {"[axes]\npolicy = [\"auto\", \"constant:-1\"]\n", "2:19", "allowed lengths: 0 to 4095"},
    {"[axes]\npolicy = \"confidence:2\"\n", "2:10", "allowed thresholds: 0 to 1"},
    {"[axes]\ndrafter = \"small_transformer\"\ntree = \"2x2\"\npolicy = [\"constant:2\", "
     "\"confidence:0.4\"]\n",
     "4:25", "policies without a confidence, because a drafter of axes.drafter draws trees"},
    {"[axes]\npolicy = \"tracking:2\"\n", "2:10", "allowed cost ratios: 0 to 1"},
    {"[experiment]\nkind = \"drafter_acceptance\"\n[axes]\ndrafter = \"bigram\"\npolicy = "
     "\"tracking\"\n",
     "5:10", "constant:N with N >= 1"},
    {"[axes]\ndrafter = \"bigram\"\ntree = \"best_first:adaptive\"\npolicy = [\"heuristic\", "
     "\"tracking\"]\n",
     "4:24", "heuristic and constant:N, because bigram draws best_first:adaptive"},
    {"[axes]\ndrafter = \"bigram\"\ntree = \"best_first:adaptive\"\n", "1:1", "axes.policy"},
    {"[axes]\ndrafter = \"bigram\"\ntree = \"suffixes:31:5x3x2\"\n", "3:8", "COUNT from 1"},
    {"[target]\nmodel = [\"m\", \"shape-15m\"]\n[axes]\npolicy = \"confidence\"\n", "4:10",
     "a shape model, which has no meaningful confidence"},
    {"[target]\nrounds = \"device\"\n[axes]\ndrafter = [\"ngram\", \"mlp_speculator\"]\n", "4:21",
     "lookup_transformer"},
    {"[target]\nrounds = \"device\"\n[axes]\ndrafter = \"ngram\"\ntree = \"beam:8\"\n", "5:8",
     "3x2x1"},
    {"[target]\nrounds = \"device\"\n[axes]\npolicy = \"confidence\"\n", "4:10",
     "target.rounds is device"},
    {"[axes]\nverifier = \"replay\"\n", "2:12", "allowed: greedy, rejection, sample_and_match"},
    {"[axes]\ndrafter = \"small_transformer\"\ntree = \"2x2\"\nverifier = [\"rejection\", "
     "\"block\"]\n",
     "4:26", "take trees"},
    {"[drafters.mine]\nkind = \"small_transformer\"\ntree = \"2x2\"\n[axes]\ndrafter = "
     "\"mine\"\nverifier = \"lenient\"\n",
     "6:12", "take trees"},
    {"[target]\nmodel = [\"m\", \"shape-15m\"]\n[axes]\nverifier = [\"rejection\", \"typical\"]\n",
     "4:26", "one verifier"},
    {"[target]\nmodel = [\"m\", \"shape-15m\"]\n[axes]\ndrafter = \"small_transformer\"\ntree = "
     "[\"chain\", \"beam:8\"]\n",
     "4:11", "small_transformer with a fixed shape instead of beam:8"},
    {"[axes]\nverifier = \"lenient\"\n[verification]\nlenience = 0\n", "4:12",
     "verification.lenience = 0"},
    {"[axes]\nverifier = \"lenient\"\n[verification]\nlenience = 1\n", "4:12",
     "verification.lenience = 1"},
    {"[axes]\nverifier = \"lenient\"\n[verification]\nlenient_residual = \"half\"\n", "4:20",
     "full, lenient"},
    {"[axes]\nverifier = \"lenient\"\n[verification]\ntypical_delta = 0.5\n", "4:17",
     "axes.verifier has no typical"},
    {"[axes]\ntemperature = 0.5\nverifier = \"greedy\"\n", "3:12", "temperature"},
    {"[axes]\npolicies = \"auto\"\n", "2:1",
     "allowed: temperature, drafter, tree, policy, verifier"},
    {"[sampling]\ntop_p = 0.9\n", "2:9", "axes.temperature is 0 everywhere"},
    {"[axes]\ntemperature = 1.0\n[sampling]\ntop_p = 1.5\n", "4:9", "sampling.top_p = 1.5"},
    {"[sampling]\ntemperature = 1.0\n", "2:1", "unknown key"},
    {"[prompts]\nper_category = 0\n", "2:16", "integers from 1"},
    {"[prompts]\nnew_tokens = 1\n", "2:14", "integers from 2"},
    {"[prompts]\nignore_eos = 1\n", "2:14", "true, false"},
    {"[experiment]\nrepetitions = 3\nplain_repetitions = 2\n", "3:21",
     "0 or at least experiment.repetitions, 3"},
    {"[experiment]\nkind = \"cost_surface\"\nplain_repetitions = 2\n", "3:21",
     "0, because experiment.kind is not decoding"},
    {"[target]\nmodel = [\"/a/m\", \"/b/m\"]\n", "2:10", "two models would be named m"},
    {"[target]\nmodel = \"/a/m\"\nname = [\"x\", \"y\"]\n", "3:9", "2 names for 1 models"},
    {"[target]\nmodel = \"/a/m\"\nname = \"x/y\"\n", "3:8", "letters, digits"},
    {"[target]\nmodel = \"/a/m\"\nname = \"shape-m\"\n", "3:8", "as if its weights were random"},
    {"[target]\nmodel = \"widened:shape-8b\"\nname = \"x\"\n", "3:8", "allowed: its own name"},
    {"[pilot]\nmax_length = 0\n", "2:14", "integers from 1"},
    {"[costs]\nrows = [1, 0]\n", "2:12", "integers from 1"},
    {"[costs]\nrepetitions = 2024-01-01\n", "2:15", "date"},
    {"[axes\n", "1:6", ""},
    {"[axes]\ntemperature = \n", "2:15", ""},
    {"[axes]\npolicy = \"auto\n", "2:15", ""},
};

TEST(RunConfig, RefusesMistakesWithLineAndColumn) {
  const testing::TemporaryFolder folder;
  for (const ConfigMistake& mistake : kConfigMistakes) {
    const std::string path = folder.file("bad.toml", mistake.text);
    const std::string message = refusal(path);
    EXPECT_TRUE(message.starts_with(path + ":" + mistake.position + ": "))
        << mistake.text << "-> " << message;
    EXPECT_NE(message.find(mistake.found), std::string::npos) << mistake.text << "-> " << message;
  }
}

TEST(RunConfig, NamesAFileThatIsMissing) {
  EXPECT_NE(refusal("/nowhere/x.toml").find("/nowhere/x.toml"), std::string::npos);
}

TEST(RunConfig, RefusesANameTooLongForAFolderWithoutRepeatingAllOfIt) {
  const testing::TemporaryFolder folder;
  const auto named = [&](std::size_t length) {
    return refusal(
        folder.file("name.toml", "[experiment]\nname = \"" + std::string(length, 'a') + "\"\n"));
  };
  EXPECT_EQ(named(200), "accepted");
  const std::string message = named(5'000'000);
  EXPECT_NE(message.find("1 to 200 letters"), std::string::npos) << message.substr(0, 1000);
  EXPECT_LE(message.size(), 500U);
}

TEST(RunConfig, SettingsWinOverTheFileAndAreChecked) {
  const testing::TemporaryFolder folder;
  const std::string path = folder.file("a.toml", "[axes]\ntemperature = 0.5\n");
  EXPECT_EQ(read_run_config(path, {"axes.temperature=[0.0, 1.0]", "experiment.name=mine"})
                .axes.temperature,
            (std::vector<double>{0.0, 1.0}));
  try {
    read_run_config(path, {"axes.temperature=-1"});
    FAIL() << "accepted";
  } catch (const ConfigError& error) {
    EXPECT_STREQ(error.what(),
                 "--set axes.temperature: axes.temperature = -1; allowed: numbers from 0 to 100");
  }
}

TEST(RunConfig, ItsTomlReadsBackTheSame) {
  const testing::TemporaryFolder folder;
  const RunConfig config = read_run_config(folder.file("a.toml", R"(# Why?
[experiment]
name = "full"
[target]
model = ["m", "shape-15m"]
chat_template = "off"
[drafters.mine]
kind = "prompt_lookup"
max_ngram = 5
[drafters."tree.2"]
kind = "small_transformer"
model = "a \"b\" \\ folder"
tree = "2x2x1"
[axes]
temperature = [0, 0.1, 1e-1]
drafter = ["none", "mine", "tree.2"]
[sampling]
top_p = 0.9
)"),
                                           {"axes.temperature=[0, 0.1]"});
  const std::string toml = to_toml(config);
  EXPECT_EQ(to_toml(read_run_config(folder.file("b.toml", toml), {})), toml);
  EXPECT_EQ(config.question, "Why?");
  EXPECT_NE(toml.find("chat_template = \"off\""), std::string::npos) << toml;
  EXPECT_NE(toml.find("temperature = [0.0, 0.1]"), std::string::npos) << toml;
}

/// Defect: a manifest of an earlier revision cannot be run again, because it has a key that is
/// gone; or an assignment of that key is taken in silence.
TEST(RunConfig, TakesTheKeyThatIsGoneFromManifestsAlone) {
  const testing::TemporaryFolder folder;
  const auto manifest = [&](const std::string& target) {
    return folder.file("manifest.toml",
                       "[target]\n" + target + "threads = 2\n\n[provenance]\nseed = 1\n");
  };
  const std::string without = to_toml(read_run_config(manifest(""), {}));
  for (const std::string value : {"fast", "row_invariant"})
    EXPECT_EQ(to_toml(read_run_config(manifest("arithmetic = \"" + value + "\"\n"), {})), without);
  EXPECT_NE(refusal(manifest("rounds = \"gpu\"\n")).find("host, device"), std::string::npos);
  EXPECT_THROW(read_run_config(manifest(""), {"target.arithmetic=fast"}), ConfigError);
}

/// Defect: a path of the machine stands in every table, or a config works from one folder only.
TEST(RunConfig, ModelsHaveNamesAndFilesThatDoNotDependOnTheWorkingDirectory) {
  const testing::TemporaryFolder folder;
  make_folder(folder.path("models"));
  make_folder(folder.path("models/tiny"));
  const std::string text =
      "[target]\nmodel = [\"models/tiny\", \"smollm2-135m\", \"org/name\"]\n[[exclude]]\nmodel = "
      "\"models/tiny\"\ndrafter = \"bigram\"\n[axes]\ndrafter = [\"bigram\", \"unigram\"]\n";
  const RunConfig config = read_run_config(folder.file("a.toml", text), {});
  EXPECT_EQ(config.axes.model, (std::vector<std::string>{"tiny", "smollm2-135m", "name"}));
  EXPECT_EQ(config.file_of("tiny"), folder.path("models/tiny"));
  EXPECT_EQ(config.file_of("name"), "org/name") << "nothing lies there";
  EXPECT_EQ(config.exclusions.front().at("model"), std::vector<std::string>{"tiny"});
  EXPECT_EQ(to_toml(read_run_config(folder.file("b.toml", to_toml(config)), {})), to_toml(config));
  const RunConfig named =
      read_run_config(folder.path("a.toml"), {R"(target.name=["one", "two", "three"])"});
  EXPECT_EQ(named.axes.model.front(), "one");
  EXPECT_EQ(named.exclusions.front().at("model"), std::vector<std::string>{"one"});
  const RunConfig from_option = read_run_config(folder.file("c.toml", ""), {"target.model=./here"});
  EXPECT_EQ(from_option.file_of("here"), std::filesystem::current_path().string() + "/here");
}

/// Defect: prompts of one's own need a second folder.
TEST(RunConfig, PilotsAreThoseOfTheMeasuredSetUnlessItIsTheProjects) {
  const testing::TemporaryFolder folder;
  folder.file("mine.jsonl", "\"a\"\n\"b\"\n");
  const auto pilots = [&](const std::string& text) {
    return read_run_config(folder.file("a.toml", text), {}).pilot.set;
  };
  EXPECT_EQ(pilots("[prompts]\nset = \"mine.jsonl\"\n"), folder.path("mine.jsonl"));
  EXPECT_EQ(pilots("[prompts]\nset = \"mine.jsonl\"\n[pilot]\nset = \"pilot\"\n"), "pilot");
  EXPECT_EQ(pilots(""), "pilot");
}

TEST(RunConfig, ItsTomlKeepsTheSettingsOfLossyVerifiers) {
  const testing::TemporaryFolder folder;
  const RunConfig config = read_run_config(folder.file("a.toml", R"([axes]
temperature = 1.0
verifier = ["lenient", "typical"]
[verification]
lenience = 0.25
lenient_residual = "lenient"
typical_delta = 0.75
)"),
                                           {});
  const RunConfig again = read_run_config(folder.file("b.toml", to_toml(config)), {});
  EXPECT_EQ(to_toml(again), to_toml(config));
  EXPECT_EQ(again.lossy.lenience, 0.25);
  EXPECT_EQ(again.lossy.lenient_residual, LenientResidual::lenient);
  EXPECT_EQ(again.lossy.typical_delta, 0.75);
}

TEST(RunConfig, EveryConfigOfTheProjectIsAccepted) {
  int configs = 0;
  for (const auto& entry :
       std::filesystem::recursive_directory_iterator(SPECLAB_SOURCE_DIR "/experiments/configs")) {
    if (entry.path().extension() != ".toml" || entry.path().stem().string().starts_with("train_"))
      continue;
    EXPECT_NO_THROW(read_run_config(entry.path().string(), {})) << entry.path();
    ++configs;
  }
  EXPECT_GE(configs, 8);
}

TEST(RunConfig, HasPlainDecodingAsOftenAsAllElseUnlessItIsToldMore) {
  const testing::TemporaryFolder folder;
  const std::string path = folder.file("a.toml", "[experiment]\nrepetitions = 3\n");
  for (const auto& [told, repetitions] : {std::pair{"0", 3}, {"3", 3}, {"4", 4}}) {
    const RunConfig config =
        read_run_config(path, {std::string("experiment.plain_repetitions=") + told});
    EXPECT_EQ(config.repetitions_of_plain(), repetitions);
    EXPECT_EQ(to_toml(config) == to_toml(read_run_config(path, {})), repetitions == 3) << told;
  }
  EXPECT_EQ(
      read_run_config(path, {"experiment.kind=cost_surface", "experiment.plain_repetitions=0"})
          .kind,
      "cost_surface");
}

}  // namespace
}  // namespace speclab::experiments
