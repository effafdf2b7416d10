// The records of a generation add up.

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "tests/engines/decoding/tiny_decoding.h"

namespace speclab::engines {
namespace {

using testing::decode;
using testing::DrafterCase;
using testing::TinyPair;

TinyPair& recorded_pair() {
  static TinyPair tiny(testing::tiny_config());
  return tiny;
}

const std::vector<Request> kRequests{{0, {1, 2, 3, 1, 2, 3}}, {1, {250, 4, 77}}};

std::int64_t count_fates(const GenerationRecord& record, TokenFate fate) {
  return std::count(record.fates.begin(), record.fates.end(), fate);
}

/// What holds for one round whatever drafter and rule.
void expect_consistent(const RoundRecord& round, bool last) {
  EXPECT_GE(round.drafted, round.accepted);
  EXPECT_EQ(round.rows, round.drafted + 1);
  EXPECT_GE(round.tested, round.accepted);
  EXPECT_LE(round.tested, round.drafted);
  EXPECT_LE(round.accepted, round.depth);
  EXPECT_LE(round.depth, round.drafted);
  EXPECT_LE(round.emitted, round.accepted + 1);
  EXPECT_TRUE(last || round.emitted == round.accepted + 1);
  EXPECT_GE(round.emitted, 1);
}

class Records : public ::testing::TestWithParam<DrafterCase> {
 protected:
  std::vector<GenerationRecord> records(double temperature, int length) {
    const DecoderOptions options{.sampling = {.temperature = temperature},
                                 .stop = {.max_new_tokens = 33},
                                 .drafter = GetParam().options(),
                                 .seed = 8};
    return decode(*recorded_pair().speculative(options), kRequests, length);
  }
};

INSTANTIATE_TEST_SUITE_P(, Records, ::testing::ValuesIn(testing::drafter_cases()),
                         [](const auto& named) { return named.param.name; });

TEST_P(Records, AddUpToTheOutput) {
  for (const double temperature : {0.0, 1.0})
    for (const GenerationRecord& record : records(temperature, 5)) {
      ASSERT_EQ(record.output_ids.size(), 33U);
      EXPECT_EQ(record.fates.size(), record.output_ids.size());
      std::int32_t emitted = 0;
      for (const RoundRecord& round : record.rounds) emitted += round.emitted;
      EXPECT_EQ(emitted, 33);
    }
}

TEST_P(Records, AreConsistentRoundByRound) {
  const std::size_t prompt_lengths[] = {6, 3};
  const auto all = records(1.0, 5);
  for (std::size_t s = 0; s < all.size(); ++s) {
    auto position = static_cast<std::int32_t>(prompt_lengths[s]);
    for (std::size_t i = 0; i < all[s].rounds.size(); ++i) {
      const RoundRecord& round = all[s].rounds[i];
      expect_consistent(round, i + 1 == all[s].rounds.size());
      EXPECT_EQ(round.round, static_cast<std::int32_t>(i));
      EXPECT_EQ(round.position, position);
      position += round.emitted;
    }
  }
}

TEST_P(Records, FatesTellWhereEachTokenCameFrom) {
  for (const GenerationRecord& record : records(1.0, 5)) {
    std::size_t at = 0;
    for (const RoundRecord& round : record.rounds)
      for (std::int32_t i = 0; i < round.emitted; ++i, ++at) {
        const TokenFate next =
            round.next_kind == NextKind::bonus ? TokenFate::bonus : TokenFate::recovered;
        EXPECT_EQ(record.fates[at], i < round.accepted ? TokenFate::accepted : next);
      }
    EXPECT_EQ(count_fates(record, TokenFate::plain), 0);
  }
}

TEST_P(Records, TimesAddUp) {
  for (const GenerationRecord& record : records(0.0, 5)) {
    std::int64_t total = 0;
    for (const RoundRecord& round : record.rounds) {
      for (const std::int64_t part :
           {round.draft_ns, round.target_ns, round.verify_ns, round.other_ns})
        EXPECT_GE(part, 0);
      EXPECT_GT(round.target_ns, 0);
      total += round.draft_ns + round.target_ns + round.verify_ns + round.other_ns;
    }
    EXPECT_EQ(record.decode_ns, total);
    EXPECT_GT(record.prefill_ns, 0);
    EXPECT_GT(record.time_to_first_token_ns, record.prefill_ns);
    EXPECT_LE(record.time_to_first_token_ns, record.prefill_ns + record.decode_ns);
  }
}

TEST(PlainRecords, HoldOneTokenARound) {
  const auto records =
      decode(*recorded_pair().plain({.stop = {.max_new_tokens = 12}}), kRequests, 0);
  for (const GenerationRecord& record : records) {
    EXPECT_EQ(record.rounds.size(), 12U);
    EXPECT_EQ(count_fates(record, TokenFate::plain), 12);
    for (const RoundRecord& round : record.rounds) {
      EXPECT_EQ(round.emitted, 1);
      EXPECT_EQ(round.drafted, 0);
      EXPECT_EQ(round.rows, 1);
    }
  }
}

/// A policy that keeps what it was shown.
class ListeningPolicy final : public SpeculationLengthPolicy {
 public:
  explicit ListeningPolicy(std::shared_ptr<std::vector<RoundRecord>> heard)
      : heard_(std::move(heard)) {}
  int next_length() override { return static_cast<int>(heard_->size() % 4); }
  void observe(const RoundRecord& round) override { heard_->push_back(round); }
  std::unique_ptr<SpeculationLengthPolicy> fresh() const override {
    return std::make_unique<ListeningPolicy>(heard_);
  }
  std::string name() const override { return "listening"; }

 private:
  std::shared_ptr<std::vector<RoundRecord>> heard_;
};

TEST(Policies, HearEveryRoundAndSetItsLength) {
  const auto heard = std::make_shared<std::vector<RoundRecord>>();
  const auto decoder = recorded_pair().speculative(
      {.stop = {.max_new_tokens = 30}, .drafter = {.kind = "small_transformer"}, .seed = 3});
  decoder->begin({kRequests[0]}, ListeningPolicy(heard));
  while (decoder->round()) {
  }
  const auto& rounds = decoder->records().front().rounds;
  ASSERT_EQ(heard->size(), rounds.size());
  for (std::size_t i = 0; i < rounds.size(); ++i) {
    EXPECT_EQ((*heard)[i].accepted, rounds[i].accepted);
    EXPECT_LE(rounds[i].drafted, static_cast<std::int32_t>(i % 4));
    if (i + 2 < rounds.size()) {
      EXPECT_EQ(rounds[i].drafted, static_cast<std::int32_t>(i % 4));
    }
  }
}

}  // namespace
}  // namespace speclab::engines
