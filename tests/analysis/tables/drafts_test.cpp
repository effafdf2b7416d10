#include "analysis/tables/text_samples.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "analysis/tables/run_folder.h"
#include "sim/system/errors.h"
#include "sim/system/files.h"
#include "tests/analysis/support/synthetic_run.h"

namespace speclab::analysis {
namespace {

class Drafts : public ::testing::Test {
 protected:
  void SetUp() override {
    testing::write_synthetic_run({.temperatures = {0.5}, .repetitions = 1}, scratch_.path());
  }

  std::vector<DraftSample> read() const { return read_drafts(path(), read_run(scratch_.path())); }
  std::string path() const { return scratch_.file("drafts.jsonl"); }

  testing::ScratchFolder scratch_;
};

TEST_F(Drafts, AreReadAsTheyWereWritten) {
  const auto samples = read();
  ASSERT_EQ(samples.size(), 3U);
  ASSERT_EQ(samples[0].rounds.size(), 2U);
  const DraftedRound& round = samples[0].rounds[0];
  EXPECT_EQ(round.nodes.size(), 5U);
  EXPECT_EQ(round.nodes[2].parent, 1);
  EXPECT_EQ(round.nodes[2].draft_probability, 0.5);
  EXPECT_EQ(to_json(drafted_round(to_json(round))), to_json(round));
}

TEST_F(Drafts, MayBeMissing) {
  std::filesystem::remove(path());
  EXPECT_TRUE(read().empty());
}

TEST_F(Drafts, RefuseWhatCannotBe) {
  const std::string whole = read_file(path());
  const std::pair<const char*, const char*> mistakes[] = {
      {R"("parent": 1,)", R"("parent": 2,)"},
      {R"("p": 0.25)", R"("p": 1.25)"},
      {R"("q": 0.5)", R"("q": -1)"},
      {R"("row_id": )", R"("row_id": 99999)"},
      {R"("round": 1)", R"("round": 2)"},
      {R"("next_kind": "r)", R"("next_kind": "x)"},
      {R"("accepted": 0, "next")", R"("accepted": 4, "next")"},
      {"{", "["}};
  for (const auto& [from, to] : mistakes) {
    std::string damaged = whole;
    const std::size_t at = damaged.find(from);
    ASSERT_NE(at, std::string::npos) << from;
    write_file(path(), damaged.replace(at, std::string(from).size(), to));
    EXPECT_THROW(read(), DataError) << to;
  }
}

TEST_F(Drafts, HaveAtMostSoManyNodes) {
  DraftedRound round;
  round.nodes.assign(kMostDraftNodes, {.parent = 0, .token = "0"});
  EXPECT_EQ(drafted_round(to_json(round)).nodes.size(), kMostDraftNodes);
  round.nodes.push_back(round.nodes.back());
  EXPECT_THROW(drafted_round(to_json(round)), DataError);
}

}  // namespace
}  // namespace speclab::analysis
