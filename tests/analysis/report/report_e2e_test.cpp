// Opens the report in headless Chromium without a network, in light and dark, wide and narrow.

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>

#include "analysis/report/report.h"
#include "sim/system/files.h"
#include "tests/analysis/support/synthetic_run.h"

namespace speclab::analysis {
namespace {

struct Page {
  std::string dom;  ///< after all scripts have run
  std::string log;  ///< of the browser
};

Page open_in_chromium(const std::string& file, const testing::ScratchFolder& scratch,
                      const std::string& options) {
  const std::string sandbox = geteuid() == 0 ? "--no-sandbox" : "";
  const std::string command = "chromium --headless=new " + sandbox +
                              " --disable-gpu --user-data-dir='" + scratch.file("profile") +
                              "' --host-resolver-rules='MAP * ~NOTFOUND' --enable-logging=stderr "
                              "--v=0 --virtual-time-budget=10000 " +
                              options + " --dump-dom 'file://" + file + "' >'" +
                              scratch.file("dom") + "' 2>'" + scratch.file("log") + "'";
  EXPECT_EQ(std::system(command.c_str()), 0) << read_file(scratch.file("log"));
  return {read_file(scratch.file("dom")), read_file(scratch.file("log"))};
}

/// A page that is in order says nothing to the console. Chromium logs what one says, an error too,
/// as ":INFO:CONSOLE:" and its line.
bool has_console_error(const Page& page) { return page.log.find(":CONSOLE") != std::string::npos; }

std::string figures_drawn(const Page& page) {
  const std::string key = "data-figures-drawn=\"";
  const std::size_t at = page.dom.find(key);
  return at == std::string::npos
             ? ""
             : page.dom.substr(at + key.size(),
                               page.dom.find('"', at + key.size()) - at - key.size());
}

class ReportInBrowser : public ::testing::TestWithParam<const char*> {
 protected:
  static void SetUpTestSuite() {
    scratch_ = new testing::ScratchFolder();
    testing::write_synthetic_run(
        {.shape_models = {"tiny", "small", "large"}, .prompts_per_category = 4, .repetitions = 1},
        scratch_->path());
    summary_ = new ReportSummary(
        write_report(scratch_->path(), {.plotly_js = "", .static_figures = false}));
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
  ASSERT_EQ(summary_->figures.size(), 8U);
  EXPECT_EQ(figures_drawn(page), "8");
  for (const Figure& figure : summary_->figures)
    EXPECT_NE(page.dom.find("id=\"plot-" + figure.id + "\""), std::string::npos) << figure.id;
  EXPECT_NE(page.dom.find(">prompt lookup</text>"), std::string::npos) << "no legend entry";
}

INSTANTIATE_TEST_SUITE_P(
    Screens, ReportInBrowser,
    ::testing::Values("--window-size=1200,900", "--window-size=420,900",
                      "--window-size=1200,900 --blink-settings=preferredColorScheme=0"));

/// What a script that is added to the page notes in data-noted.
std::string noted(const std::string& report, const testing::ScratchFolder& scratch,
                  const std::string& script, const char* screen = "--window-size=1200,900") {
  const std::string file = scratch.file("driven.html"), page = read_file(report);
  write_file(
      file,
      page.substr(0, page.rfind("</body>")) +
          "<script>(async () => { document.documentElement.dataset.noted = JSON.stringify(await (" +
          script + ")()); })();</script></body></html>");
  const std::string dom = open_in_chromium(file, scratch, screen).dom, key = "data-noted=\"";
  const std::size_t at = dom.find(key);
  return at == std::string::npos
             ? ""
             : dom.substr(at + key.size(), dom.find('"', at + key.size()) - at - key.size());
}

/// Names of the plots in which nothing is drawn.
constexpr const char* kEmptyPlots = R"(() => [...document.querySelectorAll(".plot")].
    filter((plot) => plot.querySelector(".main-svg .trace") === null).map((plot) => plot.id))";

class ReportByHand : public ReportInBrowser {};

TEST_F(ReportByHand, HasNoEmptyPlot) {
  EXPECT_EQ(noted(summary_->report_path, *scratch_, kEmptyPlots), "[]");
}

TEST_F(ReportByHand, IsReadOnANarrowScreenWithoutScrollingSideways) {
  EXPECT_EQ(noted(summary_->report_path, *scratch_,
                  "() => [innerWidth < 600, document.documentElement.scrollWidth <= "
                  "document.documentElement.clientWidth]",
                  "--window-size=390,844"),
            "[true,true]");
}

/// In place of the clipboard, which only a hand may fill, the test takes what is selected for it.
TEST_F(ReportByHand, ATableIsCopiedAsItIsSorted) {
  EXPECT_EQ(noted(summary_->report_path, *scratch_, R"js(() => {
    let copied = "";
    document.execCommand = (command) => {
      copied = document.activeElement.value;
      return command === "copy";
    };
    const button = document.querySelector("button[data-copy]");
    const table = button.closest("p").previousElementSibling.querySelector("table");
    table.querySelector("th button").click();
    table.querySelector("th button").click();
    button.click();
    const lines = copied.split("\n"), rows = table.tBodies[0].rows, first = rows[0];
    const estimates = [...first.children].filter((cell) => cell.dataset.low !== undefined);
    const fields = lines[1].match(/"[^"]*"|[^,]+|(?<=,)(?=,|$)/g);
    return [lines.length === rows.length + 2,
      estimates.length > 0 && fields.length === first.children.length + 2 * estimates.length,
      estimates.every(({ dataset: { value, low, high } }) =>
        lines[1].includes(`${value},${low},${high}`) &&
        Number(low) <= Number(value) && Number(value) <= Number(high)),
      lines[0].includes("speed-up,speed-up (low),speed-up (high)"),
      lines[1].startsWith(first.children[0].dataset.value),
      button.nextElementSibling.textContent === `${rows.length} rows copied`,
      document.activeElement === button];
  })js"),
            "[true,true,true,true,true,true,true]");
}

/// Lines and their predictions that are shown, before and after a click on the first name of the
/// legend.
TEST_F(ReportByHand, ALegendClickTakesALineAwayAndBack) {
  EXPECT_EQ(noted(summary_->report_path, *scratch_, R"(async () => {
    const plot = document.querySelector(".plot"), shown = () => plot.data.filter((trace) =>
      trace.visible !== "legendonly").length;
    const counts = [shown()];
    for (let turn = 0; turn < 2; turn += 1) {
      const toggle = plot.querySelector(".legendtoggle");
      for (const type of ["mousedown", "mouseup"]) toggle.dispatchEvent(new MouseEvent(type,
        { bubbles: true }));
      await new Promise((done) => setTimeout(done, 1000));
      counts.push(shown());
    }
    return counts[1] < counts[0] && counts[2] === counts[0];
  })"),
            "true");
}

TEST_F(ReportByHand, TheLegendFollowsTheKeyboard) {
  EXPECT_EQ(noted(summary_->report_path, *scratch_, R"(async () => {
    const plot = document.querySelector(".plot"), shown = () => plot.data.filter((trace) =>
      trace.visible !== "legendonly").length;
    const press = async (key) => {
      document.activeElement.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
      await new Promise((done) => setTimeout(done, 1000));
      return [shown(), document.activeElement.getAttribute("aria-pressed"),
        document.activeElement.getAttribute("aria-label")];
    };
    plot.querySelector(".legendtoggle").focus();
    const name = document.activeElement.getAttribute("aria-label"), all = shown();
    const [fewer, pressed, after] = await press("Enter"), [again, back] = await press(" ");
    return document.activeElement.tabIndex === 0 && fewer < all && pressed === "false" &&
      after === name && again === all && back === "true";
  })"),
            "true");
}

TEST_F(ReportByHand, TheChoosersShowWhatIsChosen) {
  EXPECT_EQ(noted(summary_->report_path, *scratch_,
                  R"(() => [...document.querySelectorAll("select[data-chooser]")].map((chooser) => {
    chooser.selectedIndex = 1;
    chooser.dispatchEvent(new Event("change"));
    return [...chooser.closest("section").querySelectorAll(".sample")].map((sample) =>
      sample.hidden).indexOf(false);
  }))"),
            "[1,1]");
}

class GoldenReport : public ::testing::TestWithParam<const char*> {};

/// Of each kind of run one, for each has figures and sections of its own.
TEST_P(GoldenReport, DrawsEveryFigureWithoutConsoleErrors) {
  const testing::ScratchFolder scratch;
  const std::filesystem::path run =
      std::filesystem::path(SPECLAB_SOURCE_DIR "/tests/golden/runs") / GetParam();
  for (const auto& entry : std::filesystem::directory_iterator(run))
    if (entry.is_regular_file()) std::filesystem::copy(entry.path(), scratch.path());
  const ReportSummary summary =
      write_report(scratch.path(), {.plotly_js = "", .static_figures = false});
  const Page page = open_in_chromium(summary.report_path, scratch, "--window-size=1200,900");
  EXPECT_FALSE(has_console_error(page)) << page.log;
  EXPECT_EQ(figures_drawn(page), std::to_string(summary.figures.size()));
  EXPECT_EQ(noted(summary.report_path, scratch, kEmptyPlots), "[]");
}

INSTANTIATE_TEST_SUITE_P(Kinds, GoldenReport,
                         ::testing::Values("prediction_truth", "drafter_sizes",
                                           "walltime_vs_model_size", "rule_atlas",
                                           "drafter_acceptance"),
                         [](const auto& kind) { return std::string(kind.param); });

TEST(BrowserCheck, NoticesAnEmptyPlot) {
  const testing::ScratchFolder scratch;
  write_file(scratch.file("empty.html"),
             "<!DOCTYPE html><body><div class=\"plot\" id=\"plot-a\"><svg "
             "class=\"main-svg\"></svg></div></body></html>");
  EXPECT_EQ(noted(scratch.file("empty.html"), scratch, kEmptyPlots), "[&quot;plot-a&quot;]");
}

TEST(BrowserCheck, NoticesWhatScriptsSayToTheConsole) {
  const testing::ScratchFolder scratch;
  for (const auto& [script, is_said] : {std::pair{"undefinedFunction();", true},
                                        {"console.error('bad');", true},
                                        {"console.warn('odd');", true},
                                        {"", false}}) {
    write_file(scratch.file("page.html"),
               std::string("<!DOCTYPE html><script>") + script + "</script>");
    EXPECT_EQ(has_console_error(open_in_chromium(scratch.file("page.html"), scratch, "")), is_said)
        << script;
  }
}

}  // namespace
}  // namespace speclab::analysis
