#pragma once
// Models of the fixtures of tests/golden/families, from folders that live in memory.

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "engines/cpu/decoder_cpu.h"
#include "engines/families/catalogue.h"
#include "tests/engines/formats/temporary_folder.h"
#include "tests/support/family_files.h"

namespace speclab::engines::testing {

/// The checkpoint of a fixture's target or twin.
class FamilyFolder {
 public:
  FamilyFolder(const speclab::testing::FamilyFixture& family,
               const speclab::testing::MadeModel& model)
      : folder_(speclab::testing::memory_folder()) {
    speclab::testing::write_family_folder(family, model, folder_.path());
  }

  const std::string& path() const { return folder_.path(); }
  ModelSource open() const { return open_model(path()); }

  std::unique_ptr<LanguageModel> on_cpu(
      cpu::ElementType type, const cpu::CpuKernels* kernels = cpu::best_kernels()) const {
    const ModelSource source = open();
    return std::make_unique<cpu::DecoderCpu>(source.config, *source.weights, type,
                                             std::make_shared<cpu::ThreadTeam>(1), kernels);
  }

 private:
  speclab::testing::TemporaryFolder folder_;
};

/// Rounding may move a logit by this share of its row's largest. Runs differ by a tenth of it.
inline constexpr float kLogitTolerance = 5e-5f;

/// The largest distance of a logit from the fixture's, over its row's largest logit.
inline float relative_distance(const speclab::testing::FamilyFixture& family,
                               const std::vector<std::vector<float>>& found) {
  float largest = 0;
  for (std::size_t r = 0; r < found.size(); ++r) {
    float size = 0, distance = 0;
    for (std::size_t i = 0; i < found[r].size(); ++i) {
      size = std::max(size, std::abs(family.logits[r][i]));
      distance = std::max(distance, std::abs(found[r][i] - family.logits[r][i]));
    }
    largest = std::max(largest, distance / size);
  }
  return largest;
}

/// The prompt and the greedy ids but the last: the ids that the fixture has logits after.
inline std::vector<Token> text_of(const speclab::testing::FamilyFixture& family) {
  std::vector<Token> text = family.prompt;
  text.insert(text.end(), family.greedy.begin(), family.greedy.end() - 1);
  return text;
}

}  // namespace speclab::engines::testing
