// `cmake --install`: the installed program as another user, without the source tree.

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "sim/system/files.h"
#include "tests/support/shell.h"

namespace speclab {
namespace {

namespace fs = std::filesystem;
using testing::Outcome;
using testing::run_shell;

class InstalledProgram : public ::testing::Test {
 protected:
  void SetUp() override {
    if (run_shell("unshare -m true 2>&1").code != 0 || geteuid() != 0)
      GTEST_SKIP() << "hiding the source tree takes root and mount namespaces";
    fs::remove_all(folder_);
    ASSERT_EQ(
        run_shell("cmake --install " SPECLAB_BINARY_DIR " --prefix " + prefix_ + " 2>&1").code, 0);
    fs::create_directories(folder_ + "/home");
    ASSERT_EQ(chown((folder_ + "/home").c_str(), kNobody, kNobody), 0);
  }
  void TearDown() override { fs::remove_all(folder_); }

  /// Runs the installed program as nobody, whose home is empty, where an empty folder covers the
  /// source tree.
  Outcome run(const std::string& arguments) const {
    const std::string home = folder_ + "/home";
    return run_shell("unshare -m sh -c 'mount -t tmpfs none " SPECLAB_SOURCE_DIR " && cd " + home +
                     " && exec setpriv --reuid=65534 --regid=65534 --clear-groups env -i "
                     "PATH=/usr/bin:/bin HOME=" +
                     home + " " + prefix_ + "/bin/speclab " + arguments + "' 2>&1 </dev/null");
  }

  static constexpr uid_t kNobody = 65534;
  const std::string folder_ = "/tmp/speclab_install_test_" + std::to_string(getpid()),
                    prefix_ = folder_ + "/prefix";
};

/// Defect: the installed program reads the source tree, its builder's cache or their libraries.
TEST_F(InstalledProgram, PredictsGeneratesAndReportsWithoutTheSourceTree) {
  const Outcome gone = run("predict --acceptance-rate 0.8 --cost-ratio 0.05");
  EXPECT_EQ(gone.code, 0) << gone.output;
  const Outcome text =
      run("generate --prompt Hello --drafter lookup_transformer --max-new-tokens 4");
  EXPECT_EQ(text.code, 0) << text.output;
  fs::copy(SPECLAB_SOURCE_DIR "/results/reference/quickstart_cpu", folder_ + "/home/run",
           fs::copy_options::recursive);
  ASSERT_EQ(run_shell("chown -R 65534 " + folder_ + "/home").code, 0);
  const Outcome report = run("report run --no-static-figures");
  EXPECT_EQ(report.code, 0) << report.output;
  EXPECT_GT(fs::file_size(folder_ + "/home/run/report.html"), 1'000'000u);
  const Outcome plan =
      run("run " + prefix_ + "/share/speclab/experiments/configs/quickstart.toml --dry-run");
  EXPECT_EQ(plan.code, 0) << plan.output;
}

/// Defect: the man page or a completion is not installed, or is empty.
TEST_F(InstalledProgram, BringsItsManPageAndCompletions) {
  for (const char* file :
       {"man/man1/speclab.1", "bash-completion/completions/speclab", "zsh/site-functions/_speclab"})
    EXPECT_NE(read_file(prefix_ + "/share/" + file).find("speclab"), std::string::npos) << file;
}

}  // namespace
}  // namespace speclab
