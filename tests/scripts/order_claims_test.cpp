// `scripts/results_tables --check` on sentences of order: their rows, and their list of exceptions.

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "sim/system/files.h"
#include "tests/support/shell.h"

namespace speclab {
namespace {

using testing::Outcome;
using testing::run_shell;

/// A page beside planted tables, outside the repository.
class PlantedPage {
 public:
  PlantedPage() {
    std::filesystem::create_directories(folder_);
    write_file(folder_ + "/cells.csv",
               "drafter,temperature,speedup,speedup_low,speedup_high,predicted_speedup,texts,of\n"
               "fast,0,1.5,1.4,1.6,1.3,14,14\nfast,1,1.2,1.1,1.3,1.3,14,14\n"
               "slow,0,1.1,1.0,1.2,1.1,13,14\nslow,1,1.1,0.9,1.25,1.1,13,14\n");
    write_file(
        folder_ + "/peers.md",
        "## In all\n\n| | chat |\n|---|---|\n| ours | 1.4 [1.2, 1.5] |\n| theirs | 1.0 [0.9, "
        "1.2] |\n");
  }

  /// Output and code of the check, run on a page with this text.
  Outcome check(const std::string& text) const {
    write_file(page_, text);
    return run_shell(SPECLAB_SOURCE_DIR "/scripts/results_tables --check " + page_ + " 2>&1");
  }
  /// Output and code of the check, run on a sentence of order for each of these markers.
  Outcome check_markers(const std::vector<std::string>& markers) const {
    std::string text;
    for (const std::string& marker : markers)
      text += "A is faster. <!-- order: " + marker + " -->\n\n";
    return check(text);
  }
  const std::string& page() const { return page_; }

 private:
  std::string folder_ = std::filesystem::canonical(::testing::TempDir()) / "speclab_order_page";
  std::string page_ = folder_ + "/README.md";
};

std::ptrdiff_t num_lines(const Outcome& outcome) {
  return std::ranges::count(outcome.output, '\n');
}

/// Defect: an interval that holds equality passes for an order, or one that excludes it does not.
TEST(OrderClaims, FailIfAnIntervalHoldsEquality) {
  const PlantedPage page;
  const std::string fast = "cells.csv where=drafter:fast";
  const Outcome shown =
      page.check_markers({fast + " value=speedup above=1", fast + " value=speedup below=2",
                          fast + ",temperature:0 value=speedup above=drafter:slow",
                          fast + ",temperature:0 value=speedup above=temperature:1",
                          fast + ",temperature:0 value=speedup above=predicted_speedup",
                          "peers.md \"where=section:In all,row:ours\" value=chat above=1",
                          fast + " value=texts equals=14 exact=yes",
                          fast + " value=speedup interval=speedup_low,speedup_high above=1"});
  EXPECT_EQ(shown.code, 0) << shown.output;
  const Outcome planted =
      page.check("A gains. <!-- order: cells.csv where=drafter:slow value=speedup above=1 -->\n");
  EXPECT_EQ(planted.code, 1);
  EXPECT_EQ(planted.output, page.page() +
                                ":1: the order is not shown: cells.csv: speedup [1, 1.2] is not "
                                "above 1; write \"not shown\", or mend the sentence: A gains.\n");
}

/// Defect: overlapping rows pass, rows of different temperatures are compared, or 13 of 14 is all.
TEST(OrderClaims, FailIfOneOfSeveralRowsDoesNotShowIt) {
  const PlantedPage page;
  const std::string fast = "cells.csv where=drafter:fast";
  const std::vector<std::string> markers{
      fast + ",temperature:1 value=speedup above=drafter:slow",
      fast + " value=speedup above=drafter:slow per=temperature",
      fast + ",temperature:1 value=speedup below=predicted_speedup",
      "peers.md where=row:ours value=chat above=row:theirs",
      "cells.csv value=texts equals=14 exact=yes"};
  const Outcome outcome = page.check_markers(markers);
  EXPECT_EQ(outcome.code, 1);
  EXPECT_EQ(num_lines(outcome), std::ssize(markers)) << outcome.output;
}

/// Defect: a marker with a mistyped table, column or word is skipped, or a time in whole
/// nanoseconds shows an order without an interval.
TEST(OrderClaims, NameFileAndLineOfAMarkerThatCannotBeRead) {
  const PlantedPage page;
  for (const auto& [marker, found] :
       {std::pair{"calls.csv value=speedup above=1", "calls.csv: No such file"},
        std::pair{"cells.csv value=speed above=1", "no column 'speed_low'"},
        std::pair{"cells.csv where=draft:fast value=speedup above=1", "no column 'draft'"},
        std::pair{"cells.csv value=speedup over=1", "unknown word 'over=1'"},
        std::pair{"cells.csv value=speedup above=-inf", "allowed: finite numbers"},
        std::pair{"cells.csv value=speedup above=9 above=0", "a word stands twice"},
        std::pair{"cells.csv value=speedup equals=1 exact=yes", "is not counted"},
        std::pair{"cells.csv value=texts above=1 exact=yes", "need each other"},
        std::pair{"cells.csv value=texts equals=14", "need each other"}}) {
    const Outcome outcome =
        page.check("Some text.\n\nA gains. <!-- order: " + std::string(marker) + " -->\n");
    EXPECT_EQ(outcome.code, 2) << marker;
    EXPECT_TRUE(outcome.output.starts_with(page.page() + ":3: order: ")) << outcome.output;
    EXPECT_NE(outcome.output.find(found), std::string::npos) << outcome.output;
  }
}

/// Defect: a marker that belongs to no sentence is never checked.
TEST(OrderClaims, RefuseAMarkerBehindNoSentence) {
  const PlantedPage page;
  const std::string marker = "<!-- order: cells.csv value=speedup above=9 -->";
  for (const std::string& text :
       {"# Title " + marker + "\n",
        "<!-- figures -->\nA gains. " + marker + "\n<!-- end figures -->\n"}) {
    const Outcome outcome = page.check(text);
    EXPECT_EQ(outcome.code, 2) << text;
    EXPECT_NE(outcome.output.find("follows no sentence"), std::string::npos) << outcome.output;
  }
}

/// Defect: a sentence of order without rows passes, or one without an order is refused.
TEST(OrderClaims, SeeSentencesOfOrderWithoutAMarker) {
  const PlantedPage page;
  const Outcome stated = page.check(
      "Trees are faster than chains.\n\n1. Copies help.\n2. It pays; B is not shown.\n\n"
      "A leads <!-- order: cells.csv where=drafter:fast value=speedup above=1 -->. B gains.\n\n"
      "| what | which |\n|---|---|\n| drafter | the fastest |\n");
  EXPECT_EQ(stated.code, 1);
  EXPECT_EQ(num_lines(stated), 5) << stated.output;
  const Outcome silent = page.check(
      "# Which is the fastest?\n\nWhich one gains? A gain is not shown. No cell is shown to be "
      "slower.\n\n```\nfaster\n```\n\n`best_first:8` keeps nodes. It takes 3 at most. The form is "
      "`<!-- order: cells.csv value=speedup above=9 -->`.\n\n"
      "<!-- figures -->\nA is faster.\n<!-- end figures -->\n");
  EXPECT_EQ(silent.code, 0) << silent.output;
}

/// Defect: an order in other words than "faster" needs no rows.
TEST(OrderClaims, SeeEachWordOfOrder) {
  const PlantedPage page;
  const Outcome stated = page.check(
      "It drafts more tokens than chains. It takes fewer tokens a round than chains. It takes less "
      "time than chains. It takes longer with copies than chains. It is shorter than chains. It "
      "takes 1.3 times as long. It has 1.3 times as many. It is twice that of chains. It is three "
      "times as quick. It is quicker with copies. It outperforms chains. It saves 20 %. It doubles "
      "the speed. It takes half the time. It brings 2.1. It improves on chains.\n");
  EXPECT_EQ(num_lines(stated), 16) << stated.output;
  const Outcome silent = page.check(
      "The quick tests run as long as the others. It drafts one or more tokens rather than "
      "none.\n");
  EXPECT_EQ(silent.code, 0) << silent.output;
}

/// Defect: the rows of one clause excuse the other clauses of its sentence.
TEST(OrderClaims, AskForAMarkerOfEachClause) {
  const PlantedPage page;
  const std::string marker = " <!-- order: cells.csv where=drafter:fast value=speedup above=1 -->";
  const std::string sentence = "A gains, and B is faster than C.";
  const Outcome one = page.check(sentence + marker + "\n");
  EXPECT_EQ(one.code, 1);
  EXPECT_NE(one.output.find("clauses of order: 2, <!-- order: ... --> behind them: 1"),
            std::string::npos)
      << one.output;
  EXPECT_EQ(page.check(sentence + marker + marker + "\n").code, 0);
}

/// Defect: an exception outlives its sentence, or covers a sentence of another page.
TEST(OrderClaims, FailIfAnExceptionIsStaleOrHasNoReason) {
  const std::string root = ::testing::TempDir() + "/speclab_order_root";
  std::filesystem::create_directories(root + "/scripts/lib");
  write_file(root + "/README.md", "A is faster.\n");
  const auto said = [&](const std::string& exceptions) {
    write_file(root + "/scripts/lib/order_exceptions.txt", exceptions);
    return run_shell("cd " SPECLAB_SOURCE_DIR
                     "/scripts/lib && python3 -B -c 'import pathlib, "
                     "order_claims; root = pathlib.Path(\"" +
                     root + "\"); print(*order_claims.check([root / \"README.md\"], root))' 2>&1")
        .output;
  };
  EXPECT_EQ(said("README.md | is faster | example\n"), "\n");
  EXPECT_NE(said("results/findings.md | is faster | example\n").find("README.md:1: "),
            std::string::npos);
  EXPECT_EQ(said("README.md | is faster | example\nREADME.md | is slower | example\n"),
            "scripts/lib/order_exceptions.txt:2: matches no sentence of order of README.md; remove "
            "it\n");
  EXPECT_NE(said("README.md | is faster |\n").find("write FILE | piece of the sentence | reason"),
            std::string::npos);
}

}  // namespace
}  // namespace speclab
