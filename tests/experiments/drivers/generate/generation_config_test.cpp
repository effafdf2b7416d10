#include "experiments/drivers/generate/generation_config.h"

#include <gtest/gtest.h>

#include "experiments/drivers/generate/generation_plan.h"
#include "sim/system/errors.h"
#include "sim/system/files.h"
#include "tests/engines/formats/temporary_folder.h"

namespace speclab::experiments {
namespace {

using Given = std::map<std::string, std::string>;

/// A model folder and a file of --generation-config; empty texts are no files.
struct Files {
  std::string file{}, folder{};
};

class GenerationConfigTest : public ::testing::Test {
 protected:
  GenerationConfig config(const Given& given, const Files& files = {}) {
    return GenerationConfig(sources(given, files));
  }
  std::string mode(const Given& given, const Files& files = {}) {
    return generation_mode(config(given, files), Assistant::none).name();
  }
  std::string refusal(const Given& given, const Files& files = {}) {
    try {
      return mode(given, files);
    } catch (const ConfigError& error) {
      return error.what();
    }
  }
  GenerationSources sources(const Given& given, const Files& files) {
    GenerationOptions options{.given = given};
    if (!files.file.empty()) {
      folder_.file("config.json", files.file);
      options.config_file = folder_.path("config.json");
    }
    if (files.folder.empty()) return read_generation_sources(options, "");
    folder_.file("generation_config.json", files.folder);
    return read_generation_sources(options, folder_.path());
  }

  testing::TemporaryFolder folder_;
};

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

/// Defect: a place wins over one that comes before it, or an origin is wrong.
TEST_F(GenerationConfigTest, TakesTheFirstOfFourPlaces) {
  const GenerationConfig values =
      config({{"top_p", "0.5"}},
             {R"({"top_p": 0.6, "top_k": 6})", R"({"top_p": 0.7, "top_k": 7, "typical_p": 0.7})"});
  EXPECT_EQ(values.value("top_p"), 0.5);
  EXPECT_EQ(values.origin("top_p"), "command line");
  EXPECT_EQ(values.value("top_k"), 6);
  EXPECT_EQ(values.origin("top_k"), folder_.path("config.json"));
  EXPECT_EQ(values.value("typical_p"), 0.7);
  EXPECT_EQ(values.origin("typical_p"), "generation_config.json of the folder");
  EXPECT_EQ(values.value("num_beams"), 1);
  EXPECT_EQ(values.origin("num_beams"), "transformers 4.49");
}

/// Defect: absent keys count as in transformers where nothing chooses a mode, or the other way.
TEST_F(GenerationConfigTest, CountsAbsentKeysByWhatIsGiven) {
  EXPECT_EQ(mode({}), "sample");
  EXPECT_EQ(config({}).value("top_k"), 0);
  EXPECT_EQ(config({}).origin("do_sample"), "speclab");
  EXPECT_EQ(mode({}, {.file = "{}"}), "greedy_search");
  EXPECT_EQ(config({}, {.file = "{}"}).value("top_k"), 50);
  EXPECT_EQ(config({}, {.file = "{}"}).value("max_new_tokens"), 128);
  EXPECT_EQ(mode({{"num_beams", "4"}}), "beam_search");
  EXPECT_EQ(mode({{"penalty_alpha", "0.6"}}), "contrastive_search");
  EXPECT_EQ(mode({{"repetition_penalty", "1.2"}}), "sample");
}

/// Defect: --temperature does not decide whether tokens are drawn.
TEST_F(GenerationConfigTest, LetsTheTemperatureDecide) {
  const Files greedy{.file = R"({"do_sample": false})"}, drawn{.file = R"({"do_sample": true})"};
  EXPECT_EQ(mode({{"temperature", "0.8"}}, greedy), "sample");
  EXPECT_EQ(mode({{"temperature", "0.8"}}, {.file = "{}"}), "sample");
  EXPECT_EQ(mode({{"temperature", "0"}}, drawn), "greedy_search");
  EXPECT_EQ(mode({{"temperature", "0"}, {"do_sample", "true"}}), "greedy_search");
  EXPECT_EQ(mode({{"temperature", "0"}}), "greedy_search");
  EXPECT_EQ(mode({{"temperature", "0.8"}, {"num_beams", "4"}}), "beam_sample");
  EXPECT_EQ(mode({}, {.file = R"({"temperature": 0.8})"}), "greedy_search");
  const std::string both = refusal({{"temperature", "0.8"}, {"do_sample", "false"}});
  EXPECT_TRUE(has(both, "--temperature 0.8") && has(both, "--do-sample false")) << both;
}

/// Defect: the folder's do_sample applies beside a decoding option, or in silence.
TEST_F(GenerationConfigTest, TakesTheFoldersSamplingOnlyAlone) {
  const Files greedy{.folder = R"({"do_sample": false, "top_p": 0.9})"};
  const Files drawn{.folder = R"({"do_sample": true, "temperature": 0.6})"};
  EXPECT_EQ(mode({}, greedy), "greedy_search");
  EXPECT_TRUE(has(config({}, greedy).notes().at(0), "do_sample = false applies"));
  EXPECT_EQ(mode({{"max_new_tokens", "9"}}, greedy), "greedy_search");
  EXPECT_EQ(mode({{"top_k", "5"}}, greedy), "sample");
  EXPECT_EQ(config({{"top_k", "5"}}, greedy).notes().at(0),
            "generation_config.json of the folder: do_sample = false does not apply, because "
            "--top-k is given");
  EXPECT_EQ(config({}, drawn).value("temperature"), 0.6);
  EXPECT_EQ(mode({{"num_beams", "4"}}, drawn), "beam_search");
  EXPECT_EQ(mode({}, {"{}", drawn.folder}), "greedy_search");
}

/// Defect: a folder's file that only names tokens changes how texts are made.
TEST_F(GenerationConfigTest, TellsFoldersThatChangeTexts) {
  const auto changes = [&](const char* text) {
    return changes_texts(sources({}, {.folder = text}).folder.value());
  };
  EXPECT_FALSE(changes(R"({"_from_model_config": true, "eos_token_id": [2, 3], "pad_token_id": -1,
                           "transformers_version": "5.0", "use_cache": true, "new_key": 1})"));
  EXPECT_FALSE(changes(R"({"eos_token_id": "x"})"));  // the tokenizer refuses it
  EXPECT_TRUE(changes(R"({"temperature": 0.6})"));
  EXPECT_TRUE(changes(R"({"max_length": 4096})"));
}

/// Defect: null is taken for a value, or it does not switch top_k off.
TEST_F(GenerationConfigTest, TakesNullForNotGiven) {
  const GenerationConfig values =
      config({}, {R"({"top_p": null, "num_beams": null, "top_k": null})", R"({"top_p": 0.7})"});
  EXPECT_EQ(values.value("top_p"), 0.7);
  EXPECT_EQ(values.value("num_beams"), 1);
  EXPECT_EQ(values.value("top_k"), 0);
  EXPECT_FALSE(config({{"min_p", "None"}}).is_given("min_p"));
}

/// Defect: a word of the command line is read as another type than a file has.
TEST_F(GenerationConfigTest, ReadsValuesOfTheCommandLine) {
  const auto value = [&](const char* key, const char* text) {
    return config({{key, text}}).value(key);
  };
  EXPECT_EQ(value("early_stopping", "never"), "never");
  EXPECT_EQ(value("early_stopping", "True"), true);
  EXPECT_EQ(value("use_cache", "False"), false);
  EXPECT_EQ(value("stop_strings", "42"), "42");
  EXPECT_EQ(value("stop_strings", R"(["a", "b"])"), KeyValue({"a", "b"}));
  EXPECT_EQ(value("top_p", ".5"), 0.5);
  EXPECT_EQ(value("force_words_ids", "[[5,6]]"), KeyValue::parse("[[5,6]]"));
}

/// Defect: max_length cuts a text although max_new_tokens is given, or is lost without it.
TEST_F(GenerationConfigTest, PrefersNewTokensToTheWholeLength) {
  const GenerationConfig both = config({{"max_length", "30"}, {"max_new_tokens", "9"}});
  EXPECT_EQ(both.value("max_new_tokens"), 9);
  EXPECT_EQ(both.notes().size(), 1u);
  const GenerationConfig whole = config({{"max_length", "30"}});
  EXPECT_EQ(whole.value("max_length"), 30);
  EXPECT_TRUE(whole.value("max_new_tokens").is_null());
}

/// Defect: a mistake passes, or its message lacks the place, the key, what was found or what is
/// allowed.
TEST_F(GenerationConfigTest, RefusesMistakes) {
  const std::string unknown = refusal({}, {.file = R"({"num_beam": 4})"});
  EXPECT_TRUE(has(unknown, "config.json: num_beam ") && has(unknown, "did you mean num_beams?"))
      << unknown;
  const std::string type = refusal({}, {.file = R"({"num_beams": "x"})"});
  EXPECT_TRUE(has(type, R"(num_beams = "x"; allowed: integers, at least 1)")) << type;
  EXPECT_TRUE(has(refusal({{"num_beams", "0"}}), "command line: num_beams = 0; allowed:"));
  EXPECT_TRUE(has(refusal({}, {.folder = R"({"top_p": 2})"}), "of the folder: top_p = 2"));
  for (const char* text :
       {R"({"num_beams": 2.5})", R"({"num_beams": true})", R"({"top_p": "1"})",
        R"({"do_sample": 1})", R"({"bad_words_ids": [5]})", R"({"top_k": -1})",
        R"({"sequence_bias": [[5, 1]]})", R"({"stop_strings": ""})", R"({"temperature": 1e-9})",
        R"({"eos_token_id": []})", R"({"exponential_decay_length_penalty": [5, 0]})",
        R"({"num_assistant_tokens_schedule": "linear"})", "[]", "{", "{}x"})
    EXPECT_TRUE(has(refusal({}, {.file = text}), "allowed: ")) << text;
}

/// Defect: a saved config is read again with other values, or the file is not whole.
TEST_F(GenerationConfigTest, ReadsWhatItSaved) {
  const std::string folder = R"({"do_sample": true, "temperature": 0.6, "top_p": 0.9})";
  for (const Given& given :
       {Given{}, Given{{"num_beams", "4"}, {"early_stopping", "never"}}, Given{{"top_p", "1"}},
        Given{{"temperature", "0"}}, Given{{"max_length", "20"}},
        Given{
            {"sequence_bias", "[[[5,6],-2.5]]"}, {"eos_token_id", "[1,2]"}, {"do_sample", "true"}}})
    for (const std::string& beside : {std::string(), folder}) {
      const GenerationConfig first = config(given, {.folder = beside});
      save_generation_config(first, folder_.path("saved.json"));
      const GenerationConfig second = config({}, {read_file(folder_.path("saved.json")), beside});
      for (const GenerationKey& key : generation_keys())
        EXPECT_EQ(first.value(key.name), second.value(key.name)) << key.name;
    }
  EXPECT_EQ(saved_values(config({}, {.file = "{}"})), KeyValue({{"max_new_tokens", 128}}));
  EXPECT_THROW(save_generation_config(config({}), folder_.path()), ConfigError);
}

}  // namespace
}  // namespace speclab::experiments
