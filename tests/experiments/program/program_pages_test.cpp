// Pages that are made of the command line itself: --help, the man page, completion by shells.

#include <set>
#include <sstream>
#include <vector>

#include "sim/system/files.h"
#include "tests/engines/formats/temporary_folder.h"
#include "tests/experiments/program/program.h"

namespace speclab {
namespace {

using testing::Outcome;
using testing::run_program;
using testing::run_shell;
using testing::TemporaryFolder;

std::vector<std::string> lines_of(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> lines;
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

/// First words of the lines that stand under a title of a --help page.
std::set<std::string> names_under(const std::string& help, const std::string& title) {
  std::set<std::string> names;
  bool is_under = false;
  for (const std::string& line : lines_of(help)) {
    if (!line.starts_with(' ')) is_under = line == title || (is_under && line.empty());
    if (is_under && line.starts_with("  ") && line.size() > 2 && line[2] != ' ')
      names.insert(line.substr(2, line.find_first_of(" ,", 2) - 2));
  }
  return names;
}

std::set<std::string> commands() {
  return names_under(run_program("--help").output, "Subcommands:");
}

/// The offers of the generated function for these words in bash.
std::set<std::string> offered(const std::string& script, const std::string& words) {
  const Outcome outcome = run_shell(
      "bash -c 'source " + script + "; COMP_WORDS=(" + words +
      "); COMP_CWORD=$((${#COMP_WORDS[@]}-1)); _speclab; printf \"%s\\n\" \"${COMPREPLY[@]}\"'");
  EXPECT_EQ(outcome.code, 0) << outcome.output;
  const auto lines = lines_of(outcome.output);
  return {lines.begin(), lines.end()};
}

class Completion : public ::testing::Test {
 protected:
  const TemporaryFolder folder_;
  const std::string script_ = folder_.file("speclab.bash", run_program("completion bash").output);
};

/// Defect: a new command or option is not completed.
TEST_F(Completion, OffersEveryCommandAndEveryOption) {
  EXPECT_GE(commands().size(), 13u);
  const std::set<std::string> at_root = offered(script_, "speclab \"\"");
  for (const std::string& command : commands()) {
    EXPECT_TRUE(at_root.contains(command)) << command;
    const std::set<std::string> options = offered(script_, "speclab " + command + " -");
    for (const std::string& name : names_under(run_program(command + " --help").output, "Options:"))
      EXPECT_TRUE(options.contains(name)) << command << " " << name;
  }
}

/// Defect: bash offers options where a value stands, files where a number does, or nothing for
/// `--option=value`.
TEST_F(Completion, OffersWhatMayStandThere) {
  const auto names = [](std::initializer_list<const char*> list) {
    return std::set<std::string>(list.begin(), list.end());
  };
  EXPECT_EQ(offered(script_, "speclab completion b"), names({"bash"}));
  EXPECT_EQ(offered(script_, "speclab models i"), names({"inspect"}));
  EXPECT_EQ(offered(script_, "speclab models inspect --j"), names({"--json"}));
  EXPECT_EQ(offered(script_, "speclab generate --device c"), names({"cpu", "cuda"}));
  EXPECT_EQ(offered(script_, "speclab generate --device = c"), names({"cpu", "cuda"}));
  EXPECT_EQ(offered(script_, "speclab run --workers \"\""), names({""}));
  EXPECT_EQ(offered(script_, "speclab run " SPECLAB_SOURCE_DIR "/READM"),
            names({SPECLAB_SOURCE_DIR "/README.md"}));
}

/// Defect: a description breaks the quotes of the script that it stands in.
TEST_F(Completion, IsAScriptOfItsShell) {
  EXPECT_EQ(run_shell("bash -n " + script_ + " 2>&1").output, "");
  const std::string zsh = folder_.file("_speclab", run_program("completion zsh").output);
  EXPECT_TRUE(read_file(zsh).starts_with("#compdef speclab\n"));
  if (run_shell("command -v zsh").code == 0) {
    EXPECT_EQ(run_shell("zsh -n " + zsh + " 2>&1").output, "");
  }
  testing::expect_refusal("completion fish", 2, "{bash,zsh}");
}

/// Defect: an option is missing in the man page, or its text is a request of roff.
TEST(ManPage, HasEveryOptionAndNoWarning) {
  const TemporaryFolder folder;
  const std::string page = folder.file("speclab.1", run_program("man").output);
  const std::string text = read_file(page);
  for (const std::string& command : commands()) {
    const std::size_t section = text.find(".SS \"speclab " + command + "\"\n");
    ASSERT_NE(section, std::string::npos) << command;
    for (std::string name : names_under(run_program(command + " --help").output, "Options:")) {
      for (std::size_t at = 0; (at = name.find('-', at)) != std::string::npos; at += 2)
        name.replace(at, 1, "\\-");
      EXPECT_NE(text.find(name, section), std::string::npos) << command << " " << name;
    }
  }
  for (const std::string& line : lines_of(text))
    if (line.starts_with('.')) {
      EXPECT_TRUE(std::set<std::string>({".TH", ".SH", ".SS", ".TP", ".PP", ".nf", ".fi", ".ad"})
                      .contains(line.substr(0, 3)))
          << line;
    }
  if (run_shell("command -v groff").code == 0) {
    EXPECT_EQ(run_shell("groff -man -Tutf8 -ww " + page + " 2>&1 >/dev/null").output, "");
  }
}

/// Defect: --help shows a flag's inner value, or a range that does not hold.
TEST(Help, ShowsFlagsPlainAndRangesThatHold) {
  for (const std::string& command : commands())
    EXPECT_EQ(run_program(command + " --help").output.find("{false}"), std::string::npos)
        << command;
  const std::string run = run_program("run --help").output,
                    compare = run_program("compare --help").output;
  EXPECT_NE(run.find("--workers INT=0 (0 to 1024)"), std::string::npos) << run;
  EXPECT_NE(compare.find("--pairs INT=20 (1 to 5000)"), std::string::npos) << compare;
  EXPECT_NE(compare.find("--measure ENUM=both {both,times,counts}"), std::string::npos) << compare;
  testing::expect_refusal("run " SPECLAB_SOURCE_DIR
                          "/experiments/configs/quickstart.toml --dry-run --workers 1025",
                          2, "allowed: 0 to 1024");
  testing::expect_refusal("compare a b --pairs 5001", 2, "allowed: 1 to 5000");
}

/// Defect: a reader that ends early, as head does, is told as a full disk or as an internal error.
TEST(Program, SaysThatItsReaderHasEnded) {
  const Outcome gone = run_shell("bash -c 'trap \"\" PIPE; { { sleep 0.2; " SPECLAB_PROGRAM
                                 " config --markdown; echo code $? >&2; } | true; } 2>&1'");
  EXPECT_NE(gone.output.find("its reader has ended"), std::string::npos) << gone.output;
  EXPECT_NE(gone.output.find("code 8\n"), std::string::npos) << gone.output;
}

}  // namespace
}  // namespace speclab
