// The default model on the device against Hugging Face's LlamaForCausalLM in float32
// (tests/golden/make_model_fixture.py).

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "engines/cuda/llama_cuda.h"
#include "engines/families/catalogue.h"
#include "engines/models/commit_chain.h"
#include "sim/system/errors.h"
#include "sim/system/files.h"

namespace speclab::engines {
namespace {

constexpr double kLargestDifference = 0.6;  ///< of bfloat16 over 30 layers, logits up to 30
constexpr double kClearMargin = 0.5;

TEST(DefaultModelOnCuda, LogitsAreThoseOfThePeer) {
  if (!cuda::device_is_there()) GTEST_SKIP() << "no CUDA device is here";
  const nlohmann::json fixture =
      nlohmann::json::parse(read_file(SPECLAB_SOURCE_DIR "/tests/golden/model_smollm2.json"));
  const ModelSource source = open_model("smollm2-135m");
  cuda::LlamaCuda model(source.config, *source.weights, std::make_shared<cuda::Device>());
  double largest = 0, squares = 0;
  std::size_t count = 0, equal = 0;
  for (const nlohmann::json& prompt : fixture["prompts"]) {
    const auto ids = prompt["ids"].get<std::vector<Token>>();
    const auto cache = model.make_cache(1, static_cast<std::int32_t>(ids.size()));
    const std::span<const float> logits =
        commit_chain_with_logits(model, *cache, cache->begin(), {ids}).row(0);
    const auto best =
        static_cast<Token>(std::max_element(logits.begin(), logits.end()) - logits.begin());
    equal += best == prompt["arg_max"].get<Token>();
    for (std::size_t i = 0; i < fixture["vocabulary_sample"].size(); ++i, ++count) {
      const double difference =
          static_cast<double>(logits[fixture["vocabulary_sample"][i].get<std::size_t>()]) -
          prompt["logits"][i].get<double>();
      largest = std::max(largest, std::abs(difference));
      squares += difference * difference;
    }
    if (prompt["margins"][0].get<double>() > kClearMargin) {
      EXPECT_EQ(best, prompt["arg_max"].get<Token>());
    }
  }
  std::printf(
      "%zu logits: largest difference %.4f, root mean square %.4f; arg max equal for %zu of %zu "
      "prompts\n",
      count, largest, std::sqrt(squares / static_cast<double>(count)), equal,
      fixture["prompts"].size());
  EXPECT_LT(largest, kLargestDifference);
  EXPECT_GE(equal + 1, fixture["prompts"].size());
}

TEST(LlamaCudaWithoutADevice, SaysSo) {
  if (cuda::device_is_there()) GTEST_SKIP() << "a CUDA device is here";
  EXPECT_THROW(cuda::Device(), DeviceError);
}

}  // namespace
}  // namespace speclab::engines
