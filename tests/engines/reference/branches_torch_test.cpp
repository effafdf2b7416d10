// Branches of the reference's cache.

#include "engines/reference/decoder_torch.h"
#include "tests/engines/search/branches.h"

namespace speclab::engines {
namespace {

class BranchesOfTheReference : public testing::Branches {
 protected:
  std::unique_ptr<LanguageModel> make_model() const override {
    const DecoderShape shape = testing::tiny_config();
    return std::make_unique<DecoderTorch>(shape, *testing::tiny_weights(shape), "cpu", "float32");
  }
};

/// Defect: slots that move along another axis of the cache.
TEST_F(BranchesOfTheReference, GiveTheLogitsOfTheirOwnTexts) { expect_own_texts(1e-3f); }

}  // namespace
}  // namespace speclab::engines
