// Opens the report in headless Chromium without a network, in light and dark, wide and narrow.

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>

#include "analysis/report/report.h"
#include "sim/core/files.h"
#include "tests/analysis/support/synthetic_run.h"

namespace speclab::analysis {
namespace {

struct Page {
  std::string dom;  ///< after all scripts have run
  std::string log;  ///< of the browser
};

Page open_in_chromium(const std::string& file, const testing::ScratchFolder& scratch, const std::string& options) {
  const std::string sandbox = geteuid() == 0 ? "--no-sandbox" : "";
  const std::string command = "chromium --headless=new " + sandbox + " --disable-gpu --user-data-dir='" + scratch.file("profile") +
                              "' --host-resolver-rules='MAP * ~NOTFOUND' --enable-logging=stderr --v=0 --virtual-time-budget=10000 " + options +
                              " --dump-dom 'file://" + file + "' >'" + scratch.file("dom") + "' 2>'" + scratch.file("log") + "'";
  EXPECT_EQ(std::system(command.c_str()), 0) << read_file(scratch.file("log"));
  return {read_file(scratch.file("dom")), read_file(scratch.file("log"))};
}

bool has_console_error(const Page& page) {
  return page.log.find("Uncaught") != std::string::npos || page.log.find(":ERROR:CONSOLE") != std::string::npos;
}

std::string figures_drawn(const Page& page) {
  const std::string key = "data-figures-drawn=\"";
  const std::size_t at = page.dom.find(key);
  return at == std::string::npos ? "" : page.dom.substr(at + key.size(), page.dom.find('"', at + key.size()) - at - key.size());
}

class ReportInBrowser : public ::testing::TestWithParam<const char*> {
 protected:
  static void SetUpTestSuite() {
    scratch_ = new testing::ScratchFolder();
    testing::write_synthetic_run({.shape_models = {"tiny", "small", "large"}, .prompts_per_category = 4, .repetitions = 1}, scratch_->path());
    summary_ = new ReportSummary(write_report(scratch_->path(), {.plotly_js = "", .static_figures = false}));
  }
  static void TearDownTestSuite() {
    delete summary_;
    delete scratch_;
  }
  static testing::ScratchFolder* scratch_;
  static ReportSummary* summary_;
};
testing::ScratchFolder* ReportInBrowser::scratch_ = nullptr;
ReportSummary* ReportInBrowser::summary_ = nullptr;

TEST_P(ReportInBrowser, DrawsEveryFigureWithoutConsoleErrors) {
  const Page page = open_in_chromium(summary_->report_path, *scratch_, GetParam());
  EXPECT_FALSE(has_console_error(page)) << page.log;
  ASSERT_EQ(summary_->figure_ids.size(), 8U);
  EXPECT_EQ(figures_drawn(page), "8");
  for (const auto& id : summary_->figure_ids) {
    const std::size_t at = page.dom.find("id=\"plot-" + id + "\"");
    ASSERT_NE(at, std::string::npos) << id;
    EXPECT_NE(page.dom.find("main-svg", at), std::string::npos) << id;
  }
  EXPECT_NE(page.dom.find(">prompt lookup</text>"), std::string::npos) << "no legend entry";
}

INSTANTIATE_TEST_SUITE_P(Screens, ReportInBrowser,
                         ::testing::Values("--window-size=1200,900", "--window-size=420,900",
                                           "--window-size=1200,900 --blink-settings=preferredColorScheme=0"));

TEST(BrowserCheck, NoticesAScriptError) {
  const testing::ScratchFolder scratch;
  write_file(scratch.file("broken.html"), "<!DOCTYPE html><script>undefinedFunction();</script>");
  EXPECT_TRUE(has_console_error(open_in_chromium(scratch.file("broken.html"), scratch, "")));
}

}  // namespace
}  // namespace speclab::analysis
