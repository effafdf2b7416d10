#include "experiments/drivers/commands/train_target.h"

#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <thread>

#include "analysis/tables/table.h"
#include "sim/system/errors.h"
#include "sim/system/files.h"
#include "tests/engines/formats/temporary_folder.h"
#include "tests/support/fake_engines.h"

namespace speclab::experiments {
namespace {

/// Stands in another folder until its end.
class WorkingFolder {
 public:
  explicit WorkingFolder(const std::string& path) : before_(std::filesystem::current_path()) {
    std::filesystem::current_path(path);
  }
  ~WorkingFolder() { std::filesystem::current_path(before_); }

 private:
  std::filesystem::path before_;
};

/// Engines that make texts in the steps of the real ones, and stop the first real training.
class BegunTraining : public ::testing::Test {
 protected:
  BegunTraining() {
    state_->on_train = [this](const engines::TrainOptions& options,
                              const engines::TrainCallbacks& callbacks) {
      if (options.output.starts_with(drafter() + "/v")) return train(options);
      const int rounds = options.own_text.max_new_tokens;
      for (int round = 0; round < rounds; ++round) {
        callbacks.check();
        std::this_thread::sleep_for(std::chrono::milliseconds(round_ms_));
      }
      for (std::size_t i = 0; i < options.own_text.prompts.size(); ++i) callbacks.check();
      callbacks.progress({.phase = "own text", .fraction = 1, .tokens = 256});
    };
  }

  std::string drafter() const { return scratch_.path("drafter"); }
  std::string folder() const { return drafter() + "/v1"; }
  std::string call(double minutes) {
    return train_for_target_in_minutes(
        engines_,
        {.output = drafter(), .target = "opens_texts", .kind = "ngram", .minutes = minutes},
        {[](const engines::TrainProgress&) {}, [] {}});
  }

  testing::TemporaryFolder scratch_;
  std::shared_ptr<testing::FakeEnginesState> state_ = std::make_shared<testing::FakeEnginesState>();
  testing::FakeEngines engines_{state_};
  std::vector<std::size_t> num_prompts_;  ///< of every real training
  int round_ms_ = 2;

 private:
  void train(const engines::TrainOptions& options) {
    num_prompts_.push_back(options.own_text.prompts.size());
    if (num_prompts_.size() == 1) throw InterruptedError("Ctrl-C");
    make_folder(options.output);
    write_file(options.output + "/manifest.json", "{}");
  }
};

/// Defect: the second call measured the speed anew, chose other sizes, and refused what was begun.
TEST_F(BegunTraining, GoesOnWithTheSizesThatWereChosenFirst) {
  EXPECT_THROW(call(0.2), InterruptedError);
  round_ms_ = 0;
  EXPECT_EQ(call(0.2), folder());
  ASSERT_EQ(num_prompts_.size(), 2u);
  EXPECT_EQ(num_prompts_[0], num_prompts_[1]);
  EXPECT_LT(num_prompts_[0], 8000u) << "the speed was heeded";
  EXPECT_TRUE(std::filesystem::exists(folder() + "/train.toml"));
  const std::string before = read_file(folder() + "/train.toml");
  EXPECT_EQ(call(0.2), drafter() + "/v2") << "a finished drafter stays";
  EXPECT_EQ(read_file(folder() + "/train.toml"), before);
}

/// Defect: nobody knows what a new drafter keeps, or the table says another number of texts.
TEST_F(BegunTraining, LeavesTheAcceptanceOnHeldOutPrompts) {
  EXPECT_THROW(call(0.2), InterruptedError);
  EXPECT_FALSE(std::filesystem::exists(folder() + "/acceptance.csv"));
  call(0.2);
  const analysis::Table table = analysis::Table::read(folder() + "/acceptance.csv");
  ASSERT_EQ(table.size(), 3u * 4 * 16) << "three temperatures, four depths, sixteen texts";
  EXPECT_EQ(table.text(0, "drafter"), "ngram");
  EXPECT_EQ(table.text(0, "category"), "held_out_1");
  EXPECT_EQ(table.number(0, "n_prompts"), 1);
  EXPECT_GE(table.number(0, "positions"), 1);
  EXPECT_LE(table.number(0, "positions"), 32) << "these engines keep drafts";
  EXPECT_LE(table.number(0, "accepted"), table.number(0, "reached"));
}

/// Defect: what is interrupted behind the training is never measured, or trains again.
TEST_F(BegunTraining, GoesOnWithItsAcceptance) {
  EXPECT_THROW(call(0.2), InterruptedError);
  state_->on_round = [] { throw InterruptedError("Ctrl-C"); };
  EXPECT_THROW(call(0.2), InterruptedError);
  state_->on_round = [] {};
  EXPECT_EQ(call(0.2), folder());
  EXPECT_EQ(num_prompts_.size(), 2u) << "trained once";
  EXPECT_TRUE(std::filesystem::exists(folder() + "/acceptance.csv"));
  EXPECT_FALSE(std::filesystem::exists(folder() + "/acceptance.part"));
}

/// Defect: the forecast of the chosen sizes exceeds the minutes, or leaves half of them.
TEST_F(BegunTraining, AimsAtFourFifthsOfTheMinutes) {
  constexpr double kMinutes = 2;
  round_ms_ = 10;
  EXPECT_THROW(call(kMinutes), InterruptedError);
  const std::string begun = read_file(folder() + "/begun.toml");
  const std::size_t at = begun.find(" min: ");
  ASSERT_NE(at, std::string::npos) << begun;
  const double forecast = std::stod(begun.substr(begun.rfind(' ', at - 1)));
  EXPECT_LE(forecast, 0.8 * kMinutes + 0.05) << begun;
  EXPECT_GE(forecast, 0.5 * kMinutes) << begun;
}

/// Defect: n-grams, which are counted in minutes, get the hour of a transformer.
TEST_F(BegunTraining, TakesTenMinutesForNGramsIfNoneAreGiven) {
  EXPECT_THROW(train_for_target_in_minutes(
                   engines_, {.output = drafter(), .target = "opens_texts", .kind = "ngram"},
                   {[](const engines::TrainProgress&) {}, [] {}}),
               InterruptedError);
  EXPECT_NE(read_file(folder() + "/begun.toml").find("--minutes 10;"), std::string::npos);
}

/// Defect: a training without --output goes on in the folder of another target of this name.
TEST_F(BegunTraining, RefusesTheFolderOfAnotherTargetOfItsName) {
  const WorkingFolder in_scratch(scratch_.path());
  const std::string own = "results/runs/opens_texts-ngram";
  std::filesystem::create_directories(own);
  write_file(own + "/manifest.json", R"({"target_sha256":"another"})");
  std::string refusal = "taken";
  try {
    train_for_target_in_minutes(engines_, {.target = "opens_texts", .kind = "ngram"}, {});
  } catch (const ConfigError& error) {
    refusal = error.what();
  }
  EXPECT_NE(refusal.find("holds no drafter of this target"), std::string::npos) << refusal;
}

/// Defect: other minutes went on with the old sizes without a word.
TEST_F(BegunTraining, RefusesAnotherCall) {
  EXPECT_THROW(call(0.2), InterruptedError);
  EXPECT_THROW(call(0.3), ConfigError);
}

/// Defect: prompts longer than the context ended the training after its speed was measured.
TEST_F(BegunTraining, LeavesOutPromptsThatDoNotFit) {
  state_->context_length = 256;
  EXPECT_THROW(call(0.2), InterruptedError);
  EXPECT_GT(num_prompts_.at(0), 0u);
  state_->context_length = 8;
  std::filesystem::remove_all(folder());
  EXPECT_THROW(call(0.2), ConfigError) << "no prompt fits";
  EXPECT_FALSE(std::filesystem::exists(folder()));
}

TEST(TrainTarget, RefusesOptionsBeforeAnythingIsOpened) {
  EXPECT_THROW(check_target_options({.target = "m"}), ConfigError) << "no kind";
  EXPECT_THROW(check_target_options({.target = "m", .kind = "bigram"}), ConfigError);
  EXPECT_THROW(check_target_options({.target = "m", .kind = "ngram", .minutes = 0}), ConfigError);
  EXPECT_THROW(check_target_options({.target = "m", .kind = "ngram", .minutes = 1e9}), ConfigError);
  EXPECT_NO_THROW(check_target_options({.target = "m", .kind = "feature_transformer"}));
}

/// Defect: a target without text was found out after its weights were loaded.
TEST(TrainTarget, RefusesATargetWithoutATokenizer) {
  testing::FakeEngines engines(std::make_shared<testing::FakeEnginesState>());
  EXPECT_THROW(train_for_target_in_minutes(engines, {.target = "shape-15m", .kind = "ngram"}, {}),
               ConfigError);
}

}  // namespace
}  // namespace speclab::experiments
