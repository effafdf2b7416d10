// Folders of fixtures with a tensor more than they need.

#include <gtest/gtest.h>

#include "sim/system/errors.h"
#include "tests/engines/families/family_models.h"

namespace speclab::engines {
namespace {

using namespace speclab::testing;

std::string refusal_with(const char* name, const MadeTensor& tensor) {
  FamilyFixture fixture = read_family(name);
  fixture.tensors.push_back(tensor);
  try {
    testing::FamilyFolder(fixture, fixture.target).open();
  } catch (const ModelFileError& error) {
    return error.what();
  }
  return "accepted";
}

bool says(const std::string& message, const std::string& words) {
  return message.find(words) != std::string::npos;
}

/// Defect: a bias is skipped, because the causal mask of another family has a name like it.
TEST(FileWeights, SkipMasksOnlyInFamiliesThatStoreThem) {
  for (const char* name : {"model.layers.0.attn.bias", "model.layers.0.self_attn.attention.bias",
                           "model.layers.7.self_attn.rotary_emb.inv_freq"}) {
    const std::string message = refusal_with("llama", {name, {3}});
    EXPECT_TRUE(says(message, name) && says(message, "tensors of the family llama")) << message;
  }
  EXPECT_EQ(refusal_with("gpt2", {"transformer.h.1.attn.bias", {1, 1, 4, 4}}), "accepted");
  EXPECT_EQ(refusal_with("llama", {"model.layers.1.self_attn.rotary_emb.inv_freq", {8}}),
            "accepted");
}

/// Defect: a head that was trained on its own is replaced by the embedding without a word.
TEST(FileWeights, RefuseAStoredHeadThatIsNotTheEmbeddingOfATiedModel) {
  const MadeTensor embedding = read_family("smollm").tensor("model.embed_tokens.weight");
  for (const std::vector<std::int64_t>& shape :
       {embedding.shape, std::vector<std::int64_t>{5, embedding.shape.back()}}) {
    const std::string message = refusal_with("smollm", {"lm_head.weight", shape});
    EXPECT_TRUE(says(message, "stored head that differs from the embedding")) << message;
    EXPECT_TRUE(says(message, "tie_word_embeddings")) << message;
  }
}

}  // namespace
}  // namespace speclab::engines
