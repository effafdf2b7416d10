// Bytes that the rounds of a generation read, recounted from its rounds.

#include <gtest/gtest.h>

#include "engines/models/wrapped_models.h"
#include "tests/engines/decoding/tiny_decoding.h"

namespace speclab::engines {
namespace {

using testing::decode;
using testing::TinyPair;

constexpr int kCountedTokens = 24;
const std::vector<Request> kCountedRequest{{0, {1, 2, 3, 1, 2, 3}}};

TinyPair& counted_pair() {
  static TinyPair tiny(testing::tiny_config());
  return tiny;
}

GenerationRecord generation(const DrafterOptions& drafter, int length) {
  const DecoderOptions options{.sampling = {.temperature = 1.0},
                               .stop = {.max_new_tokens = kCountedTokens},
                               .drafter = drafter,
                               .seed = 8};
  return decode(drafter.kind == "plain" ? *counted_pair().plain(options)
                                        : *counted_pair().speculative(options),
                kCountedRequest, length)
      .front();
}

/// One forward a round; the token at its end is not cached yet.
std::int64_t bytes_of_target(const GenerationRecord& record) {
  const ModelInfo& info = counted_pair().target().info();
  std::int64_t bytes = 0;
  for (const RoundRecord& round : record.rounds)
    bytes += info.weight_bytes + (round.position - 1) * info.cache_bytes_per_token;
  return bytes;
}

/// Catches weights that count once a row, and a cache that counts for one sequence of several or
/// with the rows that are not committed.
TEST(ReadBytes, OfAForwardAreWeightsOnceAndTheCacheOfEachSequence) {
  CountedModel model(counted_pair().target());
  const auto cache = model.make_cache(2, 32);
  const std::int32_t one = cache->begin(), other = cache->begin();
  const ModelInfo& info = model.info();
  ASSERT_GT(info.weight_bytes, 0);
  const std::vector<ForwardRow> first{{5, 0, one}, {6, 1, one, 0}, {7, 2, one, 1}};
  model.forward(first, *cache);
  EXPECT_EQ(model.bytes_read(), info.weight_bytes);
  cache->commit(one, std::vector<std::int32_t>{0, 1, 2});
  const std::vector<ForwardRow> second{{8, 3, one}, {9, 3, one}, {4, 0, other}};
  model.forward(second, *cache);
  EXPECT_EQ(model.bytes_read(), 2 * info.weight_bytes + 3 * info.cache_bytes_per_token);
}

/// Catches the head's size before it is padded, keys without values, and one layer for all.
TEST(ReadBytes, OfACachedTokenAreThoseThatTheCpuStores) {
  EXPECT_EQ(counted_pair().target().info().cache_bytes_per_token, 2 * (2 * 16) * 2 * 4);
  DecoderShape odd = testing::tiny_config();
  odd.head_dim = 20;
  EXPECT_EQ(testing::tiny_model(odd)->info().cache_bytes_per_token, 2 * (2 * 32) * 2 * 4);
}

/// Catches a prefill that counts, and a round that does not.
TEST(ReadBytes, OfPlainDecodingAreOneForwardAToken) {
  const GenerationRecord record = generation({.kind = "plain"}, 0);
  EXPECT_EQ(record.read.target, bytes_of_target(record));
  EXPECT_EQ(record.read.draft, 0);
  EXPECT_EQ(generation({.kind = "none"}, 0).read.target, record.read.target);
}

/// Catches drafters without a model that are charged for the target's forwards, or the reverse.
TEST(ReadBytes, OfADrafterWithoutAModelAreNone) {
  for (const char* kind : {"prompt_lookup", "ngram"}) {
    const GenerationRecord record = generation({.kind = kind}, 3);
    EXPECT_EQ(record.read.draft, 0) << kind;
    EXPECT_EQ(record.read.target, bytes_of_target(record)) << kind;
  }
}

/// A draft's first forward reads what was emitted since the last one; the drafter's cache holds the
/// rest. Its later forwards find every token there.
std::int64_t bytes_of_chains(const GenerationRecord& record, const ModelInfo& info) {
  std::int64_t bytes = 0, known = 0;
  for (const RoundRecord& round : record.rounds) {
    if (round.drafted == 0) continue;
    bytes += info.weight_bytes + known * info.cache_bytes_per_token;
    known = round.position;
    bytes += (round.drafted - 1) * (info.weight_bytes + known * info.cache_bytes_per_token);
  }
  return bytes;
}

/// Catches forwards of the drafter that count for the target, and levels that do not count.
TEST(ReadBytes, OfASmallTransformerAreAForwardALevel) {
  const GenerationRecord record = generation({.kind = "small_transformer"}, 3);
  const ModelInfo& info = counted_pair().language_model("small_transformer", "")->info();
  EXPECT_EQ(record.read.draft, bytes_of_chains(record, info));
  EXPECT_EQ(record.read.target, bytes_of_target(record));
}

/// Catches a mixture that forgets its parts, and a wrapper that counts no bytes.
TEST(ReadBytes, OfAMixtureAreThoseOfItsModels) {
  const GenerationRecord record = generation(
      {.kind = "mixture", .parts = {{.kind = "small_transformer"}, {.kind = "prompt_lookup"}}}, 3);
  const ModelInfo& info = counted_pair().language_model("small_transformer", "")->info();
  EXPECT_EQ(record.read.draft, bytes_of_chains(record, info));
}

/// Catches stages that do not count.
TEST(ReadBytes, OfAnMlpSpeculatorAreAStageALevel) {
  const GenerationRecord record = generation({.kind = "mlp_speculator"}, 2);
  std::int64_t levels = 0;
  for (const RoundRecord& round : record.rounds) levels += round.drafted;
  ASSERT_GT(levels, 0);
  EXPECT_EQ(record.read.draft, levels * counted_pair().mlp_speculator("")->info().weight_bytes);
}

/// Catches weights that every sequence of a batch pays in full.
TEST(ReadBytes, OfABatchAreShared) {
  const std::vector<Request> two{{0, {1, 2, 3}}, {1, {4, 5, 6}}};
  const auto records =
      decode(*counted_pair().plain({.stop = {.max_new_tokens = kCountedTokens}}), two, 0);
  const ModelInfo& info = counted_pair().target().info();
  std::int64_t bytes = 0;
  for (const RoundRecord& round : records.front().rounds)
    bytes += info.weight_bytes / 2 + (round.position - 1) * info.cache_bytes_per_token;
  for (const GenerationRecord& record : records) EXPECT_EQ(record.read.target, bytes);
}

}  // namespace
}  // namespace speclab::engines
