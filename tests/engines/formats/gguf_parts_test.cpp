// A GGUF model in parts: "NAME-00001-of-00002.gguf" and its neighbour.

#include <gtest/gtest.h>

#include <filesystem>

#include "engines/formats/gguf_file.h"
#include "sim/system/errors.h"
#include "tests/engines/formats/gguf_bytes.h"
#include "tests/engines/formats/temporary_folder.h"

namespace speclab::engines {
namespace {

using namespace speclab::testing;

struct PartOf {
  std::uint16_t number = 0, count = 2;
  std::int32_t tensors = 2;  ///< of all parts
  std::string tensor = "first";
  float value = 1.0f;
};

std::string part(const PartOf& form) {
  GgufBytes file;
  file.metadata = {metadata_entry("general.architecture", 8, raw_string("llama")),
                   metadata_entry("split.no", 2, raw(form.number)),
                   metadata_entry("split.count", 2, raw(form.count)),
                   metadata_entry("split.tensors.count", 5, raw(form.tensors))};
  file.tensors = {tensor_entry(form.tensor, {1}, 0, 0)};
  file.data = raw(form.value);
  return file.str();
}

class GgufParts : public ::testing::Test {
 protected:
  void write(int number, const std::string& bytes) {
    folder_.file("m-0000" + std::to_string(number) + "-of-00002.gguf", bytes);
  }

  std::string first() const { return folder_.path("m-00001-of-00002.gguf"); }

  std::string refusal(const std::string& path) {
    try {
      GgufFile::open(path);
    } catch (const ModelFileError& error) {
      return error.what();
    }
    return "accepted";
  }

  void expect_refused(const std::string& words) {
    const std::string message = refusal(first());
    EXPECT_NE(message.find(words), std::string::npos) << words << " in: " << message;
  }

  TemporaryFolder folder_;
};

const PartOf kSecond{.number = 1, .tensor = "second", .value = 2.0f};

/// Defect: only the first part's tensors are found, or their data is looked for in it.
TEST_F(GgufParts, AreOneModel) {
  write(1, part({}));
  write(2, part(kSecond));
  const GgufFile file = GgufFile::open(first());
  ASSERT_EQ(file.tensors().size(), 2u);
  EXPECT_EQ(file.read_float32("first"), std::vector<float>{1.0f});
  EXPECT_EQ(file.read_float32("second"), std::vector<float>{2.0f});
  EXPECT_EQ(file.weight_paths().size(), 2u);
  EXPECT_THROW(file.tensor("third"), ModelFileError);
}

/// Defect: a file with the key of a split model in one part is looked for neighbours.
TEST_F(GgufParts, OfOneFileNeedNoName) {
  const std::string path = folder_.file("whole.gguf", part({.count = 1, .tensors = 1}));
  EXPECT_EQ(GgufFile::open(path).tensors().size(), 1u);
}

/// Defect: a missing part is told as a missing tensor, or not by its name.
TEST_F(GgufParts, AreNamedWhereTheyAreMissing) {
  write(1, part({}));
  expect_refused("part 2 of 2 = missing");
  expect_refused("put m-00002-of-00002.gguf beside it");
}

/// Defect: another part than the first is read as the whole model.
TEST_F(GgufParts, AreGivenByTheFirst) {
  write(1, part({}));
  write(2, part(kSecond));
  const std::string message = refusal(folder_.path("m-00002-of-00002.gguf"));
  EXPECT_NE(message.find("give m-00001-of-00002.gguf"), std::string::npos) << message;
}

/// Defect: a renamed part reads neighbours of another name, or none.
TEST_F(GgufParts, KeepTheirNames) {
  const std::string message = refusal(folder_.file("m.gguf", part({})));
  EXPECT_NE(message.find("ends in -00001-of-00002.gguf"), std::string::npos) << message;
}

/// Defect: parts of different models become one.
TEST_F(GgufParts, BelongTogether) {
  write(1, part({}));
  write(2, part({.number = 0, .tensor = "second"}));
  expect_refused("split.no' = 0; allowed: 1");
  write(2, part({.number = 1, .count = 3, .tensor = "second"}));
  expect_refused("split.count' = 3; allowed: 2");
  write(2, part({.number = 1, .tensor = "first"}));
  expect_refused("in another part too");
  write(1, part({.tensors = 3}));
  write(2, part(kSecond));
  expect_refused("split.tensors.count' = 3; allowed: 2");
}

/// Defect: a number of parts from a file decides how many files are opened.
TEST_F(GgufParts, AreAtMostAThousand) {
  const std::string path = folder_.file("m-00001-of-65535.gguf", part({.count = 65535}));
  const std::string message = refusal(path);
  EXPECT_NE(message.find("split.count' = 65535; allowed: 0 to 1000"), std::string::npos) << message;
}

/// Defect: an error in a later part names the first.
TEST_F(GgufParts, AreBlamedByTheirOwnName) {
  write(1, part({}));
  write(2, part(kSecond).substr(0, 40));
  expect_refused("m-00002-of-00002.gguf: byte ");
}

/// Defect: a flipped or cut byte of a part is no typed error.
TEST_F(GgufParts, SurviveEveryChangedByte) {
  write(1, part({}));
  const std::string good = part(kSecond);
  for (std::size_t i = 0; i < good.size(); ++i) {
    std::string bytes = good;
    bytes[i] = static_cast<char>(~static_cast<unsigned char>(bytes[i]));
    write(2, bytes);
    EXPECT_NO_THROW(refusal(first())) << i;
    write(2, good.substr(0, i));
    EXPECT_NE(refusal(first()), "accepted") << i;
  }
}

}  // namespace
}  // namespace speclab::engines
