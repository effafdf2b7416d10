#include "analysis/stats/cells.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "analysis/stats/groups.h"
#include "analysis/tables/table.h"
#include "sim/system/errors.h"
#include "tests/analysis/support/synthetic_run.h"

namespace speclab::analysis {
namespace {

/// A speculative generation with round numbers, and its plain partner.
Generation make_generation(const std::string& drafter, const std::string& prompt,
                           std::int64_t decode_ns) {
  Generation g;
  g.cell_id = drafter;
  g.prompt_id = prompt;
  g.category = prompt.substr(0, 4);
  g.axes.model = "base";
  g.axes.drafter = drafter;
  g.output_tokens = 60;
  g.decode_ns = decode_ns;
  g.rounds = drafter == "none" ? 60 : 20;
  if (drafter != "none")
    g.drafting_rounds = 15, g.deepest = 4, g.drafted = 60, g.accepted = 40, g.tested = 50;
  return g;
}

struct Fixture {
  Fixture() {
    for (const auto& [prompt, plain, own] :
         {std::tuple{"chat_01", 100, 50}, {"chat_02", 300, 100}, {"math_01", 200, 50}}) {
      run.generations.push_back(make_generation("none", prompt, plain));
      run.generations.push_back(make_generation("bigram", prompt, own));
    }
    run.predictions["bigram"] = {
        .walltime_ns = 70.0, .speedup = 3.0, .tokens_per_round = 3.0, .acceptance_rate = 0.8};
  }
  std::vector<CellSummary> cells() {
    Bootstrap bootstrap(1);
    return summarise_cells(run, Baseline(run), bootstrap);
  }
  const CellSummary bigram() {
    const auto all = cells();
    return *std::ranges::find(all, "bigram", &CellSummary::cell_id);
  }
  Run run;
};

TEST(Cells, AreRatiosOfTotals) {
  const CellSummary cell = Fixture().bigram();
  EXPECT_EQ(cell.category, "all");
  EXPECT_EQ(cell.summary.n_prompts, 3U);
  EXPECT_DOUBLE_EQ(cell.summary.walltime_ns.value, 200.0 / 3);
  EXPECT_DOUBLE_EQ(cell.summary.speedup.value().value, 3.0);
  EXPECT_DOUBLE_EQ(cell.summary.tokens_per_round.value().value, 3.0);
  EXPECT_DOUBLE_EQ(cell.summary.acceptance_rate.value().value, 0.8);
  EXPECT_DOUBLE_EQ(cell.summary.accepted_fraction.value(), 2.0 / 3);
  EXPECT_DOUBLE_EQ(cell.summary.drafting_fraction, 0.75);
  EXPECT_TRUE(cell.drafts_mostly());
}

TEST(Cells, HaveTheTimeOfATokenOverRoundsThatEmitted) {
  Fixture fixture;
  for (Generation& g : fixture.run.generations)
    g.draft_ns = g.decode_ns / 5, g.target_ns = g.decode_ns - g.decode_ns / 5, g.prefill_ns = 1000;
  const auto all = fixture.cells();
  const GroupSummary &plain = std::ranges::find(all, "none", &CellSummary::cell_id)->summary,
                     own = fixture.bigram().summary;
  EXPECT_DOUBLE_EQ(own.token_ns.value().value, (50.0 + 100 + 50) / 180);
  EXPECT_DOUBLE_EQ(own.token_ns->value, own.round_ns.value / own.tokens_per_round->value);
  EXPECT_DOUBLE_EQ(plain.token_ns.value().value, plain.round_ns.value);
  EXPECT_LT(own.token_ns->interval.value().low, own.token_ns->value);
  EXPECT_GT(own.token_ns->interval->high, own.token_ns->value);
}

TEST(Cells, PairWithPlainDecodingOfTheSamePromptRepetitionAndSettings) {
  Fixture fixture;
  fixture.run.generations[2].repetition = 1;   // the partner of chat_02 is another repetition
  fixture.run.generations[4].axes.top_k = 40;  // the partner of math_01 sampled differently
  fixture.run.generations[4].cell_id = "none40";
  EXPECT_DOUBLE_EQ(fixture.bigram().summary.speedup.value().value, 2.0);
}

/// Plain decoding of the first prompt was repeated twice more than its rivals, which took 50, 100
/// and 50.
TEST(Cells, PairWithAllPlainDecodingThatWasMeasuredAmongThem) {
  Fixture fixture;
  for (const int repetition : {1, 2}) {
    fixture.run.generations.push_back(
        make_generation("none", "chat_01", repetition == 1 ? 130 : 190));
    fixture.run.generations.back().repetition = repetition;
    fixture.run.generations.back().output_tokens = 59;
  }
  fixture.run.manifest.repetitions = 1;
  const GroupSummary summary = fixture.bigram().summary;
  EXPECT_DOUBLE_EQ(summary.speedup.value().value, (140.0 + 300 + 200) / 200) << "100, 130 and 190";
  EXPECT_DOUBLE_EQ(summary.decoding_speedup.value().value, (140.0 + 300 + 200) / 200);
  EXPECT_DOUBLE_EQ(summary.pair_speedup.value().value, 3.0) << "140 / 50, 300 / 100, 200 / 50";
  EXPECT_EQ(summary.unequal_pairs, 0U) << "those of the same repetition are equally long";
  EXPECT_EQ(summary.apart_pairs, 0U);
  fixture.run.generations.back().section = 2;
  EXPECT_EQ(fixture.bigram().summary.apart_pairs, 1U);
  fixture.run.manifest.repetitions = 2;
  EXPECT_DOUBLE_EQ(fixture.bigram().summary.speedup.value().value, (145.0 + 300 + 200) / 200)
      << "100 and 190; 130 is beside other rivals";
  fixture.run.manifest.repetitions.reset();
  EXPECT_DOUBLE_EQ(fixture.bigram().summary.speedup.value().value, (100.0 + 300 + 200) / 200);
}

TEST(Cells, HaveNoSpeedupWithoutPlainDecoding) {
  Fixture fixture;
  std::erase_if(fixture.run.generations, [](const Generation& g) { return g.axes.is_plain(); });
  EXPECT_FALSE(fixture.bigram().summary.speedup);
}

TEST(Cells, CountPairsOfUnequalLength) {
  Fixture fixture;
  EXPECT_EQ(fixture.bigram().summary.unequal_pairs, 0U);
  fixture.run.generations[1].output_tokens = 59;
  EXPECT_EQ(fixture.bigram().summary.unequal_pairs, 1U);
}

TEST(Cells, CountGreedyTextsThatPlainDecodingDidNotWrite) {
  Fixture fixture;
  EXPECT_EQ(fixture.bigram().summary.other_texts, 0U);
  fixture.run.generations.push_back(make_generation("none", "chat_01", 100));
  fixture.run.generations.back().repetition = 1;
  fixture.run.generations.back().output_hash = "feedfeedfeedfeed";
  fixture.run.manifest.repetitions = 1;
  EXPECT_EQ(fixture.bigram().summary.other_texts, 1U)
      << "a further repetition of plain decoding counts too";
  fixture.run.generations[1].lossless = false;
  for (const std::size_t other : {3U, 5U}) fixture.run.generations[other].lossless = false;
  EXPECT_EQ(fixture.bigram().summary.other_texts, 0U) << "a lossy rule may";
  for (Generation& g : fixture.run.generations) g.lossless = true;
  for (Generation& g : fixture.run.generations) g.axes.temperature = 1;
  EXPECT_EQ(fixture.bigram().summary.other_texts, 0U) << "samples differ";
}

TEST(Cells, ShowZeroAcceptanceAsZeroAndNoDraftsAsMissing) {
  Fixture fixture;
  for (auto& g : fixture.run.generations) g.accepted = 0;
  EXPECT_EQ(fixture.bigram().summary.acceptance_rate.value().value, 0);
  for (auto& g : fixture.run.generations) g.tested = g.drafted = 0;
  EXPECT_FALSE(fixture.bigram().summary.acceptance_rate);
}

TEST(Cells, RefuseMixedRows) {
  Fixture lossy;
  lossy.run.generations[1].lossless = false;
  EXPECT_THROW(lossy.cells(), DataError);
  Fixture axes;
  axes.run.generations[1].axes.temperature = 1;
  EXPECT_THROW(axes.cells(), DataError);
}

TEST(Cells, AreWrittenAsTheSchemaSays) {
  Fixture fixture;
  const Table table = Table::parse(cells_csv(fixture.cells()), "cells.csv");
  ASSERT_EQ(table.size(), 2U);
  EXPECT_EQ(table.columns().size(), 46U);
  const std::size_t row = table.text(0, "drafter") == "bigram" ? 0 : 1;
  EXPECT_EQ(table.number(row, "predicted_walltime_ns"), 70);
  EXPECT_EQ(table.number(row, "speedup"), 3);
  EXPECT_LT(table.number(row, "speedup_low"), 3);
  EXPECT_FALSE(table.optional_number(1 - row, "speedup"));
  EXPECT_FALSE(table.optional_text(1 - row, "policy"));
}

TEST(MedianPredictionError, CountsCellsThatDraftInHalfOfTheirRounds) {
  Fixture fixture;
  const auto error = median_prediction_errors(fixture.cells()).as_predicted;
  ASSERT_TRUE(error);
  EXPECT_NEAR(error->value, std::abs(70 - 200.0 / 3) / (200.0 / 3), 1e-12);
  for (auto& g : fixture.run.generations)
    g.drafting_rounds = std::min<std::int64_t>(g.drafting_rounds, 9);
  EXPECT_FALSE(median_prediction_errors(fixture.cells()).as_predicted);
}

TEST(MedianPredictionError, IsAlsoTakenAtThePaceOfTheMachine) {
  Fixture fixture;
  fixture.run.predictions["bigram"].walltime_ns = 40.0;
  EXPECT_FALSE(median_prediction_errors(fixture.cells()).at_pace);
  fixture.run.predictions["bigram"].paced_walltime_ns = 60.0;
  const PredictionErrors errors = median_prediction_errors(fixture.cells());
  EXPECT_NEAR(errors.as_predicted->value, std::abs(40 - 200.0 / 3) / (200.0 / 3), 1e-12);
  EXPECT_NEAR(errors.at_pace->value, std::abs(60 - 200.0 / 3) / (200.0 / 3), 1e-12);
  const Table table = Table::parse(cells_csv(fixture.cells()), "cells.csv");
  const std::size_t row = table.text(0, "drafter") == "bigram" ? 0 : 1;
  EXPECT_EQ(table.number(row, "predicted_walltime_ns"), 40);
  EXPECT_EQ(table.number(row, "paced_walltime_ns"), 60);
  EXPECT_FALSE(table.optional_number(1 - row, "paced_walltime_ns"));
}

/// The measured speed-up is 3.
TEST(MedianPredictionError, CountsSpeedupsInsideTheirInterval) {
  Fixture fixture;
  EXPECT_FALSE(median_prediction_errors(fixture.cells()).half_width);
  Prediction& prediction = fixture.run.predictions["bigram"];
  prediction.speedup = 2.4, prediction.speedup_interval = {2.0, 3.0};
  PredictionErrors errors = median_prediction_errors(fixture.cells());
  EXPECT_NEAR(errors.speedup->value, 0.2, 1e-12);
  EXPECT_NEAR(errors.half_width->value, 0.2, 1e-12);
  EXPECT_EQ(errors.inside, 1U);
  prediction.speedup_interval = {2.0, 2.9};
  errors = median_prediction_errors(fixture.cells());
  EXPECT_EQ(errors.half_width->n, 1U);
  EXPECT_EQ(errors.inside, 0U);
}

TEST(Cells, TellDecodingFromReadingThePrompt) {
  Fixture fixture;
  for (auto& g : fixture.run.generations) g.prefill_ns = 200;
  EXPECT_DOUBLE_EQ(fixture.bigram().summary.decoding_speedup.value().value, 3.0);
  EXPECT_DOUBLE_EQ(fixture.bigram().summary.speedup.value().value, 1200.0 / 800);
}

TEST(Cells, StallOfOneGenerationDoesNotMoveTheMedianPair) {
  Fixture fixture;
  EXPECT_DOUBLE_EQ(fixture.bigram().summary.pair_speedup.value().value, 3.0);
  auto& stalled = *std::ranges::find_if(fixture.run.generations,
                                        [](const Generation& g) { return !g.axes.is_plain(); });
  stalled.decode_ns *= 100;
  EXPECT_DOUBLE_EQ(fixture.bigram().summary.pair_speedup.value().value, 3.0);
  EXPECT_LT(fixture.bigram().summary.speedup.value().value, 1.0);
  EXPECT_FALSE(fixture.cells().front().summary.pair_speedup);  // plain decoding
}

TEST(PilotChoice, IsTheShortestPredictionWhateverWasMeasured) {
  Fixture fixture;
  for (const auto& [prompt, own] : {std::pair{"chat_01", 90}, {"chat_02", 290}, {"math_01", 190}})
    fixture.run.generations.push_back(make_generation("lookup", prompt, own));
  fixture.run.predictions["none"].walltime_ns = 200.0;
  fixture.run.predictions["lookup"].walltime_ns = 60.0;
  Bootstrap bootstrap(1);
  const auto chosen_of = [&] {
    const auto groups = pooled_groups(fixture.run, Baseline(fixture.run), bootstrap);
    const auto choices = pilot_choices(groups);
    EXPECT_EQ(choices.size(), 1U);
    EXPECT_EQ(choices.front().fastest->axes.drafter, "bigram");
    return choices.front().chosen->axes.drafter;
  };
  EXPECT_EQ(chosen_of(), "lookup");
  for (auto& g : fixture.run.generations)
    if (g.cell_id == "lookup") g.lossless = false, g.law_distance = 0.1;
  EXPECT_EQ(chosen_of(), "bigram");
  fixture.run.predictions["none"].walltime_ns = 50.0;
  EXPECT_EQ(chosen_of(), "none");
  fixture.run.predictions.clear();
  EXPECT_TRUE(pilot_choices(pooled_groups(fixture.run, Baseline(fixture.run), bootstrap)).empty());
}

TEST(Groups, PoolPredictionsAsTheyPoolMeasurements) {
  Fixture fixture;
  auto& generations = fixture.run.generations;
  generations[5].cell_id = "bigram-math";
  fixture.run.predictions["bigram-math"] = {
      .walltime_ns = 40.0, .speedup = 6.0, .tokens_per_round = 6.0, .acceptance_rate = 0.9};
  Bootstrap bootstrap(1);
  const auto pooled = pooled_groups(fixture.run, Baseline(fixture.run), bootstrap);
  const auto& group =
      *std::ranges::find_if(pooled, [](const Group& g) { return !g.axes.is_plain(); });
  EXPECT_DOUBLE_EQ(group.summary.prediction.walltime_ns.value(), 60.0);  // (70 + 70 + 40) / 3
  EXPECT_DOUBLE_EQ(group.summary.prediction.speedup.value(),
                   (210.0 + 210 + 240) / 180);  // plain / own, both predicted
  EXPECT_DOUBLE_EQ(group.summary.prediction.tokens_per_round.value(), 180.0 / (20 + 20 + 10));
  fixture.run.predictions.erase("bigram-math");
  const auto partly = pooled_groups(fixture.run, Baseline(fixture.run), bootstrap);
  EXPECT_FALSE(std::ranges::find_if(partly, [](const Group& g) {
                 return !g.axes.is_plain();
               })->summary.prediction.walltime_ns);
}

TEST(AcceptanceByPosition, DoesNotTakeAShortDraftForARejection) {
  Fixture fixture;
  auto& run = fixture.run;
  for (std::size_t i = 0; i < run.generations.size(); ++i)
    run.generations[i].row_id = static_cast<std::int64_t>(i);
  // Of 4 rounds that draft one token 2 accept it; of 4 that draft two, 2 accept none and 2 accept
  // both.
  for (const std::int64_t row : {1, 3}) {
    for (const auto& [depth, accepted] : {std::pair{1, 1}, {1, 0}, {2, 2}, {2, 0}})
      run.rounds.push_back({.row_id = row, .depth = depth, .accepted = accepted});
  }
  Bootstrap bootstrap(1);
  const auto depths =
      acceptance_by_depth({&run.generations[1], &run.generations[3]}, run, bootstrap);
  ASSERT_EQ(depths.size(), 2U);
  EXPECT_DOUBLE_EQ(depths[0].conditional_acceptance.value, 0.5);
  EXPECT_DOUBLE_EQ(depths[1].conditional_acceptance.value, 1.0);
  EXPECT_DOUBLE_EQ(depths[1].survival.value, 0.5);
}

}  // namespace
}  // namespace speclab::analysis
