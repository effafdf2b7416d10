// scripts/lib/corpora.py on made-up packages: what it takes for text, and what it leaves out.

#include <gtest/gtest.h>

#include <filesystem>

#include "sim/system/files.h"
#include "tests/support/shell.h"

namespace speclab {
namespace {

namespace fs = std::filesystem;

/// Sentences that no other number gives, enough of them for a corpus.
std::string sentence(int number) {
  return "Sentence " + std::string(static_cast<std::size_t>(1 + number % 7), 'x') +
         " of the letters that a reader takes for prose because it is long and ends, number " +
         std::string(static_cast<std::size_t>(1 + number / 7), 'y') + ".";
}

std::string many(const std::string& before, const std::string& after) {
  std::string text;
  for (int i = 0; i < 150; ++i) text += before + sentence(i) + after;
  return text;
}

/// An unpacked package below a scratch folder, as scripts/corpora makes it.
class CorporaReader : public ::testing::Test {
 protected:
  void SetUp() override {
    fs::remove_all(scratch_);
    add("usr/share/doc/pack/copyright",
        "Files: *\nLicense: MIT\n Permission\n\nFiles: b\nLicense: GPL-2\n\nLicense: MIT\n");
    write_file(scratch_ + "/pack_1_all.deb", "an archive");
  }

  void add(const std::string& path, const std::string& content) const {
    const fs::path file = fs::path(scratch_ + "/unpacked") / path;
    fs::create_directories(file.parent_path());
    write_file(file.string(), content);
  }

  testing::Outcome read(const std::string& reader) const {
    return testing::run_shell("python3 " SPECLAB_SOURCE_DIR "/scripts/lib/corpora.py " + reader +
                              " " + scratch_ + " " + scratch_ + "/text name pack 1.2 2>&1");
  }

  std::string text(const std::string& file = "name.txt") const {
    return read_file(scratch_ + "/text/" + file);
  }
  void make(const std::string& python) const {
    ASSERT_EQ(
        testing::run_shell("cd " + scratch_ + "/unpacked && python3 -c '" + python + "' 2>&1").code,
        0);
  }

  std::string scratch_ = ::testing::TempDir() + "/corpora_reader";
};

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST_F(CorporaReader, TakesEachParagraphOfPagesOnce) {
  add("a.html",
      "<html><script>var a = 'not prose, although it is long enough to look like "
      "prose.';</script><p>Short.</p>" +
          many("<p>", "</p>") + "<p>" + sentence(3) + "</p><pre>" + sentence(999) + "</pre>");
  add("b.html", "<p>0123 4567 8901 2345 6789 0123 4567 8901 2345 6789 0123 4567 89.</p>");
  ASSERT_EQ(read("html_paragraphs").code, 0);
  EXPECT_EQ(text().find(sentence(3)), text().rfind(sentence(3)));
  for (const char* part : {"not prose", "Short.", "0123", "<p>"})
    EXPECT_FALSE(has(text(), part)) << part;
  EXPECT_FALSE(has(text(), sentence(999)));
}

TEST_F(CorporaReader, NotesPackageLicencesAndDigest) {
  add("a.html", many("<p>", "</p>"));
  ASSERT_EQ(read("html_paragraphs").code, 0);
  const std::string source = text("name.txt.source.json");
  for (const char* part :
       {"\"package\": \"pack\"", "\"version\": \"1.2\"", "\"MIT\"", "\"GPL-2\"", "package_sha256"})
    EXPECT_TRUE(has(source, part)) << source;
  EXPECT_EQ(source.find("\"MIT\""), source.rfind("\"MIT\"")) << "each licence once";
  EXPECT_TRUE(has(text("name.txt.copyright"), "Permission"));
}

TEST_F(CorporaReader, TakesFormattingOffManuals) {
  add("a.pod",
      "=head1 Heading\n\n" + many("", "\n\n") +
          "A C<word> that B<I<stands>> in codes is a word among the others of its sentence E<gt> "
          "here.\n\n    indented = text.that(is a listing and not prose of a kind);\n\n");
  ASSERT_EQ(read("pod_paragraphs").code, 0);
  EXPECT_TRUE(has(text(), "A word that stands in codes"));
  for (const char* part : {"Heading", "listing", "C<"}) EXPECT_FALSE(has(text(), part)) << part;
}

TEST_F(CorporaReader, TakesGlossesAndFortunes) {
  add("usr/data.noun", "  1 licence text\n" + many("00 n 01 word 0 000 | ", "  \n"));
  ASSERT_EQ(read("wordnet_glosses").code, 0);
  EXPECT_FALSE(has(text(), "licence text"));
  EXPECT_FALSE(has(text(), "000 |"));
  SetUp();
  add("usr/share/games/fortunes/wise", many("", "\n%\n"));
  add("usr/share/games/fortunes/wise.dat", "index");
  ASSERT_EQ(read("fortunes").code, 0);
  EXPECT_TRUE(has(text(), sentence(5)));
  EXPECT_FALSE(has(text(), "index"));
}

TEST_F(CorporaReader, UnpacksModulesAndNovels) {
  make(
      "import struct, zlib\n"
      "blocks = [(\"<p>The %s sentence of a commentary, long enough to be read as prose by "
      "all.</p>\" % (\"v\" * i)).encode() for i in range(1, 180)]\n"
      "packed = [zlib.compress(b) for b in blocks]\n"
      "open(\"ot.czz\", \"wb\").write(b\"\".join(packed))\n"
      "offsets = [sum(map(len, packed[:i])) for i in range(len(packed))]\n"
      "open(\"ot.czs\", \"wb\").write(b\"\".join(struct.pack(\"<III\", o, len(p), len(b)) for o, "
      "p, b in zip(offsets, packed, blocks)))");
  ASSERT_EQ(read("sword_comments").code, 0);
  EXPECT_TRUE(has(text(), "The vvv sentence"));
  SetUp();
  make(
      "import os, struct, zlib\n"
      "os.makedirs(\"usr/data\")\n"
      "def record(title): lines = [title] + [\"Line %d of the novel.\" % i for i in range(1200)]; "
      "data = b\"X\\n\" + struct.pack(\">II\", 16, len(lines)) + b\"\".join(struct.pack(\">II\", "
      "9, len(l)) + l.encode() for l in lines); return struct.pack(\">I\", len(data)) + "
      "zlib.compress(data)\n"
      "open(\"usr/data/Rdata.rdb\", \"wb\").write(record(\"EMMA\") + record(\"Sense and "
      "Sensibility\"))");
  ASSERT_EQ(read("austen_novels").code, 0);
  EXPECT_TRUE(has(text("name_emma.txt"), "Line 1199 of the novel."));
  EXPECT_TRUE(has(text("name_sense_and_sensibility.txt"), "Sense and Sensibility\n"));
}

TEST_F(CorporaReader, LeavesOutTestsOfPrograms) {
  add("lib/a.py", many("# ", "\n"));
  add("lib/tests/b.py", "assert 'left out'\n");
  ASSERT_EQ(read("python_sources").code, 0);
  EXPECT_FALSE(has(text(), "left out"));
}

TEST_F(CorporaReader, RefusesAPackageOfAnotherLayout) {
  add("a.html", "<p>" + sentence(1) + "</p>");
  testing::Outcome outcome = read("html_paragraphs");
  EXPECT_NE(outcome.code, 0);
  EXPECT_TRUE(has(outcome.output, "hardly any text")) << outcome.output;
  SetUp();
  fs::remove(scratch_ + "/unpacked/usr/share/doc/pack/copyright");
  outcome = read("html_paragraphs");
  EXPECT_NE(outcome.code, 0);
  EXPECT_TRUE(has(outcome.output, "no copyright file")) << outcome.output;
}

}  // namespace
}  // namespace speclab
