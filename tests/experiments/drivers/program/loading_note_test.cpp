#include "experiments/drivers/program/loading_note.h"

#include <gtest/gtest.h>

#include <atomic>

#include "tests/engines/formats/temporary_folder.h"

namespace speclab::experiments {
namespace {

using namespace std::chrono_literals;

/// Defect: a model that is loaded at once gets the line too, or the caller waits for the line.
TEST(LateNote, SpeaksOnlyOfWhatTakesLong) {
  std::atomic<bool> spoke = false;
  {
    const LateNote note(1h, [&] { spoke = true; });
  }
  EXPECT_FALSE(spoke);
  const LateNote note(0ms, [&] {
    spoke = true;
    spoke.notify_one();
  });
  spoke.wait(false);
}

/// Defect: the size of a folder is that of its entry, or a model without files gets one.
TEST(LoadingLine, CountsTheFilesOfAFolder) {
  const testing::TemporaryFolder folder;
  folder.file("a", "");
  folder.file("b", "");
  std::filesystem::resize_file(folder.path("a"), 1'000'000'000);
  std::filesystem::resize_file(folder.path("b"), 100'000'000);
  EXPECT_EQ(loading_line("tiny", folder.path()), "loading tiny, 1.1 GB ...");
  EXPECT_EQ(loading_line("tiny", folder.path("a")), "loading tiny, 1.0 GB ...");
  EXPECT_EQ(loading_line("shape-1b", ""), "loading shape-1b ...");
}

/// Defect: as many threads as processors are warned of, or 0, which is all of them.
TEST(ThreadsWarning, IsForMoreThreadsThanProcessors) {
  EXPECT_EQ(threads_warning(0, 1), "");
  EXPECT_EQ(threads_warning(2, 2), "");
  EXPECT_NE(threads_warning(3, 2).find("3 threads for 2 processors"), std::string::npos);
}

/// Defect: a speed-up that nobody measured is told, or the line hides what it costs.
TEST(Int8Note, TellsASpeedUpThatWasMeasuredAndThatTheLawMoves) {
  engines::ModelInfo model;
  model.kernels = "avx512";
  EXPECT_EQ(int8_note(model), "");
  model.speedup_of_int8 = 1.05;
  EXPECT_EQ(int8_note(model), "");
  model.speedup_of_int8 = 2.46;
  EXPECT_EQ(int8_note(model),
            "note: with --activations int8 the products of one row are 2.5 times as fast here "
            "(kernels avx512); the law moves a little, and 'speclab verify --activations int8 "
            "--against bfloat16' measures how far");
}

}  // namespace
}  // namespace speclab::experiments
