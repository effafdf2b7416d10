// The reference arm decodes every family on a GPU, where there is one, by the same code as on the
// processor.

#include <gtest/gtest.h>

#include "engines/reference/cuda_device.h"
#include "engines/reference/decoder_torch.h"
#include "sim/system/errors.h"
#include "tests/engines/families/family_models.h"
#include "tests/engines/models/tiny_llama.h"

namespace speclab::engines {
namespace {

/// Asked before anything else here: libtorch looks for CUDA once.
const bool kHasGpu = [] {
  try {
    return torch_cuda_device("a test").is_cuda();
  } catch (const DeviceError&) {
    return false;
  }
}();

std::vector<std::string> devices() {
  return kHasGpu ? std::vector<std::string>{"cpu", "cuda"} : std::vector<std::string>{"cpu"};
}

using FamilyOnDevice = std::tuple<std::string, std::string>;  ///< fixture, device

class ReferenceArm : public ::testing::TestWithParam<FamilyOnDevice> {
 protected:
  std::unique_ptr<LanguageModel> model(const std::string& dtype) {
    const ModelSource source = folder_.open();
    return std::make_unique<DecoderTorch>(source.config, *source.weights, std::get<1>(GetParam()),
                                          dtype);
  }

  speclab::testing::FamilyFixture family_ = speclab::testing::read_family(std::get<0>(GetParam()));
  testing::FamilyFolder folder_{family_, family_.target};
};

/// Defect: an operation of a family runs on the processor alone, or means something else on a GPU.
TEST_P(ReferenceArm, AgreesWithTransformers) {
  const auto reference = model("float32");
  EXPECT_EQ(reference->info().device, std::get<1>(GetParam()));
  const auto found = testing::logits_of(*reference, testing::text_of(family_));
  EXPECT_LT(testing::relative_distance(family_, found), 2e-4f);
}

/// Defect: bfloat16 is not the type of the products, or rounds in the wrong places.
TEST_P(ReferenceArm, RoundsToBFloat16) {
  constexpr float kRounding = 0.25f;  // 2^-8 of each product, over three layers; 0.13 was seen
  const auto found = testing::logits_of(*model("bfloat16"), testing::text_of(family_));
  const float distance = testing::relative_distance(family_, found);
  EXPECT_LT(distance, kRounding);
  EXPECT_GT(distance, 1e-4f);
}

INSTANTIATE_TEST_SUITE_P(, ReferenceArm,
                         ::testing::Combine(::testing::ValuesIn(speclab::testing::family_names()),
                                            ::testing::ValuesIn(devices())),
                         [](const auto& named) {
                           return std::get<0>(named.param) +
                                  (std::get<1>(named.param) == "cpu" ? "_OnCpu" : "_OnCuda");
                         });

}  // namespace
}  // namespace speclab::engines
