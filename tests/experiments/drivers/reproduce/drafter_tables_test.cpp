// Tables read from sweeps over drafters of our own training, on made-up sweeps whose answers are
// known.

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "analysis/tables/acceptance.h"
#include "experiments/drivers/reproduce/measured/closed_world.h"
#include "experiments/drivers/reproduce/measured/measured_table.h"
#include "sim/system/errors.h"
#include "sim/system/files.h"
#include "tests/engines/formats/temporary_folder.h"

namespace speclab::experiments {
namespace {

using testing::TemporaryFolder;

/// A drafter that keeps each draft with one chance, everywhere.
struct MadeUp {
  std::string name;
  int depths = 0;
  double acceptance = 0;
  std::int64_t parameters = 1;
  std::string training{};  ///< lines of the manifest
};

std::string rows_of(const MadeUp& drafter, double temperature, const std::string& category) {
  std::string rows;
  double reached = 100;
  for (int depth = 1; depth <= drafter.depths; ++depth) {
    const double accepted = reached * drafter.acceptance;
    for (const char* prompt : {"a", "b"})
      rows += fmt::format(
          "{0} {1} "
          "{2},{2},target,{0},chain,constant:8,rejection,{1},0,1,0,1,{2}_{3},100,{4},100,{5},{6}{7}"
          "\n",
          drafter.name, temperature, category, prompt, depth, reached, accepted,
          fmt::format(",{0},{0},{0},{0},{0},{0},{0},{0},{0},{0}", accepted));
    reached = accepted;
  }
  return rows;
}

/// A frozen sweep's manifest with other models, and as many texts as there are.
std::string manifest_of(const std::vector<MadeUp>& drafters) {
  std::string committed =
      read_file(SPECLAB_SOURCE_DIR "/tests/golden/runs/papers/own_text/manifest.toml");
  const std::size_t planned = committed.find("\nplanned_generations = ");
  SPECLAB_EXPECT(planned != std::string::npos,
                 "the frozen manifest does not say how many texts were planned");
  committed.erase(planned, committed.find('\n', planned + 1) - planned);
  std::string manifest = committed.substr(0, committed.find("[[provenance.models]]")) +
                         "[[provenance.models]]\nname = \"target\"\nrole = \"target\"\nsha256 = "
                         "\"t\"\nparameters = 1000\nweights = \"trained\"\n";
  for (const MadeUp& d : drafters)
    manifest += fmt::format(
        "\n[[provenance.models]]\nname = \"{}\"\nrole = \"drafter\"\nsha256 = \"d\"\nparameters = "
        "{}\nweights = \"trained\"\n{}",
        d.name, d.parameters, d.training);
  return manifest;
}

void write_sweep(const TemporaryFolder& folder, const std::vector<MadeUp>& drafters,
                 const std::vector<std::string>& categories) {
  std::string rows = fmt::format("{}\n", fmt::join(analysis::acceptance_table().names(), ","));
  for (const MadeUp& drafter : drafters)
    for (const double temperature : {0.0, 0.5, 1.0})
      for (const std::string& category : categories)
        rows += rows_of(drafter, temperature, category);
  write_file(folder.path("acceptance.csv"), rows);
  write_file(folder.path("manifest.toml"), manifest_of(drafters));
}

const Comparison& row_of(const Reproduction& result, const std::string& setting,
                         const std::string& quantity) {
  const auto found = std::ranges::find_if(result.rows, [&](const Comparison& row) {
    return row.setting == setting && row.quantity == quantity;
  });
  if (found == result.rows.end()) throw ContractError("no row " + setting + " " + quantity);
  return *found;
}

std::vector<MadeUp> speculators() {
  std::vector<MadeUp> drafters;
  for (const char* domain : {"prose", "code"})
    for (const int heads : {3, 4, 6, 8})
      drafters.push_back({.name = fmt::format("{}_{}", domain, heads),
                          .depths = heads,
                          .acceptance = domain == std::string("code") && heads == 6 ? 0.75 : 0.5});
  return drafters;
}

TEST(IbmHeads, CountsTheTokensOfARoundAndTellsTheBestNumber) {
  const TemporaryFolder folder;
  write_sweep(folder, speculators(), {"chat", "code_editing"});
  const Reproduction result = ibm_heads(Papers(), {{"mlp_heads", folder.path()}});
  EXPECT_NEAR(
      row_of(result, "heads=3;trained_on=prose;category=chat;temperature=1", "tokens_per_round")
          .ours,
      1 + 0.5 + 0.25 + 0.125, 1e-9);
  EXPECT_EQ(row_of(result, "trained_on=prose;category=chat;temperature=1",
                   "heads_with_most_tokens_per_round")
                .ours,
            8);
  const Comparison& code = row_of(result, "trained_on=code;category=code_editing;temperature=0",
                                  "heads_with_most_tokens_per_round");
  EXPECT_EQ(code.ours, 6);
  EXPECT_EQ(*code.reference, 6) << "IBM's least for code";
}

TEST(IbmHeads, RefusesASweepWithoutOneOfThem) {
  const TemporaryFolder folder;
  std::vector<MadeUp> drafters = speculators();
  drafters.pop_back();
  write_sweep(folder, drafters, {"chat", "code_editing"});
  EXPECT_THROW(ibm_heads(Papers(), {{"mlp_heads", folder.path()}}), DataError);
}

std::string training(std::int64_t tokens, double loss) {
  return fmt::format(
      "training_tokens = {}\nheld_out_loss = {}\nheld_out_agreement = {}\nheld_out_acceptance = "
      "{}\n",
      tokens, loss, loss > 1.9 ? 0.5 : 0.6, 0.4);
}

/// Acceptance falls with the loss on a line; two of one size saw different amounts of text.
std::vector<MadeUp> family() {
  return {{"small", 4, 0.5, 10, training(1000, 2.0)},
          {"medium", 4, 0.6, 100, training(1000, 1.8)},
          {"medium_half", 4, 0.55, 100, training(500, 1.9)},
          {"large", 4, 0.7, 500, training(1000, 1.6)}};
}

Reproduction closed_world_of(const std::vector<MadeUp>& drafters) {
  const TemporaryFolder folder;
  write_sweep(folder, drafters, {"prose", "code"});
  return closed_world(Papers(), {{"closed_world", folder.path()}});
}

std::vector<MadeUp> with_probabilities(std::vector<MadeUp> drafters) {
  for (MadeUp& d : drafters)
    d.training.replace(d.training.find("held_out_acceptance"), std::string::npos,
                       fmt::format("held_out_acceptance = {}\n", d.acceptance * d.acceptance));
  return drafters;
}

TEST(ClosedWorld, TellsWhichFigureOfTrainingPredictsAcceptance) {
  const Reproduction result = closed_world_of(with_probabilities(family()));
  EXPECT_NEAR(
      row_of(result, "metric=held_out_loss;temperature=1", "correlation_with_acceptance").ours, -1,
      1e-9);
  EXPECT_NEAR(row_of(result, "metric=held_out_loss;temperature=1", "rms_error_of_line").ours, 0,
              1e-9);
  EXPECT_GT(row_of(result, "metric=log_training_tokens;temperature=1", "rms_error_of_line").ours,
            0.01);
  EXPECT_NE(result.remarks.front().find("held_out_loss tells acceptance best"), std::string::npos)
      << result.remarks.front();
  EXPECT_NEAR(
      row_of(result, "drafter=medium;temperature=0.5;category=code", "acceptance_rate").ours, 0.6,
      1e-9);
}

TEST(ClosedWorld, TellsTheFastestSizeAtEachPrice) {
  const Reproduction result = closed_world_of(with_probabilities(family()));
  const auto setting_at = [&](const std::string& price) {
    return std::ranges::find_if(
               result.rows,
               [&](const Comparison& row) {
                 return row.setting.starts_with("price=" + price + ";temperature=1;");
               })
        ->setting;
  };
  EXPECT_EQ(setting_at("0.1"), "price=0.1;temperature=1;fastest=large;length=4")
      << "nearly free: c = 0.05";
  EXPECT_EQ(setting_at("50"), "price=50;temperature=1;fastest=none;length=0")
      << "one draft of the smallest costs c = 0.5 and is kept half of the time";
  EXPECT_EQ(result.figures.size(), 6u);
}

/// One draft: (1 + s) / (1 + c); two: (1 + s + t) / (1 + 2 c).
TEST(ClosedWorld, BoundsTheSpeedupByTheBestLengthAtEachEnd) {
  const auto depth = [](int at, double low, double value, double high) {
    return analysis::DepthAcceptance{
        .depth = at,
        .acceptance = {},
        .survival = {.value = value, .interval = analysis::Interval{low, high}, .n = 8},
        .in_top = {}};
  };
  analysis::DrafterAcceptance cell{.axes = {},
                                   .category = "all",
                                   .positions = 1,
                                   .prompts = 8,
                                   .coverage = {},
                                   .depths = {depth(1, 0.2, 0.6, 0.8), depth(2, 0.1, 0.3, 0.7)},
                                   .acceptance_rate = {},
                                   .tokens_per_round = {}};
  const LengthChoice choice = best_length(cell, 0.3);
  EXPECT_EQ(choice.length, 1);
  EXPECT_DOUBLE_EQ(choice.speedup.value, 1.6 / 1.3);
  EXPECT_DOUBLE_EQ(choice.speedup.interval.value().low, 1) << "then none pays";
  EXPECT_DOUBLE_EQ(choice.speedup.interval->high, 2.5 / 1.6) << "then two are better";
  cell.depths[1].survival.interval.reset();
  EXPECT_FALSE(best_length(cell, 0.3).speedup.interval) << "what is not known is not certain";
}

TEST(ClosedWorld, RefusesASweepThatTellsTooLittle) {
  std::vector<MadeUp> untold = with_probabilities(family());
  untold.front().training.clear();
  EXPECT_THROW(closed_world_of(untold), DataError);
  std::vector<MadeUp> twice = with_probabilities(family());
  twice.push_back(twice.front());
  twice.back().depths = 0;
  EXPECT_THROW(closed_world_of(twice), DataError) << "in the manifest, not in the rows";
  EXPECT_THROW(closed_world_of({family()[0], family()[1]}), DataError) << "a line through two";
  EXPECT_THROW(closed_world_of(family()), DataError) << "one probability for all";
}

}  // namespace
}  // namespace speclab::experiments
