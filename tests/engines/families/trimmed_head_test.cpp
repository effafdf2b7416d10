#include "engines/families/catalogue.h"

#include <gtest/gtest.h>

#include "sim/system/errors.h"
#include "tests/engines/models/tiny_llama.h"

namespace speclab::engines {
namespace {

const std::vector<Token> kTokens{2, 3, 57, 298};

ModelSource source_of(const DecoderShape& shape) {
  return {shape, testing::tiny_weights(shape), nullptr};
}

/// Defect: a trimmed head has the rows of other tokens, or a tied one loses the embedding.
TEST(TrimmedHead, GivesTheLogitsOfItsTokens) {
  for (const bool is_tied : {false, true}) {
    DecoderShape shape = testing::tiny_config();
    shape.tied_embeddings = is_tied;
    const ModelSource trimmed = with_trimmed_head(source_of(shape), kTokens);
    const auto team = std::make_shared<cpu::ThreadTeam>(1);
    cpu::DecoderCpu model(trimmed.config, *trimmed.weights, cpu::ElementType::float32, team);
    const auto whole = testing::tiny_model(shape);
    const std::vector<Token> text{5, 299, 57};
    const auto rows = testing::logits_of(model, text), wanted = testing::logits_of(*whole, text);
    for (std::size_t row = 0; row < text.size(); ++row)
      for (std::size_t i = 0; i < kTokens.size(); ++i)
        EXPECT_EQ(rows[row].at(i), wanted[row][static_cast<std::size_t>(kTokens[i])]) << is_tied;
    EXPECT_EQ(rows[0].size(), kTokens.size());
    EXPECT_EQ(model.info().draft_vocabulary, kTokens);
    EXPECT_LT(model.info().weight_bytes, whole->info().weight_bytes);
  }
}

/// Defect: a head that is trimmed already is cut by the numbers of its rows.
TEST(TrimmedHead, RefusesASecondTrim) {
  EXPECT_THROW(
      with_trimmed_head(with_trimmed_head(source_of(testing::tiny_config()), kTokens), {2}),
      ConfigError);
}

}  // namespace
}  // namespace speclab::engines
