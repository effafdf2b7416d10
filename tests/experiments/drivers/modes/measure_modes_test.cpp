// Cases that take turns over prompts, on a tiny model.

#include "experiments/drivers/modes/measure_modes.h"

#include <gtest/gtest.h>

#include <map>

#include "experiments/drivers/program/engines_loader.h"
#include "tests/engines/decoding/letter_tokenizer.h"
#include "tests/engines/models/tiny_llama.h"

namespace speclab::experiments {
namespace {

engines::DecoderShape letter_config() {
  engines::DecoderShape config = engines::testing::tiny_config();
  config.vocab_size = 26;
  return config;
}

ModeTable small_table() {
  const engines::DrafterOptions lookup{.kind = "prompt_lookup"};
  return {.settings = {.model = "tiny", .new_tokens = 12},
          .cases = {{.name = "greedy", .keys = "do_sample=false"},
                    {"looked_up", "do_sample=false", lookup, 2},
                    {.name = "beams", .keys = "num_beams=2;num_return_sequences=2"},
                    {"drafted_beams", "num_beams=2;num_return_sequences=2", lookup, 1}},
          .prompts = {{"first", {0, {1, 2, 3, 1, 2, 3, 1, 2}}}, {"second", {1, {4, 5, 4, 5, 4}}}},
          .pilots = {{0, {7, 8, 7, 8}}}};
}

/// Defect: a case misses a prompt, keeps its place in the turns, decodes without its drafter, or
/// has another's rows or prediction.
TEST(MeasureModes, DecodesEveryPromptInEveryCaseInTurns) {
  const auto engines = open_engines();
  engines::LoadedModel loaded{.model = engines::testing::tiny_model(letter_config()),
                              .tokenizer = std::make_shared<engines::testing::LetterTokenizer>(26)};
  const ModeTable table = small_table();
  const std::vector<analysis::ModeRow> rows =
      measure_modes(*engines, loaded, table, [](const std::string&) {});
  ASSERT_EQ(rows.size(), 8u);
  EXPECT_NE(rows[0].name, rows[4].name);
  std::map<std::pair<std::string, std::string>, analysis::ModeRow> found;
  for (const analysis::ModeRow& row : rows) {
    found[{row.name, row.prompt}] = row;
    EXPECT_EQ(row.tokens, 12) << row.name;
    EXPECT_EQ(row.drafted > 0, row.name == "looked_up" || row.name == "drafted_beams") << row.name;
  }
  ASSERT_EQ(found.size(), 8u);
  for (const char* prompt : {"first", "second"}) {
    const analysis::ModeRow &greedy = found[{"greedy", prompt}], &beams = found[{"beams", prompt}];
    EXPECT_GT(greedy.predicted_seconds, 0);
    EXPECT_NE(greedy.predicted_seconds, beams.predicted_seconds);
    EXPECT_EQ(greedy.rows, greedy.steps);
    EXPECT_GT(beams.rows, beams.steps);
    EXPECT_EQ(greedy.output_hash, (found[{"looked_up", prompt}].output_hash));
    EXPECT_EQ(beams.output_hash, (found[{"drafted_beams", prompt}].output_hash));
  }
  for (const DecodingCase& each : table.cases)
    EXPECT_EQ((found[{each.name, "first"}].predicted_seconds),
              (found[{each.name, "second"}].predicted_seconds))
        << each.name;
  EXPECT_NE((found[{"greedy", "first"}].output_hash), (found[{"greedy", "second"}].output_hash));
}

}  // namespace
}  // namespace speclab::experiments
