// Layers that come from host memory give the bits of layers that stay, in every order in which the
// device may run copies and kernels.

#include <optional>

#include "sim/system/errors.h"
#include "tests/engines/cuda/device_rounds.h"
#include "tests/engines/cuda/every_head_size.h"
#include "tests/support/cuda_emulation/stream_order.h"

namespace speclab::engines {
namespace {

using cuda::ResidentLayers, cuda_emulation::AdversarialOrder;
using testing::DeviceRounds, testing::small_config;

class HostLayers : public ::testing::Test {
 protected:
  std::unique_ptr<LanguageModel> model_within(std::optional<std::int64_t> bytes) {
    return std::make_unique<cuda::LlamaCuda>(shape_, *testing::tiny_weights(shape_), device_,
                                             bytes);
  }

  /// Logits of a prompt of two passes and of what follows; hidden states too.
  static std::vector<float> results_of(LanguageModel& model) {
    const auto cache = model.make_cache(1, 128);
    const std::int32_t slot = cache->begin();
    std::vector<Token> prompt(70);
    for (std::size_t i = 0; i < prompt.size(); ++i) prompt[i] = static_cast<Token>(i * 37 % 263);
    std::vector<float> results;
    for (const std::vector<Token>& tokens : {prompt, std::vector<Token>{7, 8, 9}}) {
      std::vector<ForwardRow> rows = testing::chain_rows(tokens, slot, cache->length(slot));
      for (ForwardRow& row : rows) row.wants_hidden = true;
      const ForwardResult result = model.forward(rows, *cache);
      results.insert(results.end(), result.logits.begin(), result.logits.end());
      results.insert(results.end(), result.hidden.begin(), result.hidden.end());
      std::vector<std::int32_t> path(rows.size());
      for (std::size_t i = 0; i < path.size(); ++i) path[i] = static_cast<std::int32_t>(i);
      cache->commit(slot, path);
    }
    return results;
  }

  static DecoderShape five_layers() {
    DecoderShape shape = testing::head_size_config(64, 6, 2, false);
    shape.num_layers = 5;
    return shape;
  }

  DecoderShape shape_ = five_layers();
  std::int64_t least_ = ResidentLayers::least_bytes(shape_);
  std::int64_t layer_ = cuda::LayerBlock(shape_).bytes();
  std::shared_ptr<const cuda::Device> device_ = std::make_shared<cuda::Device>();
};

/// Defect: a kernel that reads a layer before it has come, or a layer that comes while the one in
/// its place is still read.
TEST_F(HostLayers, GiveTheBitsOfLayersThatStay) {
  const std::vector<float> expected = results_of(*model_within({}));
  for (const std::int32_t resident : {0, 1}) {
    const auto model = model_within(least_ + resident * layer_);
    EXPECT_EQ(model->info().streamed_bytes, (shape_.num_layers - resident) * layer_);
    EXPECT_EQ(results_of(*model), expected) << resident << " layers stay";
    for (int repeat = 0; repeat < 3; ++repeat) {
      const AdversarialOrder order;
      EXPECT_EQ(results_of(*model), expected) << resident << " layers stay, adversarial order";
    }
  }
}

/// Defect: a limit that is not kept, or one that is refused although the model fits.
TEST_F(HostLayers, KeepToTheLimit) {
  const std::int64_t whole = least_ + (shape_.num_layers - 2) * layer_;
  EXPECT_EQ(ResidentLayers::within(shape_, whole).streamed_bytes, 0);
  EXPECT_EQ(ResidentLayers::within(shape_, whole - 1).count, 2) << "two places stand for three";
  try {
    model_within(least_ - 1);
    ADD_FAILURE() << "a limit below two layers was taken";
  } catch (const ConfigError& error) {
    EXPECT_NE(std::string(error.what()).find("allowed: at least " + std::to_string(least_)),
              std::string::npos)
        << error.what();
  }
}

/// Defect: a model that is read for minutes before the device's memory is full.
TEST_F(HostLayers, EndBeforeTheWeightsOfAModelThatDoesNotFitAreRead) {
  class Unread final : public DecoderWeights {
   public:
    std::vector<float> read(TensorRole, std::int32_t) const override {
      throw std::logic_error("weights were read");
    }
    std::string sha256() const override { return ""; }
  };
  shape_.num_layers = 1 << 20;
  try {
    const cuda::LlamaCuda model(shape_, Unread(), device_);
    ADD_FAILURE() << "a model of " << layer_ * shape_.num_layers << " bytes was taken";
  } catch (const DeviceError& error) {
    EXPECT_NE(std::string(error.what()).find("--resident-bytes"), std::string::npos)
        << error.what();
  }
}

/// Defect: copies that a round's graph does not hold, so that a replay computes with old layers.
TEST_F(DeviceRounds, WithLayersFromTheHostGiveTheTokensOfLayersThatStay) {
  DecoderShape shape = small_config();
  shape.num_layers = 4;
  load(shape, small_config());
  const DecoderOptions chosen = options("small_transformer", 1.0, 12);
  const GenerationRecord resident = decode(*on_device(chosen), 1, 2);
  load(shape, small_config(), ResidentLayers::least_bytes(shape));
  EXPECT_GT(target_->info().streamed_bytes, 0);
  const GenerationRecord streamed = decode(*on_device(chosen), 1, 2);
  EXPECT_EQ(streamed.output_ids, resident.output_ids);
  EXPECT_EQ(streamed.fates, resident.fates);
}

}  // namespace
}  // namespace speclab::engines
