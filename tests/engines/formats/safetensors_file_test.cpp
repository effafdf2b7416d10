#include "engines/formats/safetensors_file.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "engines/formats/safetensors_writer.h"
#include "sim/system/errors.h"
#include "tests/engines/formats/temporary_folder.h"

namespace speclab::engines {
namespace {

using testing::TemporaryFolder;

TEST(Safetensors, ReadsWhatItWrote) {
  const TemporaryFolder folder;
  const std::vector<float> narrow = {1.0F, -2.5F, 0.0F};
  const std::vector<float> wide = {0.1F, 1e-40F, std::numeric_limits<float>::infinity(), -3.0F};
  const TensorToWrite tensors[] = {
      {"narrow", {3}, narrow, StoredType::bfloat16}, {"wide", {2, 2}, wide}, {"empty", {0, 5}, {}}};
  write_safetensors(folder.path("x.safetensors"), tensors, {{"format", "pt"}});
  const SafetensorsFile file = SafetensorsFile::open(folder.path("x.safetensors"));
  EXPECT_EQ(file.metadata().at("format"), "pt");
  EXPECT_EQ(file.tensors().size(), 3U);
  EXPECT_EQ(file.tensor("narrow").dtype, "BF16");
  EXPECT_EQ(file.tensor("wide").shape, (std::vector<std::int64_t>{2, 2}));
  EXPECT_EQ(file.read_float32("narrow"), narrow);
  EXPECT_EQ(file.read_float32("wide"), wide);
  EXPECT_TRUE(file.read_float32("empty").empty());
  EXPECT_THROW(file.tensor("wied"), ModelFileError);
}

TEST(Safetensors, ReplacesAFileAsAWhole) {
  const TemporaryFolder folder;
  const std::vector<float> values = {1.0F};
  const TensorToWrite tensors[] = {{"t", {1}, values}};
  write_safetensors(folder.file("x.safetensors", "something else"), tensors);
  EXPECT_EQ(SafetensorsFile::open(folder.path("x.safetensors")).read_float32("t"), values);
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.path()), {}), 1)
      << "no temporary file is left";
}

TEST(Safetensors, WriterRefusesContradictions) {
  const TemporaryFolder folder;
  const std::vector<float> values = {1.0F, 2.0F};
  const TensorToWrite wrong_shape[] = {{"t", {3}, values}};
  const TensorToWrite twice[] = {{"t", {2}, values}, {"t", {2}, values}};
  EXPECT_THROW(write_safetensors(folder.path("x"), wrong_shape), ContractError);
  EXPECT_THROW(write_safetensors(folder.path("x"), twice), ContractError);
  EXPECT_THROW(write_safetensors(folder.path("no/such/folder/x"), {twice, 1}), WriteError);
}

TEST(FloatToBfloat16, RoundsToNearestTiesToEven) {
  EXPECT_EQ(float_to_bfloat16(1.0F), 0x3F80);
  EXPECT_EQ(float_to_bfloat16(std::bit_cast<float>(0x3F808000U)), 0x3F80) << "tie, even below";
  EXPECT_EQ(float_to_bfloat16(std::bit_cast<float>(0x3F818000U)), 0x3F82) << "tie, even above";
  EXPECT_EQ(float_to_bfloat16(std::bit_cast<float>(0x3F808001U)), 0x3F81) << "above the tie";
  EXPECT_EQ(float_to_bfloat16(std::numeric_limits<float>::max()), 0x7F80) << "rounds to infinity";
  EXPECT_TRUE(std::isnan(bfloat16_to_float(float_to_bfloat16(std::bit_cast<float>(0x7F800001U)))));
}

}  // namespace
}  // namespace speclab::engines
