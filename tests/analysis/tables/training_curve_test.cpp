#include "analysis/tables/training_curve.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <nlohmann/json.hpp>

#include "sim/system/errors.h"
#include "sim/system/files.h"
#include "tests/analysis/support/synthetic_run.h"

namespace speclab::analysis {
namespace {

constexpr const char* kCurveHeader =
    "tokens,loss_nats,validation_loss_nats,validation_acceptance_rate,validation_greedy_agreement";
constexpr const char* kSecond =
    ",validation_loss_nats_2,validation_acceptance_rate_2,validation_greedy_agreement_2";

constexpr std::array kCurveOrigin{"revision", "build_type",    "flags",    "compiler", "libtorch",
                                  "blas",     "machine",       "governor", "device",   "driver",
                                  "threads",  "config_sha256", "seed"};

/// @param left_out  key of provenance that the training did not note
std::string manifest(const std::string& left_out = "") {
  nlohmann::ordered_json json{{"kind", "mlp_speculator"}};
  for (const char* key : kCurveOrigin)
    if (key != left_out) json["provenance"][key] = std::string("the ") + key;
  return json.dump();
}

TrainingCurve read_curve_text(const std::string& content,
                              const std::string& manifest_json = manifest()) {
  const testing::ScratchFolder scratch;
  write_file(scratch.file("training.csv"), content);
  write_file(scratch.file("manifest.json"), manifest_json);
  return read_training_curve(scratch.path());
}

std::string curve_refusal(const std::string& manifest_json) {
  try {
    read_curve_text(std::string(kCurveHeader) + "\n100,5.5,5.25,0.5,0.25\n", manifest_json);
  } catch (const DataError& error) {
    return error.what();
  }
  return "none";
}

TEST(TrainingCurve, TellsItsOrigin) {
  const TrainingCurve curve =
      read_curve_text(std::string(kCurveHeader) + "\n100,5.5,5.25,0.5,0.25\n");
  ASSERT_EQ(curve.origins.size(), 1u);
  EXPECT_EQ(curve.origins[0].revision, "the revision");
  EXPECT_EQ(curve.origins[0].machine, "the machine");
}

TEST(TrainingCurve, OfSeveralProcessesTellsThemInTheirOrder) {
  nlohmann::ordered_json json = nlohmann::ordered_json::parse(manifest());
  nlohmann::ordered_json first = json["provenance"];
  first["revision"] = "an older revision";
  json["earlier_provenance"] = {first};
  const TrainingCurve curve =
      read_curve_text(std::string(kCurveHeader) + "\n100,5.5,5.25,0.5,0.25\n", json.dump());
  ASSERT_EQ(curve.origins.size(), 2u);
  EXPECT_EQ(curve.origins[0].revision, "an older revision");
  EXPECT_EQ(curve.origins[1].revision, "the revision");
}

TEST(TrainingCurve, OfUnknownOriginIsRefused) {
  for (const char* key : kCurveOrigin)
    EXPECT_NE(
        curve_refusal(manifest(key)).find(std::string("provenance has no text for ") + key + "; "),
        std::string::npos)
        << key << ": " << curve_refusal(manifest(key));
  for (const char* json :
       {"{}", "[]", "3", R"({"provenance": 3})", R"({"provenance": {"revision": ""}})",
        R"({"provenance": {"revision": " \n"}})", R"({"provenance": {"revision": 7}})"})
    EXPECT_NE(curve_refusal(json).find("provenance has no text for revision, build_type, flags,"),
              std::string::npos)
        << json << ": " << curve_refusal(json);
  for (const char* json : {"{", "", R"({"seed": 1e999})"})
    EXPECT_NE(curve_refusal(json).find("no JSON that can be read"), std::string::npos)
        << json << ": " << curve_refusal(json);
  EXPECT_NE(curve_refusal(R"({"earlier_provenance": 3})").find("earlier_provenance is no list"),
            std::string::npos);
  EXPECT_NE(curve_refusal(R"({"earlier_provenance": [{}]})")
                .find("earlier_provenance[0] has no text for revision"),
            std::string::npos);
  EXPECT_NE(curve_refusal("{\"provenance\": " + std::string(200'000, '['))
                .find("more than 64 levels of JSON"),
            std::string::npos);
  EXPECT_NE(curve_refusal("\"" + std::string(20'000'000, 'x') + "\"")
                .find("20000002 bytes; allowed: at most 16777216"),
            std::string::npos);
  const testing::ScratchFolder bare;
  write_file(bare.file("training.csv"), std::string(kCurveHeader) + "\n100,5.5,5.25,0.5,0.25\n");
  EXPECT_THROW(read_training_curve(bare.path()), DataError);
}

TEST(TrainingCurve, IsReadWithEveryDraftedToken) {
  const TrainingCurve curve =
      read_curve_text(std::string(kCurveHeader) + kSecond +
                      "\n100,5.5,5.25,0.5,0.25,6.25,0.4,0.2\n200,4.5,4.25,0.6,0.35,5.25,0.5,0.3\n");
  ASSERT_EQ(curve.points.size(), 2u);
  EXPECT_EQ(curve.points[1].tokens, 200);
  EXPECT_EQ(curve.points[1].loss, 4.5);
  ASSERT_EQ(curve.points[1].held_out.size(), 2u);
  EXPECT_EQ(curve.points[1].held_out[1].loss, 5.25);
  EXPECT_EQ(curve.points[1].held_out[1].agreement, 0.3);
  EXPECT_DOUBLE_EQ(curve.points[1].tokens_per_round(), 1 + 0.6 + 0.6 * 0.5);
}

TEST(TrainingCurve, HasStandardErrorsWhereTheTrainingNotedThem) {
  const std::string errors =
      ",validation_clusters,validation_loss_nats_error,validation_acceptance_rate_error,validation_"
      "greedy_agreement_error";
  const TrainingCurve curve =
      read_curve_text(kCurveHeader + errors + "\n100,5.5,5.25,0.5,0.25,48,0.3,0.02,0.01\n");
  EXPECT_EQ(curve.points[0].clusters, 48);
  EXPECT_EQ(curve.points[0].held_out.size(), 1u);
  EXPECT_EQ(curve.points[0].held_out[0].loss_error, 0.3);
  EXPECT_EQ(curve.points[0].held_out[0].acceptance_error, 0.02);
  EXPECT_EQ(curve.points[0].held_out[0].agreement_error, 0.01);
  EXPECT_EQ(
      read_curve_text(std::string(kCurveHeader) + "\n100,5.5,5.25,0.5,0.25\n").points[0].clusters,
      0);
  EXPECT_THROW(read_curve_text(kCurveHeader + errors + "\n100,5.5,5.25,0.5,0.25,48,0.3,nan,0.01\n"),
               DataError);
  EXPECT_THROW(read_curve_text(std::string(kCurveHeader) +
                               ",validation_clusters\n100,5.5,5.25,0.5,0.25,48\n"),
               DataError)
      << "no errors";
}

TEST(TrainingCurve, RefusesWhatCannotBe) {
  const std::string header = std::string(kCurveHeader) + "\n";
  for (const char* rows :
       {"", "0,1,1,0.5,0.5\n", "10,1,1,1.5,0.5\n", "10,1,1,0.5,-0.5\n", "10,nan,1,0.5,0.5\n",
        "10,1,1,0.5\n", "10,1,1,0.5,0.5\n10,1,1,0.5,0.5\n"})
    EXPECT_THROW(read_curve_text(header + rows), DataError) << rows;
  EXPECT_THROW(read_curve_text("tokens,loss_nats\n10,1\n"), DataError) << "no held-out text";
  EXPECT_THROW(read_curve_text(std::string(kCurveHeader) + ",validation_loss_nats_3\n"), DataError)
      << "a third drafted token without a second";
}

TEST(TrainingCurve, OfMoreDraftsThanADrafterHasIsRefused) {
  std::string header = kCurveHeader;
  for (int token = 2; token <= 17; ++token)
    header += fmt::format(
        ",validation_loss_nats_{0},validation_acceptance_rate_{0},validation_greedy_agreement_{0}",
        token);
  try {
    read_curve_text(header + "\n");
    ADD_FAILURE() << "was read";
  } catch (const DataError& error) {
    EXPECT_NE(std::string(error.what()).find("columns of 17 drafted tokens; allowed: at most 16"),
              std::string::npos)
        << error.what();
  }
  EXPECT_THROW(read_curve_text(std::string(kCurveHeader) + std::string(20'000'000, '\n')),
               DataError)
      << "larger than any training's";
}

TEST(TrainingCurve, TellsWhatStandsWhereTokensDoNotGrow) {
  try {
    read_curve_text(std::string(kCurveHeader) + "\n20,1,1,0.5,0.5\n10,1,1,0.5,0.5\n");
    ADD_FAILURE() << "was read";
  } catch (const DataError& error) {
    EXPECT_NE(std::string(error.what())
                  .find(":3: column 'tokens': 10; allowed: more than the 20 of the row before"),
              std::string::npos)
        << error.what();
  }
}

TEST(TrainingCurve, StandsWhereThereIsATable) {
  const testing::ScratchFolder scratch;
  EXPECT_FALSE(is_training_folder(scratch.path()));
  write_file(scratch.file("training.csv"), kCurveHeader);
  EXPECT_TRUE(is_training_folder(scratch.path()));
  write_file(scratch.file("manifest.toml"), "");
  EXPECT_FALSE(is_training_folder(scratch.path())) << "a run's";
}

}  // namespace
}  // namespace speclab::analysis
