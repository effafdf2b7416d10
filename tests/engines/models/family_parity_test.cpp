// Tiny checkpoints of every family against what transformers computes with them.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "engines/models/catalogue.h"
#include "engines/models/cpu/decoder_cpu.h"
#include "tests/engines/formats/temporary_folder.h"
#include "tests/engines/models/tiny_llama.h"
#include "tests/support/family_files.h"

namespace speclab::engines {
namespace {

using namespace speclab::testing;

constexpr float kTolerance = 2e-4f;  ///< of the largest logit of a row
constexpr double kLeastMargin = 1e-3;

std::unique_ptr<LanguageModel> cpu_model(const std::string& path) {
  const ModelSource source = open_model(path);
  return std::make_unique<cpu::DecoderCpu>(source.config, *source.weights,
                                           cpu::ElementType::float32,
                                           std::make_shared<cpu::ThreadTeam>(1));
}

/// The prompt and the greedy ids but the last.
std::vector<Token> text_of(const FamilyFixture& family) {
  std::vector<Token> text = family.prompt;
  text.insert(text.end(), family.greedy.begin(), family.greedy.end() - 1);
  return text;
}

float largest_size(const std::vector<float>& row) {
  float largest = 0;
  for (const float value : row) largest = std::max(largest, std::abs(value));
  return largest;
}

void expect_logits(const FamilyFixture& family, const std::vector<std::vector<float>>& found) {
  ASSERT_EQ(found.size(), family.logits.size());
  for (std::size_t r = 0; r < found.size(); ++r) {
    const float bound = kTolerance * largest_size(family.logits[r]);
    ASSERT_EQ(found[r].size(), family.logits[r].size());
    for (std::size_t i = 0; i < found[r].size(); ++i)
      ASSERT_NEAR(found[r][i], family.logits[r][i], bound) << "row " << r << ", logit " << i;
  }
}

void expect_greedy(const FamilyFixture& family, const std::vector<std::vector<float>>& found) {
  int compared = 0;
  for (std::size_t i = 0; i < family.greedy.size(); ++i) {
    if (family.margins[i] <= kLeastMargin) continue;
    const std::vector<float>& row = found[family.prompt.size() - 1 + i];
    EXPECT_EQ(std::max_element(row.begin(), row.end()) - row.begin(), family.greedy[i]) << i;
    ++compared;
  }
  EXPECT_GE(compared, 30) << "the fixture decides something";
}

class FamilyParity : public ::testing::TestWithParam<std::string> {
 protected:
  void expect_parity(const std::string& path) {
    const auto model = cpu_model(path);
    const auto found = testing::logits_of(*model, text_of(family_));
    expect_logits(family_, found);
    expect_greedy(family_, found);
  }

  TemporaryFolder folder_;
  FamilyFixture family_ = read_family(GetParam());
};

using FamilyParityGguf = FamilyParity;

/// Of the checkpoints that GGUF can hold.
std::vector<std::string> gguf_names() {
  std::vector<std::string> names = family_names();
  std::erase_if(names, [](const std::string& name) { return !read_family(name).has_gguf(); });
  return names;
}

/// Defect: a norm, bias, scale, cap, window, rotation, expert or tensor name is wrong or left out.
TEST_P(FamilyParity, OfFoldersAsTransformers5WritesThem) {
  write_family_folder(family_, family_.target, folder_.path());
  expect_parity(folder_.path());
}

/// Defect: a key or name of older files is not read, or read as another.
TEST_P(FamilyParity, OfFoldersInOtherForms) {
  const FolderForm forms[] = {
      {.layout = ConfigLayout::transformers_4, .type = WeightType::bfloat16, .shards = 3},
      {.layout = ConfigLayout::transformers_4,
       .type = WeightType::float16,
       .names = BaseNames::without_prefix,
       .tied_head = TiedHead::stored,
       .buffers = Buffers::stored}};
  for (const FolderForm& form : forms) {
    const TemporaryFolder folder;
    write_family_folder(family_, family_.target, folder.path(), form);
    expect_parity(folder.path());
  }
}

/// Defect: metadata or a tensor of GGUF is taken for another, or its rows are not put in order.
TEST_P(FamilyParityGguf, OfFilesOfTheConverter) {
  write_family_gguf(family_, family_.target, folder_.path("model.gguf"));
  expect_parity(folder_.path("model.gguf"));
}

INSTANTIATE_TEST_SUITE_P(, FamilyParityGguf, ::testing::ValuesIn(gguf_names()),
                         [](const auto& named) { return named.param; });

INSTANTIATE_TEST_SUITE_P(, FamilyParity, ::testing::ValuesIn(family_names()),
                         [](const auto& named) { return named.param; });

}  // namespace
}  // namespace speclab::engines
