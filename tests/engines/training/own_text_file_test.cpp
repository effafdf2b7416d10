#include "engines/training/own_text_file.h"
#include "engines/training/own_text.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "sim/system/errors.h"
#include "sim/system/files.h"

namespace speclab::engines {
namespace {

std::string scratch_file(const std::string& name) {
  const std::string path = ::testing::TempDir() + "/" + name;
  std::filesystem::remove(path);
  return path;
}

/// One prompt token and two emitted ones, with states of width 2.
std::vector<OwnText> one_text(Token first) {
  return {{1, 0.7f, {first, 8, 9}, std::vector<TopLaw>(2), {11, 12, 13, 14}}};
}

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
  EXPECT_EQ(again.texts()[1].state_size(), 2);
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

TEST(OwnTextFile, CutsADamagedLastBlockAndRefusesDamageBeforeIt) {
  const std::string path = scratch_file("damaged");
  OwnTextFile(path, "d").append(one_text(1));
  const std::string one = read_file(path);
  OwnTextFile(path, "d").append(one_text(2));
  const std::string two = read_file(path);
  std::string bytes = two;
  bytes.back() ^= 1;
  write_file(path, bytes);
  EXPECT_EQ(OwnTextFile(path, "d").texts().size(), 1u);
  EXPECT_EQ(read_file(path), one);
  bytes = two;
  bytes[one.size() - 1] ^= 1;
  write_file(path, bytes);
  EXPECT_THROW(OwnTextFile(path, "d"), DataError);
}

TEST(OwnTextFile, DoesNotTakeADamagedSizeForATornBlock) {
  const std::string path = scratch_file("damaged_size");
  OwnTextFile(path, "d");
  const std::size_t first = read_file(path).size();
  OwnTextFile(path, "d").append(one_text(1));
  OwnTextFile(path, "d").append(one_text(2));
  const std::string bytes = read_file(path);
  for (std::size_t i = first; i < first + 8; ++i) {
    std::string damaged = bytes;
    damaged[i] ^= 0x40;
    write_file(path, damaged);
    EXPECT_THROW(OwnTextFile(path, "d"), DataError) << "byte " << i;
    EXPECT_EQ(read_file(path), damaged) << "nothing is cut";
  }
}

TEST(OwnTextFile, RefusesAFileThatIsNotItsOwn) {
  const std::string path = scratch_file("foreign");
  write_file(path, "templates = []");
  EXPECT_THROW(OwnTextFile(path, "d"), ConfigError);
  EXPECT_EQ(read_file(path), "templates = []");
  EXPECT_THROW(OwnTextFile("/dev/null", "d"), ConfigError);
}

TEST(OwnTextFile, RefusesOtherSettingsAndASecondProcess) {
  const std::string path = scratch_file("refused");
  OwnTextFile file(path, "d");
  file.append(one_text(1));
  EXPECT_THROW(OwnTextFile(path, "d"), LockedError)
      << "flock holds between open files, of one process too";
  EXPECT_THROW(OwnTextFile(path, "other"), Error);
}

TEST(OwnTextFile, RefusesSizesThatDoNotFitTheirBlock) {
  for (const auto& [prompt, tokens, hidden] :
       {std::tuple{0, 3, 0}, {4, 3, 0}, {1, 1 << 30, 0}, {1, 3, -1}, {1, 3, 1 << 30}}) {
    const std::string path = scratch_file("sizes");
    BlockFile file(path, "speclab own text 3\nd\n");
    file.open([](std::string) {});
    const std::int32_t header[4] = {prompt, tokens, 0, hidden};
    file.append(std::string(reinterpret_cast<const char*>(header), sizeof header) +
                std::string(64, 'x'));
    file = BlockFile(path, "");
    EXPECT_THROW(OwnTextFile(path, "d"), DataError) << prompt << " " << tokens << " " << hidden;
  }
}

TEST(TextSplit, TrainsOnNoPromptThatIsHeldOut) {
  const std::vector<OwnText> texts{one_text(1)[0], one_text(2)[0],         one_text(1)[0],
                                   one_text(3)[0], {1, 0.0f, {9}, {}, {}}, one_text(2)[0]};
  const TextSplit split = split_texts(texts, 2);
  EXPECT_EQ(split.held_out, (std::vector<const OwnText*>{&texts[0], &texts[1]}));
  EXPECT_EQ(split.training, (std::vector<const OwnText*>{&texts[3]}));
}

}  // namespace
}  // namespace speclab::engines
