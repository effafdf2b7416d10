// RNG-1, RNG-2, COR-13: no block of the generator serves two keys, and a request's tokens are the
// same whatever threads, batch, order and resumption.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <numeric>

#include "engines/interface/names.h"
#include "sim/core/rng_stream.h"
#include "tests/engines/decoding/tiny_decoding.h"
#include "tests/support/test_size.h"

namespace speclab::engines {
namespace {

/// The counter words of a key are the key's own, so that a repeated block would need a repeated
/// output of a bijection.
TEST(Streams, RepeatNoBlockInTenMillionKeys) {
  std::vector<std::array<std::uint32_t, 4>> blocks;
  blocks.reserve(10'000'000);
  for (std::uint32_t sequence = 0; sequence < 10; ++sequence)
    for (std::uint32_t position = 0; position < 500; ++position)
      for (const Purpose purpose :
           {Purpose::target, Purpose::draft, Purpose::accept, Purpose::recover})
        for (std::uint32_t round = 0; round < 25; ++round)
          for (std::uint32_t node = 0; node < 20; ++node)
            blocks.push_back(philox4x32_10(
                {sequence, position, static_cast<std::uint32_t>(purpose), round_draw(round, node)},
                {1, 2}));
  ASSERT_EQ(blocks.size(), 10'000'000U);
  std::ranges::sort(blocks);
  EXPECT_EQ(std::ranges::adjacent_find(blocks), blocks.end());
}

constexpr std::uint32_t kRequests = 8;

DecoderShape small_config() {
  DecoderShape config = testing::tiny_config();
  config.num_layers = 1;
  return config;
}

std::vector<Request> requests() {
  std::mt19937 random(3);
  std::vector<Request> all;
  for (std::uint32_t id = 0; id < kRequests; ++id)
    all.push_back({id, testing::random_tokens(random, 300, 1 + id * 3)});
  return all;
}

/// How a set of requests is decoded.
struct Way {
  const char* verifier;
  int threads, batch, resumes, order;  ///< order: seed of the shuffle
};

std::map<std::uint32_t, std::vector<Token>> tokens_by_request(const Way& way) {
  static std::map<int, std::unique_ptr<testing::TinyPair>> pairs;
  auto& pair = pairs[way.threads];
  if (!pair) pair = std::make_unique<testing::TinyPair>(small_config(), 0.1f, 8.0f, way.threads);
  const DecoderOptions options{.sampling = {.repetition_penalty = 1.1},
                               .stop = {.max_new_tokens = 6},
                               .drafter = {.kind = "small_transformer"},
                               .verifier = way.verifier,
                               .seed = 9};
  std::vector<Request> all = requests();
  std::mt19937 random(static_cast<std::uint32_t>(way.order));
  if (way.order > 0) std::ranges::shuffle(all, random);
  std::map<std::uint32_t, std::vector<Token>> tokens;
  auto decoder = pair->speculative(options);
  int resumes_left = way.resumes;
  for (std::size_t begin = 0; begin < all.size(); begin += static_cast<std::size_t>(way.batch)) {
    if (begin > 0 && resumes_left-- > 0) decoder = pair->speculative(options);
    const std::vector<Request> batch(
        all.begin() + static_cast<std::ptrdiff_t>(begin),
        all.begin() + static_cast<std::ptrdiff_t>(
                          std::min(all.size(), begin + static_cast<std::size_t>(way.batch))));
    const auto records = testing::decode(*decoder, batch, 3);
    for (std::size_t i = 0; i < batch.size(); ++i)
      tokens[batch[i].sequence_id] = records[i].output_ids;
  }
  return tokens;
}

TEST(Tokens, AreTheSameWhateverThreadsBatchOrderAndResumption) {
  const int last_order = speclab::testing::by_size(1, 1, 6);
  int configurations = 0;
  for (const char* verifier : kLosslessVerifierKinds) {
    if (std::string(verifier) == "greedy") continue;
    const auto expected = tokens_by_request({verifier, 1, 1, 0, 0});
    for (const int threads : {1, 2, 4})
      for (const int batch : {1, 3, 8})
        for (const auto& [resumes, order] : {std::pair{0, 1},
                                             {0, 2},
                                             {0, 3},
                                             {1, 0},
                                             {1, 1},
                                             {1, 4},
                                             {5, 0},
                                             {5, 2},
                                             {5, 5},
                                             {5, 6}}) {
          if (threads == 4 && std::string(verifier) != "rejection")
            continue;  // slow where there are fewer cores
          if (order > last_order) continue;
          EXPECT_EQ(tokens_by_request({verifier, threads, batch, resumes, order}), expected)
              << verifier << ", " << threads << " threads, batches of " << batch << ", " << resumes
              << " resumes, order " << order;
          ++configurations;
        }
  }
  EXPECT_GE(configurations, speclab::testing::by_size(200, 200, 500));
}

TEST(Tokens, AreTheSameInManyOrders) {
  const auto expected = tokens_by_request({"rejection", 1, 8, 0, 0});
  for (int order = 1; order <= speclab::testing::by_size(50, 200, 1000); ++order)
    ASSERT_EQ(tokens_by_request({"rejection", 1, 8, 0, order}), expected) << "order " << order;
}

/// COR-13: a drafter that is the target loses nothing, whatever rule, length and temperature, where
/// the rule is a ratio's.
TEST(Tokens, OfADrafterThatIsTheTargetAreAllAccepted) {
  testing::TinyPair same(testing::tiny_config(), 0.0f);
  for (const char* verifier : {"rejection", "block", "several_drafts", "tree_without_replacement"})
    for (const double temperature : {0.0, 0.7, 1.0})
      for (int length = 1; length <= 6; ++length) {
        const DecoderOptions options{.sampling = {.temperature = temperature, .top_p = 0.95},
                                     .stop = {.max_new_tokens = 40},
                                     .drafter = {.kind = "small_transformer"},
                                     .verifier = verifier};
        for (const GenerationRecord& record :
             testing::decode(*same.speculative(options), requests(), length))
          for (const RoundRecord& round : record.rounds)
            EXPECT_EQ(round.accepted, round.drafted)
                << verifier << ", T = " << temperature << ", length " << length;
      }
}

}  // namespace
}  // namespace speclab::engines
