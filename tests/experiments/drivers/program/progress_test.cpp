// What is printed while a run measures.
#include "experiments/drivers/program/progress.h"
#include "experiments/drivers/journal/run_log.h"

#include <gtest/gtest.h>

#include "experiments/drivers/measure/measurement.h"
#include "tests/experiments/drivers/support/small_experiment.h"

namespace speclab::experiments {
namespace {

using testing::SmallExperiment;

TEST(Progress, SaysShareCellsTimeLeftAndSpeed) {
  for (const auto& [style, beginning] :
       {std::pair(Progress::Style::lines, "measuring: 25 %"),
        std::pair(Progress::Style::bar, "measuring [#######.......................]  25 %")}) {
    ::testing::internal::CaptureStderr();
    Progress progress(style);
    progress.begin_phase("measuring", 8);
    progress.advance(2);
    progress.tell({.done = 3, .all = 12}, 85.4);
    EXPECT_EQ(progress.line(30),
              std::string(beginning) + ", 3 of 12 cells, 1 min 30 s left, 85 tokens/s");
    progress.tell({.done = 3, .all = 12}, 2.34);
    EXPECT_TRUE(progress.line(30).ends_with(", 2.3 tokens/s")) << "slow ones with a tenth";
    ::testing::internal::GetCapturedStderr();
  }
}

TEST(Progress, LeavesOutWhatIsNotKnown) {
  Progress progress(Progress::Style::silent);
  progress.begin_phase("measuring", 4);
  EXPECT_EQ(progress.line(30), "measuring: 0 %");
  progress.tell({.done = 1, .all = 2}, 50);
  progress.begin_phase("cost surface", 4);
  progress.advance(1);
  EXPECT_EQ(progress.line(200), "cost surface: 25 %, 10 min 00 s left")
      << "what was told is of the phase before";
}

TEST(Progress, PrintsItsLineAtOnceAndTheBarAgain) {
  ::testing::internal::CaptureStderr();
  {
    Progress progress(Progress::Style::bar);
    progress.begin_phase("measuring", 4);
  }
  const std::string said = ::testing::internal::GetCapturedStderr();
  EXPECT_TRUE(said.starts_with(
      "\r\033[Kmeasuring [..............................]   0 %\r\033[Kmeasuring: "))
      << said;
}

/// Defect: a short generation prints a line of progress, or a long one never does.
TEST(Progress, OfAQuietPhaseWaits) {
  const auto said = [](std::chrono::duration<double> patience) {
    ::testing::internal::CaptureStderr();
    {
      Progress progress(Progress::Style::lines, patience);
      progress.begin_quiet_phase("generate", 4);
      progress.advance(1);
    }
    return ::testing::internal::GetCapturedStderr();
  };
  EXPECT_EQ(said(std::chrono::hours(1)), "");
  const std::string at_once = said(std::chrono::seconds(0));
  EXPECT_TRUE(at_once.starts_with("generate: 25 %, ")) << at_once;
  EXPECT_NE(at_once.find(" left\ngenerate: "), std::string::npos) << at_once;
}

/// Defect: a bar wider than its terminal wraps, and every update leaves a line.
TEST(Progress, BarFitsAnyTerminal) {
  ::testing::internal::CaptureStderr();
  Progress progress(Progress::Style::bar);
  for (const char* phase :
       {"measuring", "pilots and cost surface", "\u6d4b\u91cf\u6d4b\u91cf\u6d4b\u91cf"}) {
    progress.begin_phase(phase, 8);
    progress.advance(2);
    progress.tell({.done = 3, .all = 12}, 85.4);
    for (std::size_t columns = 0; columns < 120; ++columns) {
      const std::string line = progress.line(30, columns);
      EXPECT_LE(columns_of(line), columns) << line;
      if (columns >= 19) {
        EXPECT_NE(line.find(" 25 %"), std::string::npos) << columns << " columns: " << line;
      }
    }
  }
  progress.begin_phase("measuring", 8);
  progress.advance(2);
  progress.tell({.done = 3, .all = 12}, 85.4);
  EXPECT_EQ(progress.line(30, 19), "measuring  25 %");
  EXPECT_EQ(progress.line(30, 40), "measuring  25 %, 3 of 12 cells");
  EXPECT_EQ(progress.line(30, 71),
            "measuring [##......]  25 %, 3 of 12 cells, 1 min 30 s left, 85 tokens/s");
  ::testing::internal::GetCapturedStderr();
}

/// By cell and prompt, the first repetition.
std::size_t row_of(const Plan& plan, std::size_t cell, std::size_t prompt) {
  for (std::size_t row = 0; row < plan.generations.size(); ++row)
    if (plan.generations[row].cell == cell && plan.generations[row].prompt == prompt) return row;
  return plan.generations.size();
}

class ProgressOfMeasuring : public ::testing::Test {
 protected:
  const SmallExperiment experiment_{testing::memory_folder()};
  const Plan plan_ = experiment_.plan();
  Progress progress_{Progress::Style::silent};
};

TEST_F(ProgressOfMeasuring, CountsACellWhenItsLastGenerationHasEndedWellOrNot) {
  experiment_.prepare(plan_, "run");
  const RunLog log(plan_, experiment_.folder("run"));
  MeasuringProgress measuring(plan_, log, plan_.order, progress_);
  EXPECT_NE(progress_.line(1).find(", 0 of 6 cells"), std::string::npos) << progress_.line(1);
  for (std::size_t prompt = 0; prompt < 4; ++prompt) {
    EXPECT_NE(progress_.line(1).find(", 0 of 6 cells"), std::string::npos) << progress_.line(1);
    measuring.ended(row_of(plan_, 2, prompt), prompt == 1
                                                  ? Measured{.failed = FailureStatus::timeout}
                                                  : Measured{.tokens = 24, .ns = 500'000'000});
  }
  EXPECT_NE(progress_.line(1).find(", 1 of 6 cells"), std::string::npos) << progress_.line(1);
  EXPECT_TRUE(progress_.line(1).ends_with(", 48 tokens/s")) << progress_.line(1);
}

TEST_F(ProgressOfMeasuring, SpeedIsThatOfTheLastGenerations) {
  experiment_.prepare(plan_, "run");
  const RunLog log(plan_, experiment_.folder("run"));
  MeasuringProgress measuring(plan_, log, plan_.order, progress_);
  measuring.ended(0, {.tokens = 24, .ns = 100'000'000'000});
  EXPECT_TRUE(progress_.line(1).ends_with(", 0.2 tokens/s")) << progress_.line(1);
  for (std::size_t row = 1; row <= MeasuringProgress::kLastGenerations; ++row)
    measuring.ended(row, {.tokens = 10, .ns = 200'000'000});
  EXPECT_TRUE(progress_.line(1).ends_with(", 50 tokens/s")) << progress_.line(1);
}

TEST_F(ProgressOfMeasuring, OfAResumedRunCountsTheCellsThatWereDone) {
  experiment_.prepare(plan_, "run");
  const std::vector<std::size_t> first(plan_.order.begin(), plan_.order.begin() + 20);
  experiment_.measure(plan_, "run", 0, first);
  experiment_.merge(plan_, "run");
  std::size_t open = 0;
  experiment_.engines().num_generations = 0;
  experiment_.engines().on_generation = [&] {
    if (experiment_.engines().num_generations == static_cast<int>(plan_.cells.size()) + 1)
      throw InterruptedError("stop");
  };
  for (std::size_t i = 20; i < plan_.order.size(); ++i)
    open |= std::size_t{1} << plan_.generations[plan_.order[i]].cell;
  ::testing::internal::CaptureStderr();
  Progress lines(Progress::Style::lines);
  EXPECT_THROW(run_experiment(plan_, {.folder = experiment_.folder("run")},
                              experiment_.open_engines(), lines),
               InterruptedError);
  EXPECT_NE(::testing::internal::GetCapturedStderr().find("measuring: 0 %"), std::string::npos);
  const auto num_open = static_cast<std::size_t>(__builtin_popcountll(open));
  EXPECT_NE(lines.line(1).find(std::to_string(plan_.cells.size() - num_open) + " of 6 cells"),
            std::string::npos)
      << lines.line(1);
}

}  // namespace
}  // namespace speclab::experiments
