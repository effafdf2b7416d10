#include "engines/training/own_text_file.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "sim/core/errors.h"
#include "sim/core/files.h"

namespace speclab::engines {
namespace {

std::string scratch_file(const std::string& name) {
  const std::string path = testing::TempDir() + "/" + name;
  std::filesystem::remove(path);
  return path;
}

/// One prompt token and two emitted ones, with states of width 2.
std::vector<OwnText> one_text(Token first) { return {{1, 0.7f, {first, 8, 9}, std::vector<TopLaw>(2), {11, 12, 13, 14}}}; }

TEST(OwnTextFile, GivesBackWhatWasAppended) {
  const std::string path = scratch_file("own_text");
  {
    OwnTextFile file(path, "digest");
    file.append(one_text(7));
    file.append(one_text(6));
  }
  const OwnTextFile again(path, "digest");
  ASSERT_EQ(again.texts().size(), 2u);
  EXPECT_EQ(again.texts()[0].tokens, (std::vector<Token>{7, 8, 9}));
  EXPECT_EQ(again.texts()[1].laws.size(), 2u);
  EXPECT_EQ(again.texts()[1].hidden, (std::vector<std::uint16_t>{11, 12, 13, 14}));
  EXPECT_EQ(again.texts()[1].hidden_size(), 2);
  EXPECT_FLOAT_EQ(again.texts()[1].temperature, 0.7f);
}

TEST(OwnTextFile, CutsATornLastBlockWhereverItWasTorn) {
  const std::string path = scratch_file("torn");
  OwnTextFile(path, "d").append(one_text(1));
  const std::string whole = read_file(path);
  OwnTextFile(path, "d").append(one_text(2));
  const std::string longer = read_file(path);
  for (std::size_t size = whole.size(); size < longer.size(); ++size) {
    write_file(path, longer.substr(0, size));
    EXPECT_EQ(OwnTextFile(path, "d").texts().size(), 1u);
    EXPECT_EQ(read_file(path), whole);
  }
}

TEST(OwnTextFile, RefusesOtherSettingsAndDamage) {
  const std::string path = scratch_file("refused");
  OwnTextFile(path, "d").append(one_text(1));
  EXPECT_THROW(OwnTextFile(path, "other"), DataError);
  std::string bytes = read_file(path);
  bytes.back() ^= 1;
  write_file(path, bytes);
  EXPECT_THROW(OwnTextFile(path, "d"), DataError);
}

}  // namespace
}  // namespace speclab::engines
