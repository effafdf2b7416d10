// Whole rounds where a thread of the deciding kernels has several tokens: still the host's.

#include "tests/engines/cuda/device_rounds.h"

namespace speclab::engines {
namespace {

/// One narrow layer: what decides about tokens is meant here.
DecoderShape config_of(std::int32_t vocab_size) {
  DecoderShape config = testing::small_config();
  config.vocab_size = vocab_size;
  config.num_layers = 1;
  config.num_heads = 1;
  config.hidden_size = config.intermediate_size = 32;
  return config;
}

class LargeVocabularyRounds : public testing::DeviceRounds {
 protected:
  static std::vector<double> temperatures() {
    using Temperatures = std::vector<double>;
    return speclab::testing::by_size(Temperatures{0.7}, Temperatures{0.0, 0.7},
                                     Temperatures{0.0, 0.7, 1.0});
  }
  static std::vector<std::int32_t> lengths() {
    using Lengths = std::vector<std::int32_t>;
    return speclab::testing::by_size(Lengths{3}, Lengths{3, 16}, Lengths{2, 3, 5, 8, 16});
  }

  void SetUp() override {
    DeviceRounds::SetUp();
    if (!IsSkipped()) load(config_of(1100));
  }
};

TEST_F(LargeVocabularyRounds, AreTheHostsAtEveryDraftLengthAndTemperature) {
  for (const double temperature : temperatures())
    for (const std::int32_t length : lengths())
      EXPECT_GT(expect_equal(options("small_transformer", temperature, 18), length), 0)
          << temperature << ", " << length;
}

TEST_F(LargeVocabularyRounds, GreedyTokensArePlainDecodings) {
  const GenerationRecord plain = decode(*on_device(options("plain", 0.0, 18)), 1, 0);
  for (const std::int32_t length : lengths())
    EXPECT_EQ(decode(*on_device(options("small_transformer", 0.0, 18)), 1, length).output_ids,
              plain.output_ids)
        << length;
}

TEST_F(LargeVocabularyRounds, PlainDecodingIsTheHosts) {
  for (const double temperature : temperatures()) expect_equal(options("plain", temperature), 0);
}

TEST_F(LargeVocabularyRounds, OfTreesAreTheHosts) {
  for (const double temperature : temperatures()) {
    DecoderOptions trees = options("small_transformer", temperature, 12);
    trees.drafter.tree = "4x2x1";
    EXPECT_GT(expect_equal(trees, 3), 0) << temperature;
  }
}

TEST_F(LargeVocabularyRounds, AreTheHostsAtOneTokenMoreThanThreadsAndAtTheDefaultModelsSize) {
  for (const std::int32_t vocab : {1025, 2600, 49152}) {
    load(config_of(vocab));
    expect_equal(options("small_transformer", 1.0, 5), 2);
  }
}

}  // namespace
}  // namespace speclab::engines
