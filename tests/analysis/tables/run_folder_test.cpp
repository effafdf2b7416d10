#include "analysis/tables/run_folder.h"

#include <gtest/gtest.h>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <filesystem>
#include <sstream>

#include "sim/system/errors.h"
#include "sim/system/files.h"
#include "sim/system/sha256.h"
#include "tests/analysis/support/synthetic_run.h"

namespace speclab::analysis {
namespace {

class RunFolder : public ::testing::Test {
 protected:
  void SetUp() override {
    testing::write_synthetic_run(
        {.temperatures = {0.0}, .prompts_per_category = 1, .repetitions = 1}, scratch_.path());
  }

  /// Replaces the first `from` in a file of the run.
  void edit(const std::string& name, const std::string& from, const std::string& to) {
    std::string content = read_file(scratch_.file(name));
    const std::size_t at = content.find(from);
    ASSERT_NE(at, std::string::npos) << name << " does not contain " << from;
    write_file(scratch_.file(name), content.replace(at, from.size(), to));
  }

  /// Lines for the table [experiment] of the manifest, whose digest is renewed.
  void add_to_experiment(const std::string& lines) {
    const std::string manifest = read_file(scratch_.file("manifest.toml"));
    const std::size_t end = manifest.find("\n[provenance]\n");
    std::string config = manifest.substr(0, end), rest = manifest.substr(end);
    config.insert(config.find("name = \"synthetic\""), lines + "\n");
    const std::string digest = sha256_text(manifest.substr(0, end));
    write_file(scratch_.file("manifest.toml"),
               config + rest.replace(rest.find(digest), digest.size(), sha256_text(config)));
  }

  /// The first so many rows are of section 1, the others of 3.
  void tag_sections(std::size_t first) {
    const std::string times = read_file(scratch_.file("times.csv"));
    std::string tagged;
    std::size_t line = 0;
    for (std::size_t begin = 0, end; (end = times.find('\n', begin)) != std::string::npos;
         begin = end + 1, ++line)
      tagged += times.substr(begin, end - begin) +
                (line == 0       ? ",section"
                 : line <= first ? ",1"
                                 : ",3") +
                "\n";
    write_file(scratch_.file("times.csv"), tagged);
    const std::string manifest = read_file(scratch_.file("manifest.toml"));
    write_file(scratch_.file("manifest.toml"),
               manifest + "\n[[provenance.sections]]\nsection = 1\ngenerations = " +
                   std::to_string(first) +
                   "\nstarted_at = \"then\"\ndiffers = [\"dtype: was a, now "
                   "b\"]\n\n[[provenance.sections]]\nsection = 3\ngenerations = " +
                   std::to_string(line - 1 - first) + "\nstarted_at = \"now\"\ndiffers = []\n");
  }

  std::string error() {
    try {
      read_run(scratch_.path());
    } catch (const DataError& e) {
      return e.what();
    }
    return "no error";
  }

  bool error_has(const std::string& text) { return error().find(text) != std::string::npos; }

  testing::ScratchFolder scratch_;
};

TEST_F(RunFolder, JoinsRowsTimesRoundsAndPredictions) {
  const auto run = read_run(scratch_.path());
  ASSERT_EQ(run.generations.size(), 4U * 7U);
  EXPECT_EQ(run.manifest.seed, 1U);
  EXPECT_EQ(run.manifest.target("base").parameters, 135000000);
  EXPECT_EQ(run.predictions.size(), 4U);
  EXPECT_FALSE(run.texts.empty());
  for (const auto& g : run.generations) {
    EXPECT_GT(g.walltime_ns(), g.decode_ns);
    EXPECT_EQ(g.draft_ns + g.target_ns + g.verify_ns + g.other_ns, g.decode_ns);
  }
}

TEST_F(RunFolder, RefusesRowsOfUnknownOrigin) {
  edit("manifest.toml", "\ngovernor = ", "\nsomething_else = ");
  EXPECT_TRUE(error_has("provenance.governor is missing")) << error();
}

TEST_F(RunFolder, RefusesATargetWithoutHash) {
  edit("manifest.toml", "sha256 = \"abc\"", "sha256 = \"\"");
  EXPECT_TRUE(error_has("provenance.models.sha256 is missing"));
}

TEST_F(RunFolder, RefusesATrainingThatCannotBe) {
  edit("manifest.toml", "weights = \"trained\"\n",
       "weights = \"trained\"\ntraining_tokens = 10\nheld_out_loss = 1.5\nheld_out_agreement = "
       "1.5\nheld_out_acceptance = 0.5\n");
  EXPECT_TRUE(
      error_has("provenance.models.held_out_agreement = 1.5; allowed: a number from 0 to 1"))
      << error();
  edit("manifest.toml", "held_out_agreement = 1.5\n", "");
  EXPECT_TRUE(error_has("provenance.models.held_out_agreement is missing")) << error();
  edit("manifest.toml", "training_tokens = 10\n", "training_tokens = 10.5\n");
  EXPECT_TRUE(error_has("provenance.models.training_tokens = 10.5; allowed: integers >= 1"))
      << error();
}

TEST_F(RunFolder, RefusesEntriesThatATerminalWouldObey) {
  edit("manifest.toml", "threads = 2\n", "threads = \"2\\u001b[2J\"\n");
  EXPECT_TRUE(
      error_has("provenance.threads = '2\\x1b[2J'; allowed: UTF-8 without control characters"))
      << error();
}

TEST_F(RunFolder, RefusesSectionsThatAreNoTables) {
  edit("manifest.toml", "threads = 2\n", "threads = 2\nsections = \"two\"\n");
  EXPECT_TRUE(error_has("provenance.sections: allowed: tables")) << error();
}

TEST_F(RunFolder, RefusesACellOfSeveralAxes) {
  edit("rows.csv", ",0,1,0,1,1,1,", ",0,0.5,0,1,1,1,");
  EXPECT_TRUE(error_has("column 'cell_id': an earlier row of the cell has other axes")) << error();
}

TEST_F(RunFolder, RefusesRowsOfAModelTheManifestDoesNotName) {
  edit("manifest.toml", "name = \"base\"", "name = \"other\"");
  EXPECT_TRUE(error_has("is named 'base'"));
}

TEST_F(RunFolder, RefusesAConfigThatIsNotTheOneItWasMadeWith) {
  edit("manifest.toml", "name = \"synthetic\"", "name = \"better\"");
  EXPECT_TRUE(error_has("the config is not the one whose config_sha256 stands below it"))
      << error();
}

TEST_F(RunFolder, RefusesRepetitionsThatAreNoNumberOfThem) {
  for (const char* line : {"repetitions = 0", "repetitions = 2.0", "repetitions = \"2\"",
                           "repetitions = 10001", "repetitions = 4\nplain_repetitions = 3"}) {
    testing::write_synthetic_run(
        {.temperatures = {0.0}, .prompts_per_category = 1, .repetitions = 1}, scratch_.path());
    add_to_experiment(line);
    const std::string last = std::string(line).substr(std::string(line).rfind('\n') + 1);
    EXPECT_TRUE(error_has("manifest.toml: experiment." + last + "; allowed: integers from "))
        << error();
  }
}

TEST_F(RunFolder, RefusesARepetitionThatTheRunDoesNotHave) {
  add_to_experiment("repetitions = 1\nplain_repetitions = 3");
  EXPECT_EQ(error(), "no error");
  edit("rows.csv", ",base-bigram-0,0,", ",base-bigram-0,1,");
  EXPECT_TRUE(error_has(
      "column 'repetition': 1; allowed: 0 to 0, by experiment.repetitions of manifest.toml"))
      << error();
  edit("rows.csv", ",base-bigram-0,1,", ",base-bigram-0,0,");
  edit("rows.csv", ",base-none-0,0,", ",base-none-0,3,");
  EXPECT_TRUE(error_has(
      "column 'repetition': 3; allowed: 0 to 2, by experiment.plain_repetitions of manifest.toml"))
      << error();
}

TEST_F(RunFolder, SaysThatAnEditorChangedTheLineEndsOfTheManifest) {
  edit("manifest.toml", "threads = 2\n", "threads = 2\r\n");
  EXPECT_TRUE(error_has("has a byte-order mark or carriage returns")) << error();
}

TEST_F(RunFolder, SaysWhereTheManifestIsNotToml) {
  edit("manifest.toml", "threads = 2", "threads = = 2");
  EXPECT_TRUE(error_has("manifest.toml:18:11: "));
}

TEST_F(RunFolder, ChecksCountsAgainstEachOther) {
  edit("rounds.csv", ",recovered\n", ",recovered\n0,99,100,4,5,4,4,4,5,bonus\n");
  EXPECT_TRUE(error_has("rounds.csv:3: column 'row_id': a round of plain decoding")) << error();
}

TEST_F(RunFolder, MissesRoundsThatAreLostDoubledOrMoved) {
  const std::string rounds = read_file(scratch_.file("rounds.csv"));
  const std::size_t last = rounds.rfind('\n', rounds.size() - 2) + 1;
  for (const std::string& damaged : {rounds.substr(0, rounds.find('\n') + 1),
                                     rounds.substr(0, last), rounds + rounds.substr(last)}) {
    write_file(scratch_.file("rounds.csv"), damaged);
    EXPECT_TRUE(error_has("rounds.csv")) << error();
  }
}

TEST_F(RunFolder, RefusesRowsOfAnotherRun) {
  edit("manifest.toml", "\nseed = 1\nconfig_sha256", "\nseed = 2\nconfig_sha256");
  EXPECT_TRUE(error_has("rows of another run")) << error();
}

TEST_F(RunFolder, RefusesValuesThatCannotBe) {
  const struct {
    const char *file, *from, *to;
  } damages[] = {{"rows.csv", ",length,", ",tired,"},
                 {"rows.csv", ",0123456789abcdef,", ",0123,"},
                 {"rows.csv", ",0,0,1,0,1,1,", ",inf,0,1,0,1,1,"},
                 {"rows.csv", ",0,0,1,0,1,1,", ",0,0,-3,0,1,1,"},
                 {"rounds.csv", ",recovered\n", ",later\n"},
                 {"predictions.csv", "0,1,0,1,", "0,1,0,1,-"},
                 {"times.csv", "\n0,", "\n0,9223372036854775807"}};
  for (const auto& damage : damages) {
    testing::write_synthetic_run({.temperatures = {0.0}, .repetitions = 1}, scratch_.path());
    edit(damage.file, damage.from, damage.to);
    EXPECT_TRUE(error_has(damage.file)) << damage.to << ": " << error();
  }
}

TEST_F(RunFolder, KnowsTheSectionThatMeasuredARow) {
  tag_sections(5);
  const auto run = read_run(scratch_.path());
  ASSERT_EQ(run.manifest.sections.size(), 2U);
  EXPECT_EQ(run.manifest.sections[0].differs, (std::vector<std::string>{"dtype: was a, now b"}));
  EXPECT_EQ(run.generations[4].section, 1);
  EXPECT_EQ(run.generations[5].section, 3);
  for (const auto& [key, value] : run.manifest.entries) EXPECT_NE(key, "sections");
}

TEST_F(RunFolder, RefusesRowsOfSectionsThatTheManifestLacks) {
  tag_sections(5);
  edit("manifest.toml", "generations = 5", "generations = 6");
  EXPECT_TRUE(error_has("5 rows of section 1, manifest.toml has 6")) << error();
  edit("manifest.toml", "generations = 6", "generations = 5");
  edit("manifest.toml", "section = 3\ngenerations = 23", "section = 2\ngenerations = 0");
  EXPECT_TRUE(error_has("23 of 28 rows are of sections that manifest.toml does not have"))
      << error();
}

TEST_F(RunFolder, RefusesTimesOfOtherRows) {
  edit("times.csv", "\n3,", "\n4,");
  EXPECT_TRUE(error_has("times.csv:6: column 'row_id': occurs twice")) << error();
}

TEST_F(RunFolder, RefusesNegativeTimes) {
  edit("times.csv", "\n0,", "\n0,-");
  EXPECT_TRUE(error_has("times.csv:2: column 'prefill_ns': -"));
}

TEST_F(RunFolder, RefusesARowThatOccursTwice) {
  const std::string rows = read_file(scratch_.file("rows.csv"));
  write_file(scratch_.file("rows.csv"),
             rows + rows.substr(rows.find('\n') + 1,
                                rows.find('\n', rows.find('\n') + 1) - rows.find('\n')));
  EXPECT_TRUE(error_has("column 'row_id': occurs twice"));
}

TEST_F(RunFolder, NeedsItsFiles) {
  std::filesystem::remove(scratch_.file("times.csv"));
  EXPECT_TRUE(error_has("times.csv: cannot read"));
}

TEST_F(RunFolder, MayLackPredictionsAndTexts) {
  std::filesystem::remove(scratch_.file("predictions.csv"));
  std::filesystem::remove(scratch_.file("texts.jsonl"));
  const auto run = read_run(scratch_.path());
  EXPECT_TRUE(run.predictions.empty());
  EXPECT_TRUE(run.texts.empty());
}

TEST_F(RunFolder, ChecksFailuresLikeRows) {
  const std::string header =
      "row_id,cell_id,prompt_id,repetition,category,status,message,attempts\n";
  const auto error_with = [&](const std::string& lines) {
    write_file(scratch_.file("failures.csv"), header + lines);
    return error();
  };
  EXPECT_EQ(error_with("90,c,p,0,chat,crash,gone,1\n"), "no error");
  EXPECT_EQ(read_run(scratch_.path()).failures.at("c"), 1u);
  for (const auto& [lines, message] :
       {std::pair{"90,c,p,0,chat,odd,gone,1\n",
                  "failures.csv:2: column 'status': 'odd'; allowed: exception"},
        {"90,c,p,0,chat,crash,gone,1\n90,c,p,0,chat,crash,gone,1\n",
         "failures.csv:3: column 'row_id': occurs twice"},
        {"0,c,p,0,chat,crash,gone,1\n", "rows.csv has this generation"},
        {"-1,c,p,0,chat,crash,gone,1\n", "failures.csv:2: column 'row_id'"}})
    EXPECT_NE(error_with(lines).find(message), std::string::npos) << error();
  std::filesystem::remove(scratch_.file("rows.csv"));
  EXPECT_TRUE(error_has("every generation failed")) << error();
  write_file(scratch_.file("SHA256SUMS"), std::string(64, '0') + "  rows.csv\n");
  EXPECT_TRUE(error_has("rows.csv: cannot read")) << error();
}

TEST_F(RunFolder, SaysWhichTextIsBroken) {
  edit("texts.jsonl", "\"accepted\"", "\"guessed\"");
  EXPECT_TRUE(error_has("fate 'guessed'; allowed: plain, accepted, recovered, bonus")) << error();
  for (const auto& [text, message] :
       {std::pair{"{\"row_id\": 0.5}", "texts.jsonl:1: row_id = 0.5; allowed: an integer"},
        {"{\"row_id\": 1e300}", "texts.jsonl:1: row_id = 1e+300; allowed: an integer"},
        {"{\"row_id\": 18446744073709551615}", "allowed: an integer of 64 bits"},
        {"{\"row_id\": 0, \"prompt\": 3}", "prompt = 3; allowed: a text"},
        {"{\"row_id\": 987, \"prompt\": \"\", \"pieces\": []}", "row_id 987 is not in rows.csv"},
        {"[1]", "[1]; allowed: an object with 'row_id'"},
        {"{\"\x9b\xff", "texts.jsonl:1: byte 3: no JSON"}}) {
    write_file(scratch_.file("texts.jsonl"), text);
    EXPECT_TRUE(error_has(message)) << error();
  }
}

/// Catches readers that refuse runs of earlier revisions, or that take a missing value for 0.
TEST_F(RunFolder, KnowsBytesAndEnergyWhereTheyWereTold) {
  EXPECT_FALSE(read_run(scratch_.path()).generations.front().read_bytes()) << "an earlier run";
  const std::string times = read_file(scratch_.file("times.csv"));
  const auto with = [&](const std::string& fields) {
    std::string edited;
    std::istringstream stream(times);
    for (std::string line; std::getline(stream, line);)
      edited += line +
                (edited.empty() ? ",target_bytes,draft_bytes,energy_j,energy_source" : fields) +
                "\n";
    write_file(scratch_.file("times.csv"), edited);
    return error();
  };
  EXPECT_EQ(with(",3000000000000,5,0.5,gpu"), "no error");
  const Generation told = read_run(scratch_.path()).generations.back();
  EXPECT_EQ(told.read_bytes(), 3'000'000'000'005);
  EXPECT_EQ(told.energy_j, 0.5);
  EXPECT_EQ(with(",10,5,,"), "no error");
  EXPECT_FALSE(read_run(scratch_.path()).generations.back().energy_j);
  EXPECT_EQ(with(",,,,"), "no error");
  EXPECT_FALSE(read_run(scratch_.path()).generations.back().read_bytes());
  for (const char* wrong : {",10,5,0.5,", ",10,5,,gpu", ",-1,5,,", ",10,5,-2,gpu"})
    EXPECT_NE(with(wrong), "no error") << wrong;
}

TEST_F(RunFolder, HoldsTimesAgainstThemselves) {
  std::string times = read_file(scratch_.file("times.csv"));
  const std::size_t line = times.find('\n') + 1, end = times.find('\n', line);
  const std::string first = times.substr(line, end - line);
  std::vector<std::string> fields;
  std::istringstream stream(first);
  for (std::string field; std::getline(stream, field, ',');) fields.push_back(field);
  fields.resize(9);  // the last one may be empty
  const auto error_with = [&](std::size_t column, const std::string& value) {
    auto edited = fields;
    edited[column] = value;
    write_file(
        scratch_.file("times.csv"),
        std::string(times).replace(line, first.size(), fmt::format("{}", fmt::join(edited, ","))));
    return error();
  };
  EXPECT_EQ(error_with(0, fields[0]), "no error");
  EXPECT_NE(error_with(3, "1").find("column 'decode_ns': 1, less than draft_ns"), std::string::npos)
      << error();
  EXPECT_NE(error_with(5, "9007199254740992").find("column 'decode_ns'"), std::string::npos)
      << error();
  EXPECT_NE(error_with(8, "nan").find("column 'peak_memory_bytes'"), std::string::npos) << error();
}

}  // namespace
}  // namespace speclab::analysis
