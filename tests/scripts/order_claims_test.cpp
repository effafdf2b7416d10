// `scripts/results_tables --check` on sentences of order: their rows, and their list of exceptions.

#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "sim/core/files.h"
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

  /// What the check says of a page with this text.
  Outcome check(const std::string& text) const {
    write_file(page_, text);
    return run_shell(SPECLAB_SOURCE_DIR "/scripts/results_tables --check " + page_ + " 2>&1");
  }
  /// The exit code of a sentence of order with this marker.
  int code(const std::string& marker) const {
    return check("# Page\n\nA is faster. <!-- order: " + marker + " -->\n").code;
  }
  const std::string& page() const { return page_; }

 private:
  std::string folder_ = ::testing::TempDir() + "/speclab_order_page";
  std::string page_ = folder_ + "/README.md";
};

/// Defect: an interval that holds equality passes for an order.
TEST(OrderClaims, FailIfTheIntervalHoldsEquality) {
  const PlantedPage page;
  EXPECT_EQ(page.code("cells.csv where=drafter:fast value=speedup above=1"), 0);
  EXPECT_EQ(page.code("cells.csv where=drafter:fast value=speedup below=2"), 0);
  EXPECT_EQ(page.code("cells.csv where=drafter:slow,temperature:0 value=speedup above=1"), 1);
  const Outcome planted =
      page.check("A gains. <!-- order: cells.csv where=drafter:slow value=speedup above=1 -->\n");
  EXPECT_EQ(planted.code, 1);
  EXPECT_EQ(planted.output, page.page() +
                                ":1: the order is not shown: cells.csv: speedup [1, 1.2] is not "
                                "above 1; write \"not shown\", or mend the sentence: A gains.\n");
}

/// Defect: two rows with overlapping intervals pass, or rows of different temperatures are
/// compared.
TEST(OrderClaims, CompareTwoRows) {
  const PlantedPage page;
  const std::string fast = "cells.csv where=drafter:fast";
  EXPECT_EQ(page.code(fast + ",temperature:0 value=speedup above=drafter:slow"), 0);
  EXPECT_EQ(page.code(fast + ",temperature:1 value=speedup above=drafter:slow"), 1);
  EXPECT_EQ(page.code(fast + " value=speedup above=drafter:slow per=temperature"), 1);
  EXPECT_EQ(page.code(fast + ",temperature:0 value=speedup above=temperature:1"), 0);
  EXPECT_EQ(page.code(fast + ",temperature:0 value=speedup above=predicted_speedup"), 0);
  EXPECT_EQ(page.code(fast + ",temperature:1 value=speedup below=predicted_speedup"), 1);
  EXPECT_EQ(page.code("peers.md \"where=section:In all,row:ours\" value=chat above=1"), 0);
  EXPECT_EQ(page.code("peers.md where=row:ours value=chat above=row:theirs"), 1);
}

/// Defect: a measured value without an interval passes as a count, or 13 of 14 as all.
TEST(OrderClaims, TakeCountedWholeNumbersAsTheyAre) {
  const PlantedPage page;
  EXPECT_EQ(page.code("cells.csv where=drafter:fast value=texts equals=14 exact=yes"), 0);
  EXPECT_EQ(page.code("cells.csv value=texts equals=14 exact=yes"), 1);
  EXPECT_EQ(page.code("cells.csv value=speedup above=1 exact=yes"), 2);
  EXPECT_EQ(page.code("cells.csv value=texts above=1"), 2);
  EXPECT_EQ(page.code("cells.csv value=texts equals=14"), 2);
}

/// Defect: a marker with a mistyped table, column or word is skipped.
TEST(OrderClaims, NameFileAndLineOfAMarkerThatCannotBeRead) {
  const PlantedPage page;
  for (const auto& [marker, found] :
       {std::pair{"calls.csv value=speedup above=1", "calls.csv: No such file"},
        std::pair{"cells.csv value=speed above=1", "no column 'speed_low'"},
        std::pair{"cells.csv where=draft:fast value=speedup above=1", "no column 'draft'"},
        std::pair{"cells.csv where=drafter:none value=speedup above=1", "no line has"},
        std::pair{"cells.csv value=speedup over=1", "unknown word 'over=1'"},
        std::pair{"cells.csv value=speedup above=1 per=drafter", "per= needs lines"},
        std::pair{"cells.csv value=speedup", "one of above=, below=, equals="}}) {
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
       {"Text.\n\n" + marker + "\n", "Text.\n\n# Title " + marker + "\n",
        "<!-- figures -->\nA gains. " + marker + "\n<!-- end figures -->\n"}) {
    const Outcome outcome = page.check(text);
    EXPECT_EQ(outcome.code, 2) << text;
    EXPECT_NE(outcome.output.find("follows no sentence"), std::string::npos) << outcome.output;
  }
  EXPECT_EQ(page.check("The form is `" + marker + "`.\n").code, 0);
}

/// Defect: a sentence of order without rows passes, or one without an order is refused.
TEST(OrderClaims, SeeSentencesOfOrderWithoutAMarker) {
  const PlantedPage page;
  for (const char* text :
       {"Trees are faster than chains.", "Text.\n1. Copies help.", "It pays; B is not shown.",
        "A is ahead <!-- order: cells.csv where=drafter:fast value=speedup above=1 -->. B gains.",
        "| what | which |\n|---|---|\n| drafter | the fastest |"}) {
    const Outcome outcome = page.check(text);
    EXPECT_EQ(outcome.code, 1) << text;
    EXPECT_NE(outcome.output.find("without <!-- order: "), std::string::npos) << outcome.output;
  }
  for (const char* text :
       {"# Which is the fastest?", "Which one gains?", "A gain is not shown.",
        "No cell is shown to be slower.", "```\nfaster\n```", "`best_first:8` keeps nodes.",
        "It takes 3 at most.", "<!-- figures -->\nA is faster.\n<!-- end figures -->"})
    EXPECT_EQ(page.check(text).code, 0) << text << "\n" << page.check(text).output;
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
