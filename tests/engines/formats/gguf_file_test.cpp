#include "engines/formats/gguf_file.h"

#include <gtest/gtest.h>

#include "sim/system/errors.h"
#include "tests/engines/formats/gguf_bytes.h"
#include "tests/engines/formats/temporary_folder.h"

namespace speclab::engines {
namespace {

using namespace speclab::testing;

class SmallGguf : public ::testing::Test {
 protected:
  TemporaryFolder folder_;
  GgufFile file_ = GgufFile::open(folder_.file("small.gguf", small_gguf().str()));
};

TEST_F(SmallGguf, GivesScalarsOfEveryType) {
  const GgufMetadata& metadata = file_.metadata();
  EXPECT_EQ(metadata.get<std::uint32_t>("u8"), 200U);
  EXPECT_EQ(metadata.get<std::int32_t>("i8"), -100);
  EXPECT_EQ(metadata.get<std::uint32_t>("u16"), 60000U);
  EXPECT_EQ(metadata.get<std::int32_t>("i16"), -30000);
  EXPECT_EQ(metadata.get<std::uint32_t>("u32"), 4000000000U);
  EXPECT_EQ(metadata.get<std::int32_t>("i32"), -2000000000);
  EXPECT_EQ(metadata.get<float>("f32"), 1.5F);
  EXPECT_TRUE(metadata.get<bool>("bool"));
  EXPECT_EQ(metadata.get<std::string>("string"), "text");
  EXPECT_EQ(metadata.get<std::uint64_t>("u64"), UINT64_MAX);
  EXPECT_EQ(metadata.get<std::int64_t>("i64"), INT64_MIN);
  EXPECT_EQ(metadata.get<double>("f64"), 2.25);
}

TEST_F(SmallGguf, GivesArrays) {
  EXPECT_EQ(file_.metadata().get_strings("strings"), (std::vector<std::string>{"a", ""}));
  EXPECT_EQ(file_.metadata().get_integers("integers"), (std::vector<std::int64_t>{-7, 9}));
  EXPECT_EQ(file_.metadata().get_integers("naturals"), (std::vector<std::int64_t>{65535}));
}

TEST_F(SmallGguf, TellsMissingFromWrong) {
  EXPECT_EQ(file_.metadata().find<bool>("nothing"), std::nullopt);
  EXPECT_THROW(file_.metadata().get<bool>("nothing"), ModelFileError);
  EXPECT_THROW(file_.metadata().find<bool>("u8"), ModelFileError);
  EXPECT_THROW(file_.metadata().get<float>("u32"), ModelFileError);
  EXPECT_THROW(file_.metadata().get<std::int32_t>("u32"), ModelFileError)
      << "4000000000 is outside int32";
  EXPECT_THROW(file_.metadata().get<std::uint32_t>("i32"), ModelFileError) << "negative";
  EXPECT_THROW(file_.metadata().get_strings("integers"), ModelFileError);
  EXPECT_THROW(file_.metadata().get_integers("string"), ModelFileError);
}

TEST_F(SmallGguf, GivesShapesOutermostFirst) {
  ASSERT_EQ(file_.tensors().size(), 2U);
  EXPECT_EQ(file_.tensor("table").shape, (std::vector<std::int64_t>{2, 3}));
  EXPECT_EQ(file_.tensor("table").num_elements, 6);
  EXPECT_EQ(file_.tensor("row").dtype, "Q8_0");
}

TEST_F(SmallGguf, ReadsValues) {
  EXPECT_EQ(file_.read_float32("table"), (std::vector<float>{0.5F, 1.5F, 2.5F, 3.5F, 4.5F, 5.5F}));
  const std::vector<float> row = file_.read_float32("row");
  ASSERT_EQ(row.size(), 32U);
  for (std::size_t i = 0; i < row.size(); ++i)
    EXPECT_EQ(row[i], 0.5F * (static_cast<float>(i) - 16.0F));
}

TEST_F(SmallGguf, NamesTheNearestTensor) {
  EXPECT_FALSE(file_.contains("tabel"));
  try {
    file_.tensor("tabel");
    FAIL() << "no error";
  } catch (const ModelFileError& error) {
    EXPECT_NE(std::string(error.what()).find("nearest is 'table'"), std::string::npos)
        << error.what();
    EXPECT_EQ(error.code(), ExitCode::bad_model_file);
  }
}

TEST_F(SmallGguf, ReportsAFileCutShortAfterOpening) {
  std::filesystem::resize_file(folder_.path("small.gguf"), small_gguf().str().size() - 10);
  EXPECT_NO_THROW(file_.read_float32("table"));
  EXPECT_THROW(file_.read_float32("row"), ModelFileError);
}

TEST(GgufFile, RefusesWhatIsNoFile) {
  const TemporaryFolder folder;
  EXPECT_THROW(GgufFile::open(folder.path("missing.gguf")), ModelFileError);
  EXPECT_THROW(GgufFile::open(folder.path()), ModelFileError);
  EXPECT_THROW(GgufFile::open("/dev/zero"), ModelFileError);
}

TEST(GgufFile, KeepsTensorsApartByTheFilesOwnAlignment) {
  const TemporaryFolder folder;
  GgufBytes bytes = small_gguf();
  bytes.metadata.push_back(metadata_entry("general.alignment", 4, raw<std::uint32_t>(128)));
  bytes.alignment = 128;
  bytes.tensors[1] = tensor_entry("row", {32}, 8, 128);
  bytes.data.insert(32, 96, '\0');
  const GgufFile file = GgufFile::open(folder.file("aligned.gguf", bytes.str()));
  EXPECT_EQ(file.read_float32("row")[17], 0.5F);
}

}  // namespace
}  // namespace speclab::engines
