// Damaged run folders: a refusal that can be read, or what stands in rows.csv, times.csv,
// rounds.csv and predictions.csv.

#include <gtest/gtest.h>

#include <fmt/format.h>

#include <cstdio>
#include <map>
#include <regex>

#include "analysis/tables/run_folder.h"
#include "sim/system/errors.h"
#include "sim/system/files.h"
#include "sim/system/utf8.h"
#include "tests/analysis/support/synthetic_run.h"
#include "tests/analysis/tables/slow_csv.h"
#include "tests/engines/formats/mutants.h"
#include "tests/engines/formats/temporary_folder.h"

namespace speclab::analysis {
namespace {

using Fields = std::map<std::string, std::string>;  ///< of a row, by the names of the header; a
                                                    ///< missing one is empty

/// A whole number without blanks, signs but a minus, and remains.
std::int64_t integer_of(const std::string& text) {
  const std::size_t begin = text.starts_with('-') ? 1 : 0;
  EXPECT_TRUE(text.size() > begin &&
              text.find_first_not_of("0123456789", begin) == std::string::npos)
      << "read as a number: " << text;
  return std::stoll(text);
}

double number_of(const std::string& text) {
  std::size_t end = 0;
  const double number = std::stod(text, &end);
  EXPECT_TRUE(end == text.size() &&
              (text[0] == '-' || text[0] == '.' || (text[0] >= '0' && text[0] <= '9')))
      << "read as a number: " << text;
  return number;
}

template <typename Record, typename Value>
using Columns = std::initializer_list<std::pair<const char*, Value Record::*>>;

template <typename Record>
void expect_integers(const Fields& row, const Record& record,
                     Columns<Record, std::int64_t> columns) {
  for (const auto& [column, member] : columns)
    EXPECT_EQ(integer_of(row.at(column)), record.*member) << column;
}

template <typename Record>
void expect_texts(const Fields& row, const Record& record, Columns<Record, std::string> columns) {
  for (const auto& [column, member] : columns) EXPECT_EQ(row.at(column), record.*member) << column;
}

void expect_number(const Fields& row, const char* column, std::optional<double> number) {
  ASSERT_EQ(row.at(column).empty(), !number.has_value()) << column;
  if (number) EXPECT_EQ(number_of(row.at(column)), *number) << column;
}

void expect_row(const Fields& row, const Generation& g) {
  expect_integers(row, g,
                  {{"row_id", &Generation::row_id},
                   {"repetition", &Generation::repetition},
                   {"prompt_tokens", &Generation::prompt_tokens},
                   {"output_tokens", &Generation::output_tokens},
                   {"rounds", &Generation::rounds},
                   {"drafting_rounds", &Generation::drafting_rounds},
                   {"drafted", &Generation::drafted},
                   {"accepted", &Generation::accepted},
                   {"tested", &Generation::tested},
                   {"recovered", &Generation::recovered},
                   {"bonus", &Generation::bonus}});
  expect_texts(row, g,
               {{"cell_id", &Generation::cell_id},
                {"prompt_id", &Generation::prompt_id},
                {"category", &Generation::category},
                {"stop_reason", &Generation::stop_reason},
                {"output_hash", &Generation::output_hash}});
  expect_texts(row, g.axes,
               {{"model", &Setting::model},
                {"drafter", &Setting::drafter},
                {"tree", &Setting::tree},
                {"policy", &Setting::policy},
                {"verifier", &Setting::verifier}});
  expect_integers(row, g.axes, {{"top_k", &Setting::top_k}});
  for (const auto& [column, member] :
       Columns<Setting, double>{{"temperature", &Setting::temperature},
                                {"top_p", &Setting::top_p},
                                {"min_p", &Setting::min_p},
                                {"repetition_penalty", &Setting::repetition_penalty}})
    expect_number(row, column, g.axes.*member);
  EXPECT_EQ(row.at("lossless"), g.lossless ? "1" : "0");
  EXPECT_EQ(row.at("forced_acceptance"), g.forced_acceptance ? "1" : "0");
  expect_number(row, "law_distance", g.law_distance);
}

void expect_time(const Fields& row, const Generation& g) {
  expect_integers(row, g,
                  {{"prefill_ns", &Generation::prefill_ns},
                   {"time_to_first_token_ns", &Generation::time_to_first_token_ns},
                   {"decode_ns", &Generation::decode_ns},
                   {"draft_ns", &Generation::draft_ns},
                   {"target_ns", &Generation::target_ns},
                   {"verify_ns", &Generation::verify_ns},
                   {"other_ns", &Generation::other_ns}});
}

void expect_round(const Fields& row, const Round& round) {
  expect_integers(row, round,
                  {{"row_id", &Round::row_id},
                   {"position", &Round::position},
                   {"rows", &Round::rows},
                   {"depth", &Round::depth},
                   {"accepted", &Round::accepted},
                   {"drafted", &Round::drafted},
                   {"tested", &Round::tested},
                   {"emitted", &Round::emitted}});
}

void expect_prediction(const Fields& row, const Prediction& prediction) {
  expect_number(row, "predicted_walltime_ns", prediction.walltime_ns);
  expect_number(row, "predicted_speedup", prediction.speedup);
  expect_number(row, "predicted_tokens_per_round", prediction.tokens_per_round);
  expect_number(row, "predicted_acceptance_rate", prediction.acceptance_rate);
  expect_number(row, "paced_walltime_ns", prediction.paced_walltime_ns);
  if (!row.contains("predicted_speedup_low")) return;
  const auto& interval = prediction.speedup_interval;
  expect_number(row, "predicted_speedup_low",
                interval ? std::optional(interval->low) : std::nullopt);
  expect_number(row, "predicted_speedup_high",
                interval ? std::optional(interval->high) : std::nullopt);
}

class RunFolderMutants : public ::testing::Test {
 protected:
  void SetUp() override {
    testing::write_synthetic_run({.temperatures = {0.0},
                                  .drafters = {{"bigram", 0.8, 2e4}},
                                  .prompts_per_category = 1,
                                  .repetitions = 1},
                                 folder_.path());
    expect_as_in_files(read_run(folder_.path()));
  }

  /// Puts the mutant in the place of a file, reads the folder, and puts the file back. @param what
  /// was done to it
  void check(const std::string& name, const std::string& bytes, const std::string& what) {
    if (HasFailure()) return;
    if (!some_.takes_next()) return;
    ++num_mutants_;
    const std::string whole = read_file(folder_.path(name));
    folder_.file(name, bytes);
    try {
      const analysis::Run run = read_run(folder_.path());
      ++num_loads_;
      expect_as_in_files(run);
    } catch (const DataError& error) {
      static const std::regex form(
          R"(([^]*/)?(manifest\.toml|rows\.csv|times\.csv|rounds\.csv|predictions\.csv|)"
          R"(texts\.jsonl)[: ][^]+)");
      EXPECT_TRUE(is_printable(error.what()) && std::regex_match(error.what(), form))
          << escaped(error.what(), 1000);
    }
    folder_.file(name, whole);
    ASSERT_FALSE(HasFailure()) << name << " " << what;
  }

  /// Cuts, flips and other bytes: at every `step`-th place of the file.
  void damage(const std::string& name, std::size_t step) {
    const std::string seed = read_file(folder_.path(name));
    const auto check_with = [&](std::size_t at, char byte) {
      if (byte != seed[at])
        check(name, with(seed, at, byte),
              fmt::format("with {:#x} at byte {}", static_cast<unsigned char>(byte), at));
    };
    for (std::size_t at = 0; at < seed.size(); at += step) {
      check(name, seed.substr(0, at), fmt::format("cut to {} bytes", at));
      for (int bit = 0; bit < 8; ++bit) check_with(at, static_cast<char>(seed[at] ^ 1 << bit));
      for (const char byte : std::string("\",\n09-.[]=#\xff") + '\0') check_with(at, byte);
    }
  }

  static std::string with(std::string text, std::size_t at, char byte) {
    text[at] = byte;
    return text;
  }

  std::vector<Fields> slow_rows(const std::string& name) const {
    std::vector<Fields> rows;
    const auto lines = speclab::testing::read_csv_slowly(read_file(folder_.path(name)));
    EXPECT_TRUE(lines) << name << " was read, though it is no CSV file";
    for (std::size_t row = 1; lines && row < lines->size(); ++row) {
      rows.emplace_back();
      for (std::size_t column = 0; column < lines->front().size(); ++column)
        rows.back()[*lines->front()[column]] = (*lines)[row][column].value_or("");
    }
    return rows;
  }

  void expect_as_in_files(const analysis::Run& run) const {
    const std::vector<Fields> rows = slow_rows("rows.csv"), rounds = slow_rows("rounds.csv");
    ASSERT_EQ(run.generations.size(), rows.size());
    for (std::size_t row = 0; row < rows.size(); ++row) expect_row(rows[row], run.generations[row]);
    ASSERT_EQ(run.rounds.size(), rounds.size());
    for (std::size_t row = 0; row < rounds.size(); ++row)
      expect_round(rounds[row], run.rounds[row]);
    for (const Fields& time : slow_rows("times.csv"))
      expect_time(time, run.generations[run.generation_of_row.at(std::stoll(time.at("row_id")))]);
    for (const Fields& prediction : slow_rows("predictions.csv"))
      expect_prediction(prediction, run.predictions.at(prediction.at("cell_id")));
  }

  const speclab::testing::TemporaryFolder folder_{speclab::testing::memory_folder()};
  speclab::testing::EveryNth some_ = speclab::testing::some_mutants();
  int num_mutants_ = 0, num_loads_ = 0;
};

TEST_F(RunFolderMutants, AreRefusedInWordsOrReadAsTheyStand) {
  for (const auto& [name, step] :
       std::initializer_list<std::pair<const char*, std::size_t>>{{"rows.csv", 5},
                                                                  {"times.csv", 4},
                                                                  {"rounds.csv", 9},
                                                                  {"predictions.csv", 4},
                                                                  {"texts.jsonl", 9},
                                                                  {"manifest.toml", 3}}) {
    const int mutants = num_mutants_, loads = num_loads_;
    damage(name, step);
    std::printf("%s: %d mutants, %d loads\n", name, num_mutants_ - mutants, num_loads_ - loads);
    EXPECT_GE(num_loads_ - loads, speclab::testing::share_of(100))
        << "agreement is about loads as well";
  }
  EXPECT_GE(num_mutants_, speclab::testing::share_of(20000));
}

/// Rows are shown under the settings that stand in the manifest, so not a byte of those may differ.
TEST_F(RunFolderMutants, OfTheConfigAreAllRefused) {
  const std::string manifest = read_file(folder_.path("manifest.toml"));
  const std::size_t end = manifest.find("\n[provenance]\n");
  ASSERT_NE(end, std::string::npos);
  for (std::size_t bit = 0; bit < 8 * end; ++bit) {
    folder_.file("manifest.toml",
                 with(manifest, bit / 8, static_cast<char>(manifest[bit / 8] ^ 1 << bit % 8)));
    EXPECT_THROW(read_run(folder_.path()), DataError) << "bit " << bit;
  }
}

}  // namespace
}  // namespace speclab::analysis
