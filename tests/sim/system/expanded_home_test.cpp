#include "sim/system/files.h"

#include <gtest/gtest.h>
#include <pwd.h>
#include <unistd.h>

#include <cstdlib>

namespace speclab {
namespace {

/// Defect: a path that no shell has expanded names a folder "~", or a tilde elsewhere is replaced.
TEST(ExpandedHome, ReplacesATildeAtTheBeginningOnly) {
  setenv("HOME", "/home/me", 1);
  EXPECT_EQ(expanded_home("~"), "/home/me");
  EXPECT_EQ(expanded_home("~/models/tiny"), "/home/me/models/tiny");
  for (const char* path : {"", "models/~", "./~/tiny", "/a/~b", "~no-such-user/tiny"})
    EXPECT_EQ(expanded_home(path), path);
}

/// Defect: the home of another user, or of a caller without HOME, is not found.
TEST(ExpandedHome, KnowsTheHomesOfUsers) {
  const passwd* own = getpwuid(getuid());
  if (!own) GTEST_SKIP() << "this user has no entry in the system's list of users";
  const std::string name = own->pw_name, home = own->pw_dir;
  EXPECT_EQ(expanded_home("~" + name + "/x"), home + "/x");
  unsetenv("HOME");
  EXPECT_EQ(expanded_home("~/x"), home + "/x");
}

}  // namespace
}  // namespace speclab
