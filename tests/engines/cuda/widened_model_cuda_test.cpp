// A widened model on the device says what its source says there, bit by bit.

#include <gtest/gtest.h>

#include <numeric>

#include "engines/cuda/llama_cuda.h"
#include "engines/families/widened_model.h"
#include "tests/engines/models/tiny_llama.h"

namespace speclab::engines {
namespace {

/// The first two layers of SmolLM2-135M, with the first rows of its head.
ModelSource two_layers() {
  ModelSource source = open_model("smollm2-135m");
  source.config.num_layers = 2;
  std::vector<Token> tokens(200);
  std::iota(tokens.begin(), tokens.end(), 0);
  return with_trimmed_head(std::move(source), tokens);
}

/// Logits and hidden states of a short text.
std::pair<std::vector<float>, std::vector<float>> device_results(const ModelSource& source) {
  cuda::LlamaCuda model(source.config, *source.weights, std::make_shared<cuda::Device>());
  const auto cache = model.make_cache(1, 32);
  std::vector<ForwardRow> rows =
      testing::chain_rows(std::vector<Token>{1, 4093, 198, 2683, 28}, cache->begin(), 0);
  for (ForwardRow& row : rows) row.wants_hidden = true;
  const ForwardResult result = model.forward(rows, *cache);
  return {{result.logits.begin(), result.logits.end()},
          {result.hidden.begin(), result.hidden.end()}};
}

/// Defect: columns that are filled on the device overwrite the model's own, a row of heads or of
/// gates stands elsewhere in the wide matrix, or norms and states have the larger width.
TEST(WidenedModelOnCuda, HasTheBitsOfItsSource) {
  if (!cuda::device_is_there()) GTEST_SKIP() << "no CUDA device is here";
  const auto narrow = device_results(two_layers());
  const auto wide = device_results(widened_model(two_layers(), {2304, 1536, 2}));
  EXPECT_EQ(narrow.first, wide.first);
  EXPECT_EQ(narrow.second, wide.second);
}

}  // namespace
}  // namespace speclab::engines
