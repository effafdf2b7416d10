#include "analysis/tables/laws.h"

#include <gtest/gtest.h>

#include "sim/system/errors.h"
#include "sim/system/files.h"

namespace speclab::analysis {
namespace {

std::string file_with(const std::string& content) {
  const std::string path = ::testing::TempDir() + "/laws.txt";
  write_file(path, content);
  return path;
}

std::vector<std::vector<double>> read_laws(const std::string& path) {
  LawReader reader(path);
  std::vector<std::vector<double>> laws;
  while (const std::vector<double>* law = reader.next()) laws.push_back(*law);
  EXPECT_EQ(reader.laws(), laws.size());
  return laws;
}

TEST(Laws, AreReadFromRegularFilesOnly) {
  for (const char* path : {"/dev/zero", "/tmp"}) EXPECT_THROW(LawReader{path}, DataError) << path;
}

TEST(Laws, AreLinesOfNumbersOrArrays) {
  const std::vector<std::vector<double>> expected{{0.5, 0.25, 0.25}, {1, 0, 0}};
  EXPECT_EQ(read_laws(file_with("0.5 0.25 0.25\n1 0 0\n")), expected);
  EXPECT_EQ(read_laws(file_with("[0.5, 0.25, 0.25]\r\n[1,0,0]")), expected);
  EXPECT_EQ(read_laws(file_with("0.5,0.25,0.25\n1,0,0\n\n")), expected);
}

TEST(Laws, AColumnIsOneLaw) {
  EXPECT_EQ(read_laws(file_with("0.5\n0.25\n0.25\n")),
            (std::vector<std::vector<double>>{{0.5, 0.25, 0.25}}));
}

TEST(Laws, OfFewDecimalsAreDividedByTheirSum) {
  const auto laws = read_laws(file_with("0.3333333 0.3333333 0.3333333\n"));
  EXPECT_DOUBLE_EQ(laws[0][0] + laws[0][1] + laws[0][2], 1.0);
}

TEST(Laws, AreRefusedWithFileAndLine) {
  const std::pair<const char*, const char*> cases[] = {
      {"", "no law"},
      {"\n\n", "no law"},
      {"0.5 0.5\n0.5 0.4\n", "laws.txt:2: 2 probabilities that sum to 0.9; allowed: a sum of 1"},
      {"0.5 0.5\n0.5 0.25 0.25\n", "laws.txt:2: 3 probabilities, the line before has 2"},
      {"0.5 x\n", "laws.txt:1: 'x'; allowed: probabilities"},
      {"1.5 -0.5\n", "laws.txt:1: '1.5'; allowed: probabilities"},
      {"nan 1\n", "laws.txt:1: 'nan'"},
      {"0.5 0.5\n\n0.5 0.5\n", "laws.txt:2: no number on this line"},
      {"[0.5, 0.5\n", "laws.txt:1: '[0.5'"},
      {"0.5\n0.5\n0.5 0.5\n", "laws.txt:3: 2 probabilities, the line before has 1"},
      {"0.5\n\n0.5\n", "laws.txt:2: no number on this line"},
  };
  for (const auto& [content, message] : cases) try {
      read_laws(file_with(content));
      ADD_FAILURE() << content;
    } catch (const DataError& error) {
      EXPECT_NE(std::string(error.what()).find(message), std::string::npos) << error.what();
    }
}

TEST(Laws, OfFilesThatCannotBeReadAreRefused) {
  for (const std::string& path : {std::string("/nowhere/laws.txt"), ::testing::TempDir()})
    EXPECT_THROW(read_laws(path), DataError) << path;
}

}  // namespace
}  // namespace speclab::analysis
