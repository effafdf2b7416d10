#include "experiments/drivers/config/run_schema.h"

#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <set>

#include "experiments/drivers/commands/commands.h"
#include "experiments/drivers/config/key_reference.h"
#include "experiments/drivers/config/train_schema.h"
#include "sim/system/errors.h"
#include "tests/engines/formats/temporary_folder.h"

namespace speclab::experiments {
namespace {

/// No key has its default, but those that a contradiction holds to it.
constexpr const char* kEveryKey = R"([experiment]
kind = "cost_surface"
name = "every"
seed = 7
repetitions = 2

[target]
model = ["other"]
name = ["mine"]
device = "cuda"
dtype = "bfloat16"
kernels = "reference"
rounds = "device"
threads = 3
chat_template = "off"

[drafters.copies]
kind = "lookup_ngram"
model = "m"
tree = "2x1"
max_ngram = 5
min_ngram = 3
lookup_weight = 0.5

[axes]
temperature = [0.5, 1.0]
drafter = ["bigram", "copies"]
tree = ["2x2"]
policy = ["constant:3"]
verifier = ["rejection"]

[sampling]
top_k = 50
top_p = 0.9
min_p = 0.1
repetition_penalty = 1.5
no_repeat_ngram_size = 3
min_length = 4
suppress_tokens = [1, 2]
typical_p = 0.8
epsilon_cutoff = 0.01
eta_cutoff = 0.02

[prompts]
set = "p"
categories = ["chat"]
per_category = 2
new_tokens = 64
ignore_eos = false
pool_categories = false

[pilot]
set = "q"
per_category = 3
max_length = 4

[costs]
repetitions = 6
new_tokens = 32
rows = [1, 4]
)";

constexpr const char* kLossyKeys = R"([experiment]
plain_repetitions = 6

[target]
dtype = "file"
activations = "int8"
cache_dtype = "float32"
weights = "streamed"
resident_bytes = 400000000

[axes]
temperature = [0.5]
verifier = ["lenient", "typical"]

[verification]
lenience = 0.5
lenient_residual = "lenient"
typical_epsilon = 0.2
typical_delta = 0.4
)";

constexpr const char* kAcceptanceKeys = R"([experiment]
kind = "drafter_acceptance"
places = "rounds"

[axes]
drafter = ["ngram"]
policy = ["constant:4"]
)";

constexpr const char* kMixtureKeys = R"([drafters.both]
kind = "mixture"
parts = ["bigram:0.25", "copies"]

[drafters.copies]
kind = "prompt_lookup"
min_ngram = 2

[axes]
drafter = ["both"]
)";

constexpr const char* kWaysKeys = R"([target]
resident_bytes = 400000000

[axes]
weights = ["q8", "streamed"]
activations = ["exact"]
generation = ["num_beams=2"]
)";

constexpr const char* kBatchKeys = R"([axes]
batch = [1, 4]
)";

constexpr const char* kBridgeKeys = R"(
[drafters.crossing]
kind = "small_transformer"
bridge = "re_encode"

[axes]
drafter = ["crossing"]
)";

RunConfig read(const std::string& text) {
  const testing::TemporaryFolder folder;
  return read_run_config(folder.file("a.toml", text), {});
}

/// Keys of the schema that hold another value than a new config's, and are in its TOML.
template <typename Config>
void add_changed(std::set<std::string>& changed, const auto& keys, Config config,
                 const std::string& toml) {
  Config fresh{};
  for (const Key<Config>& key : keys) {
    const std::string value = value_text(key.value(config));
    if (value != value_text(key.value(fresh)) &&
        toml.find("\n" + key.key + " = " + value + "\n") != std::string::npos)
      changed.insert(key.name());
  }
}

TEST(RunSchema, EveryKeyIsReadWrittenAndReadBack) {
  std::set<std::string> changed, all;
  for (const char* text :
       {kEveryKey, kLossyKeys, kAcceptanceKeys, kMixtureKeys, kWaysKeys, kBatchKeys, kBridgeKeys}) {
    const RunConfig config = read(text);
    const std::string toml = to_toml(config);
    EXPECT_EQ(to_toml(read(toml)), toml);
    add_changed(changed, run_keys(), config, toml);
    if (!config.drafters.empty())
      add_changed(changed, drafter_keys(), config.drafters.front(), toml);
  }
  for (const DescribedKey& key : described_run_keys())
    if (!key.doc.table.empty() && key.doc.key != "AXIS") all.insert(key.doc.name());
  EXPECT_EQ(changed, all);
  EXPECT_GE(all.size(), 49u);
}

TEST(RunSchema, EveryKeyRefusesAValueOfAnotherTypeByName) {
  for (const Key<RunConfig>& key : run_keys()) {
    try {
      read("[" + key.table + "]\n" + key.key + " = { odd = true }\n");
      ADD_FAILURE() << key.name() << " takes a table";
    } catch (const ConfigError& error) {
      EXPECT_NE(std::string(error.what())
                    .find(":2:" + std::to_string(key.key.size() + 4) + ": " + key.name() + " = "),
                std::string::npos)
          << error.what();
    }
  }
}

/// Numbers just outside the range that a key declares.
TEST(RunSchema, EveryRangeThatIsDeclaredIsKept) {
  int tried = 0;
  for (const Key<RunConfig>& key : run_keys())
    for (const double bound : {key.range.low - 1, key.range.high + 1}) {
      if (!std::isfinite(bound)) continue;
      const std::string number =
          value_text(key.value(*std::make_unique<RunConfig>())).find_first_of(".]") ==
                  std::string::npos
              ? std::to_string(static_cast<std::int64_t>(bound))
              : std::to_string(bound);
      EXPECT_THROW(read("[" + key.table + "]\n" + key.key + " = " + number + "\n"), ConfigError)
          << key.name() << " = " << number;
      ++tried;
    }
  EXPECT_GE(tried, 30);
}

TEST(RunSchema, EveryKeySaysWhatItMeans) {
  for (const auto& keys : {described_run_keys(), described_train_keys()})
    for (const DescribedKey& key : keys) {
      EXPECT_FALSE(key.doc.meaning.empty() || key.type.empty() || key.default_value.empty())
          << key.doc.name();
      EXPECT_EQ(key.doc.meaning.find_first_of("\n|"), std::string::npos) << key.doc.name();
    }
}

TEST(TrainSchema, EveryTrainingOfTheProjectUsesKeysThatItNames) {
  std::set<std::string> names;
  for (const DescribedKey& key : described_train_keys()) names.insert(key.doc.name());
  for (const char* key :
       {"target.model", "own_text.num_prompts", "drafter.kind", "drafter.hidden_size",
        "drafter.step_weight", "drafter.order", "text.files"})
    EXPECT_TRUE(names.contains(key)) << key;
  EXPECT_EQ(train_keys().at(kDrafterKindKey).name(), "drafter.kind");
}

TEST(ConfigReference, ThePageIsWhatTheProgramSays) {
  const std::string page = read_file(SPECLAB_SOURCE_DIR "/experiments/configs/README.md"),
                    begin = "<!-- keys: speclab config --markdown -->\n",
                    end = "<!-- end of keys -->";
  ASSERT_NE(page.find(begin), std::string::npos);
  const std::size_t first = page.find(begin) + begin.size();
  EXPECT_EQ(page.substr(first, page.find(end) - first), config_reference_page())
      << "run speclab config --markdown and put it between the marks";
}

TEST(ConfigReference, TextAndNamesHaveEveryKey) {
  const std::vector<DescribedKey> keys = described_run_keys();
  const std::string text = reference_text(keys), names = reference_names(keys);
  for (const DescribedKey& key : keys) {
    EXPECT_NE(text.find(key.doc.name() + " = "), std::string::npos);
    EXPECT_NE(names.find(key.doc.key), std::string::npos) << key.doc.key;
  }
  EXPECT_NE(text.find("axes.temperature = [0.0]\n    list of 0, or numbers from 0.001 to 100; an "
                      "axis\n    0 is greedy\n"),
            std::string::npos)
      << text;
}

}  // namespace
}  // namespace speclab::experiments
