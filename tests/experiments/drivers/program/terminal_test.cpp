
#include <gtest/gtest.h>
#include <pty.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>

#include "experiments/drivers/program/progress.h"

namespace speclab::experiments {
namespace {

TEST(Terminal, CountsWideCharactersTwiceAndCutsBetweenThem) {
  EXPECT_EQ(columns_of("ab \u00e9"), 4u);
  EXPECT_EQ(columns_of("\u6d4b\u91cf\U0001f600"), 6u);
  EXPECT_EQ(columns_of("\xff\xe4"), 2u) << "no UTF-8";
  EXPECT_EQ(cut_to_columns("a\u6d4b\u91cf", 4), "a\u6d4b");
  EXPECT_EQ(cut_to_columns("abc", 0), "");
  EXPECT_EQ(cut_to_columns("abc", 9), "abc");
}

/// The output of a bar in a terminal that another process narrows between its updates.
std::string said_in_terminal(const char* term, unsigned short columns, unsigned short narrowed) {
  int terminal = -1;
  winsize size{.ws_row = 24, .ws_col = columns, .ws_xpixel = 0, .ws_ypixel = 0};
  const pid_t child = forkpty(&terminal, nullptr, nullptr, &size);
  if (child == 0) {
    setenv("TERM", term, 1);
    Progress progress(Progress::style_of_standard_error());
    progress.begin_phase("measuring", 4);
    size.ws_col = narrowed;
    ioctl(STDERR_FILENO, TIOCSWINSZ, &size);
    progress.begin_phase("measuring", 4);
    progress.stop_phase();
    _exit(0);
  }
  std::string said;
  char c;
  while (read(terminal, &c, 1) == 1) said += c;
  close(terminal);
  waitpid(child, nullptr, 0);
  return said;
}

/// Defect: the width is asked for once, so that a resized terminal wraps; or TERM=dumb gets control
/// sequences.
TEST(Terminal, BarFollowsAResizedTerminalAndADumbOneGetsLines) {
  const std::string bar = said_in_terminal("xterm", 80, 20);
  EXPECT_NE(bar.find("measuring [..............................]   0 %"), std::string::npos) << bar;
  EXPECT_NE(bar.find("\r\033[Kmeasuring   0 %\r"), std::string::npos) << bar;
  EXPECT_EQ(said_in_terminal("dumb", 80, 80).find('\033'), std::string::npos);
}

}  // namespace
}  // namespace speclab::experiments
