// A token that was drawn is compared with the vocabulary before anything is looked up by it, in
// every build.

#include <gtest/gtest.h>

#include <algorithm>

#include "sim/system/errors.h"
#include "tests/engines/decoding/tiny_decoding.h"

namespace speclab::engines {
namespace {

using testing::decode;
using testing::TinyPair;

/// Says that its vocabulary is smaller than its logits are.
class NarrowModel final : public LanguageModel {
 public:
  NarrowModel(LanguageModel& model, std::int32_t vocab_size) : model_(model), info_(model.info()) {
    info_.vocab_size = vocab_size;
  }
  const ModelInfo& info() const override { return info_; }
  std::unique_ptr<KvCache> make_cache(std::int32_t sequences, std::int32_t capacity) override {
    return model_.make_cache(sequences, capacity);
  }
  ForwardResult forward(std::span<const ForwardRow> rows, KvCache& cache) override {
    return model_.forward(rows, cache);
  }

 private:
  LanguageModel& model_;
  ModelInfo info_;
};

TEST(TokenIds, DrawnOutsideTheVocabularyAreRefused) {
  TinyPair pair(testing::tiny_config());
  const Request request{0, {0}};
  const DecoderOptions options{.stop = {.max_new_tokens = 8}};
  const std::vector<Token> drawn = decode(*pair.plain(options), {request}, 1).front().output_ids;
  const Token largest = *std::ranges::max_element(drawn);
  ASSERT_GT(largest, 0);
  for (const Token vocab_size : {largest, largest + 1}) {
    NarrowModel narrow(pair.target(), vocab_size);
    PlainDecoder decoder(narrow, nullptr, options);
    if (vocab_size > largest) {
      EXPECT_EQ(decode(decoder, {request}, 1).front().output_ids, drawn);
    } else {
      EXPECT_THROW(decode(decoder, {request}, 1), ContractError);
    }
  }
}

/// Drafted with a vocabulary that is the whole model's, accepted or not.
TEST(TokenIds, DraftedOutsideTheVocabularyAreRefused) {
  TinyPair pair(testing::tiny_config());
  const Request request{0, {0}};
  const DecoderOptions options{.stop = {.max_new_tokens = 8},
                               .drafter = {.kind = "small_transformer"}};
  const std::vector<Token> drawn =
      decode(*pair.speculative(options), {request}, 4).front().output_ids;
  const Token largest = *std::ranges::max_element(drawn);
  ASSERT_GT(largest, 0);
  NarrowModel narrow(pair.target(), largest);
  HostRoundDecoder decoder(narrow, nullptr, options,
                           make_drafter(options, pair.target().info(), pair),
                           make_verifier(options));
  EXPECT_THROW(decode(decoder, {request}, 4), ContractError);
}

/// Every embedding look-up of a host model goes through the plan of its rows.
TEST(TokenIds, OutsideTheVocabularyAreNeverLookedUp) {
  TinyPair pair(testing::tiny_config());
  LanguageModel& model = pair.target();
  const auto cache = model.make_cache(1, 16);
  const std::int32_t slot = cache->begin();
  for (const Token token : {-1, model.info().vocab_size, INT32_MAX, INT32_MIN}) {
    const ForwardRow row{token, 0, slot};
    EXPECT_THROW(model.forward({&row, 1}, *cache), ContractError) << token;
  }
  const ForwardRow last{model.info().vocab_size - 1, 0, slot};
  EXPECT_EQ(model.forward({&last, 1}, *cache).vocab_size, model.info().vocab_size);
}

}  // namespace
}  // namespace speclab::engines
