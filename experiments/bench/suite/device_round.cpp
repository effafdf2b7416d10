// One round of the CUDA engine, on a device that the processor emulates: a chain is drafted, the
// target's pass reads it, and the ratio test verifies it. Kernels and what launches them count.

#include <memory>
#include <span>
#include <vector>

#include "engines/cuda/device_rounds.h"
#include "engines/cuda/llama_cuda.h"
#include "engines/models/commit_chain.h"
#include "experiments/bench/suite/suite.h"

namespace speclab::bench {
namespace {

namespace cuda = engines::cuda;

/// A round takes milliseconds there, and a twentieth of these calls is one call.
constexpr int kDeviceCalls = 20;
constexpr std::int32_t kDraftedTokens = 2;

/// The least that the kernels have.
engines::DecoderShape least_shape() {
  return {.name = "least",
          .vocab_size = 64,
          .context_length = 32,
          .num_layers = 1,
          .hidden_size = 32,
          .intermediate_size = 32,
          .num_heads = 1,
          .num_kv_heads = 1,
          .head_dim = 32};
}

/// A model with random weights, and a cache that holds a text but for its last tokens.
class ModelWithText {
 public:
  ModelWithText(std::uint64_t seed, const std::shared_ptr<const cuda::Device>& device,
                std::span<const Token> cached)
      : model_(least_shape(), *engines::random_decoder_weights(least_shape(), seed), device),
        cache_(model_.make_cache(1, least_shape().context_length)),
        slot_(cache_->begin()) {
    engines::commit_chain(model_, *cache_, slot_, cached);
  }

  const cuda::DeviceLlama& model() const { return model_.on_device(); }
  cuda::CachedModel cached() const {
    return {&model(), dynamic_cast<cuda::KvCacheCuda*>(cache_.get()), slot_};
  }

 private:
  cuda::LlamaCuda model_;
  std::unique_ptr<engines::KvCache> cache_;
  std::int32_t slot_;
};

/// The same first round in every call.
class DeviceRound {
 public:
  DeviceRound()
      : device_(std::make_shared<cuda::Device>()),
        target_(1, device_, std::span(text_).first(text_.size() - 1)),
        draft_(2, device_, std::span(text_).first(text_.size() - 2)),
        rounds_(target_.model(), &draft_.model(), {.temperature = 1.0, .seed = 3}) {}

  std::uint64_t operator()() {
    rounds_.begin(target_.cached(), draft_.cached(), {.id = 0, .tokens = text_});
    const cuda::RoundResult& result = rounds_.run(rounds_.size_of(kDraftedTokens), -1);
    const auto accepted = static_cast<std::size_t>(result.outcome.accepted);
    return Checksum()
        .add(accepted)
        .add_all(std::span(result.tokens).first(accepted))
        .add(static_cast<std::uint64_t>(result.outcome.next))
        .value();
  }

 private:
  std::vector<Token> text_{9, 9, 1, 9};
  std::shared_ptr<const cuda::Device> device_;
  ModelWithText target_, draft_;
  cuda::DeviceRounds rounds_;
};

}  // namespace

void add_device_round(const Suite& suite) {
  suite.add(
      "device/round",
      [] { return [round = std::make_shared<DeviceRound>()] { return (*round)(); }; },
      kDeviceCalls);
}

}  // namespace speclab::bench
