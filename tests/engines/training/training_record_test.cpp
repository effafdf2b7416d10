#include "engines/training/manifest.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "sim/system/errors.h"
#include "sim/system/files.h"

namespace speclab::engines {
namespace {

constexpr const char* kTwoTemperatures =
    R"({"kind": "feature_transformer", "tokens": 642, "held_out": [
  {"source": "own text", "temperature": 0.0, "loss_nats": 2.5, "acceptance_rate": 0.6,
    "greedy_agreement": 0.65},
  {"source": "own text", "temperature": 1.0, "loss_nats": 3.0, "acceptance_rate": 0.5,
    "greedy_agreement": 0.55}]})";

class TrainingRecordTest : public ::testing::Test {
 protected:
  TrainingRecordTest() {
    std::filesystem::remove_all(folder_);
    make_folder(folder_);
  }

  std::optional<TrainingRecord> record_of(const std::string& manifest) const {
    write_file(folder_ + "/manifest.json", manifest);
    return read_training_record(folder_);
  }

  const std::string folder_ = ::testing::TempDir() + "/training_record";
};

TEST_F(TrainingRecordTest, IsThatOfTemperature1) {
  const auto record = record_of(kTwoTemperatures);
  ASSERT_TRUE(record);
  EXPECT_EQ(record->tokens, 642);
  EXPECT_EQ(record->held_out_loss, 3.0);
  EXPECT_EQ(record->held_out_agreement, 0.55);
  EXPECT_EQ(record->held_out_acceptance, 0.5);
}

TEST_F(TrainingRecordTest, IsThatOfTheLastWhereNoneHasTemperature1) {
  const auto record = record_of(
      R"({"tokens": 3, "held_out": [{"temperature": 0, "loss_nats": 1, "acceptance_rate": 0.5,
        "greedy_agreement": 0.5},
    {"temperature": 0.7, "loss_nats": 2, "acceptance_rate": 0.4, "greedy_agreement": 0.4},
      {"source": "a file", "loss_nats": 3}]})");
  EXPECT_EQ(record->held_out_loss, 2.0);
}

TEST_F(TrainingRecordTest, KnowsEveryNameOfAcceptance) {
  for (const char* name : {"acceptance_rate", "acceptance_rate_at_least", "next_token_probability"})
    EXPECT_EQ(
        record_of(std::string(
                      R"({"tokens": 1, "held_out": [{"loss_nats": 1, "greedy_agreement": 0.5, ")") +
                  name + "\": 0.25}]}")
            ->held_out_acceptance,
        0.25)
        << name;
}

TEST_F(TrainingRecordTest, IsNoneWhereNothingIsTold) {
  EXPECT_FALSE(read_training_record(folder_)) << "no manifest";
  EXPECT_FALSE(read_training_record("")) << "no folder";
  EXPECT_FALSE(record_of("{}")) << "somebody else's";
  EXPECT_FALSE(record_of("[1, 2]")) << "somebody else's";
  EXPECT_FALSE(record_of(R"({"tokens": 5, "held_out": [{"loss_nats": 5}]})"))
      << "n-grams of files that no target read";
}

TEST_F(TrainingRecordTest, RefusesWhatIsNotOfItsType) {
  EXPECT_THROW(record_of("{"), ModelFileError);
  EXPECT_THROW(record_of(R"({"tokens": -1, "held_out": [{"loss_nats": 1, "greedy_agreement": 0.5,)"
                         R"( "acceptance_rate": 0.25}]})"),
               ModelFileError);
  EXPECT_THROW(record_of(R"({"tokens": 0, "held_out": [{"loss_nats": 1, "greedy_agreement": 0.5,)"
                         R"( "acceptance_rate": 0.25}]})"),
               ModelFileError);
  EXPECT_THROW(record_of(R"({"tokens": 1, "held_out": [{"loss_nats": -1, "greedy_agreement": 0.5,)"
                         R"( "acceptance_rate": 0.25}]})"),
               ModelFileError);
  EXPECT_THROW(record_of(R"({"tokens": 1, "held_out": 3})"), ModelFileError);
  EXPECT_THROW(
      record_of(
          R"({"tokens": 1, "held_out": [{"greedy_agreement": 0.5, "acceptance_rate": 0.25}]})"),
      ModelFileError);
  EXPECT_THROW(record_of(R"({"tokens": 1, "held_out": [{"loss_nats": 1, "greedy_agreement": 1.5,)"
                         R"( "acceptance_rate": 0.25}]})"),
               ModelFileError);
}

}  // namespace
}  // namespace speclab::engines
