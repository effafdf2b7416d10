#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <string>

#include "experiments/drivers/generate/generation_mode.h"
#include "sim/system/errors.h"

namespace speclab::experiments {
namespace {

/// A line of generation_modes.jsonl.
struct ModeCase {
  KeyValue config;
  Assistant assistant;
  std::string mode;               ///< empty: refused
  std::vector<std::string> keys;  ///< of the config, that the message names
};

std::vector<ModeCase> mode_cases() {
  std::ifstream file(std::string(SPECLAB_SOURCE_DIR) + "/tests/golden/generation_modes.jsonl");
  std::vector<ModeCase> cases;
  for (std::string line; std::getline(file, line);) {
    const KeyValue value = KeyValue::parse(line);
    cases.push_back({value["config"],
                     value["assistant"] == true ? Assistant::drafter : Assistant::none,
                     value.value("mode", ""), value.value("keys", std::vector<std::string>())});
  }
  return cases;
}

/// Differences on purpose: the mode of speclab, or "refused", by config and assistant.
const std::map<std::pair<std::string, bool>, std::string>& differences() {
  static const std::map<std::pair<std::string, bool>, std::string> table{
      // Temperature 0 is greedy; transformers refuses it when it makes the text.
      {{R"({"do_sample":true,"temperature":0.0})", false}, "greedy_search"},
      // A drafter may draft for the beams of a plain beam search.
      {{R"({"num_beams":4})", true}, "beam_search"},
      // These change texts in ways that speclab has not built.
      {{R"({"assistant_early_exit":4})", false}, "refused"},
      {{R"({"dola_layers":"low"})", false}, "refused"},
      {{R"({"guidance_scale":1.5})", false}, "refused"},
      // Objects of Python have no JSON.
      {{R"({"constraints":[1],"num_beams":4})", false}, "refused"},
      // A dictionary is what a file has of it. It changes no text.
      {{R"({"compile_config":{}})", false}, "greedy_search"},
      // An unknown key is a mistake.
      {{R"({"no_such_key":1})", false}, "refused"}};
  return table;
}

/// The mode of a config that a file holds. @throws ConfigError
std::string mode_of_file(const KeyValue& config, Assistant assistant) {
  GenerationSources sources{.file = GivenValues{.origin = "file"}};
  for (const auto& [name, value] : config.items()) {
    const GenerationKey* key = find_generation_key(name);
    if (key == nullptr) throw ConfigError(name + nearest_key_hint(name));
    add_given_value(*sources.file, *key, value);
  }
  return generation_mode(GenerationConfig(sources), assistant).name();
}

/// The mode, or "refused" and the message.
std::pair<std::string, std::string> mode_or_refusal(const ModeCase& one) {
  try {
    return {mode_of_file(one.config, one.assistant), ""};
  } catch (const ConfigError& error) {
    return {"refused", error.what()};
  }
}

/// Defect: a config has another mode than in transformers 4.49, or one of the two refuses it, or
/// the message does not name the keys that contradict each other.
TEST(GenerationModes, AreThoseOfTransformers) {
  const std::vector<ModeCase> cases = mode_cases();
  EXPECT_GE(cases.size(), 70u);
  std::size_t num_differences = 0;
  for (const ModeCase& one : cases) {
    SCOPED_TRACE(one.config.dump() + (one.assistant == Assistant::drafter ? " assisted" : ""));
    const auto [mode, message] = mode_or_refusal(one);
    const auto other = differences().find({one.config.dump(), one.assistant == Assistant::drafter});
    const bool differs = other != differences().end();
    num_differences += differs;
    EXPECT_EQ(mode, differs ? other->second : one.mode.empty() ? "refused" : one.mode) << message;
    if (mode != "refused" || differs) continue;
    for (const std::string& key : one.keys)
      EXPECT_NE(message.find(key), std::string::npos) << message;
  }
  EXPECT_EQ(num_differences, differences().size());
}

/// Defect: a refusal of drafts names only one of the two keys.
TEST(GenerationModes, NameBothSidesOfAContradictionWithDrafts) {
  for (const auto& [text, other] :
       {std::pair(R"({"num_beams":4,"prompt_lookup_num_tokens":5})", "num_beams = 4"),
        std::pair(R"({"penalty_alpha":0.6,"prompt_lookup_num_tokens":5})", "penalty_alpha = 0.6"),
        std::pair(R"({"force_words_ids":[[5]],"prompt_lookup_num_tokens":5})",
                  "force_words_ids = [[5]]")}) {
    const auto [mode, message] = mode_or_refusal({KeyValue::parse(text), Assistant::none, "", {}});
    EXPECT_EQ(mode, "refused");
    EXPECT_NE(message.find(other), std::string::npos) << message;
    EXPECT_NE(message.find("prompt_lookup_num_tokens = 5"), std::string::npos) << message;
  }
}

/// Defect: a value without effect passes in silence, where transformers warns.
TEST(GenerationModes, NoteValuesWithoutEffect) {
  GenerationSources sources{.file = GivenValues{.origin = "file"}};
  sources.file->values = {{"top_p", 0.9}, {"length_penalty", 2.0}};
  const GenerationMode mode = generation_mode(GenerationConfig(sources), Assistant::none);
  ASSERT_EQ(mode.notes.size(), 2u);
  EXPECT_EQ(mode.notes[0], "top_p = 0.9 (file) has no effect with do_sample = false");
  EXPECT_EQ(mode.notes[1], "length_penalty = 2.0 (file) has no effect with num_beams = 1");
}

}  // namespace
}  // namespace speclab::experiments
