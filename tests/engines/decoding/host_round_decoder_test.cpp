// At temperature 0 the loop gives plain decoding's tokens with every drafter and tree; where
// nothing is drafted, at any temperature.

#include <gtest/gtest.h>

#include <set>

#include "engines/interface/names.h"
#include "sim/policies/simple_policies.h"
#include "sim/system/errors.h"
#include "tests/engines/decoding/tiny_decoding.h"

namespace speclab::engines {
namespace {

using testing::decode;
using testing::DrafterCase;
using testing::output_ids;
using testing::random_tokens;
using testing::TinyPair;
using testing::total_accepted;

TinyPair& pair() {
  static TinyPair tiny(testing::tiny_config());
  return tiny;
}

std::vector<Request> three_requests() {
  std::mt19937 random(23);
  return {{4, random_tokens(random, 300, 1)},
          {9, random_tokens(random, 300, 30)},
          {2, {7, 8, 9, 7, 8, 9, 7, 8}}};
}

DecoderOptions options_of(const DrafterCase& drafter, double temperature,
                          double repetition_penalty = 1.0) {
  return {.sampling = {.temperature = temperature, .repetition_penalty = repetition_penalty},
          .stop = {.max_new_tokens = 45},
          .drafter = drafter.options(),
          .seed = 31};
}

class EveryDrafter : public ::testing::TestWithParam<DrafterCase> {};

INSTANTIATE_TEST_SUITE_P(, EveryDrafter, ::testing::ValuesIn(testing::drafter_cases()),
                         [](const auto& named) { return named.param.name; });

TEST_P(EveryDrafter, GivesPlainTokensAtTemperatureZero) {
  const auto plain = decode(*pair().plain(options_of(GetParam(), 0)), three_requests(), 0);
  int accepted = 0;
  for (const int length : {0, 1, 3, 8}) {
    const auto records =
        decode(*pair().speculative(options_of(GetParam(), 0)), three_requests(), length);
    EXPECT_EQ(output_ids(records), output_ids(plain)) << "speculation length " << length;
    accepted += total_accepted(records);
  }
  EXPECT_EQ(accepted > 0, std::string(GetParam().kind) != "none")
      << "no draft was ever accepted: the test would see little";
}

TEST_P(EveryDrafter, GivesPlainTokensAtTemperatureZeroUnderEveryRule) {
  const auto plain = decode(*pair().plain(options_of(GetParam(), 0)), three_requests(), 0);
  for (const char* verifier : kUserVerifierKinds) {
    if (std::string(verifier) == "block" && std::string(GetParam().tree) != "chain") continue;
    DecoderOptions options = options_of(GetParam(), 0);
    options.verifier = verifier;
    const auto records = decode(*pair().speculative(options), three_requests(), 4);
    EXPECT_EQ(output_ids(records), output_ids(plain)) << verifier;
    EXPECT_EQ(total_accepted(records) > 0, std::string(GetParam().kind) != "none") << verifier;
  }
}

/// The target's own draws decide, so that nothing of the drafter shows but the time.
TEST_P(EveryDrafter, GivesPlainTokensAtAnyTemperatureWhereTheDraftMustMatchASample) {
  int accepted = 0;
  for (const double temperature : {0.3, 1.0}) {
    const auto plain =
        decode(*pair().plain(options_of(GetParam(), temperature)), three_requests(), 0);
    for (const char* verifier : {"sample_and_match", "tree_naive"}) {
      DecoderOptions options = options_of(GetParam(), temperature);
      options.verifier = verifier;
      const auto records = decode(*pair().speculative(options), three_requests(), 4);
      EXPECT_EQ(output_ids(records), output_ids(plain)) << verifier << " at " << temperature;
      accepted += total_accepted(records);
    }
  }
  EXPECT_EQ(accepted > 0, std::string(GetParam().kind) != "none")
      << "no draft was ever accepted: the test would see little";
}

/// So an experiment can ask a drafter about every place of the target's own text.
TEST_P(EveryDrafter, IsAskedAtEveryPlaceOfThePlainTextWhereDraftsAreOnlyObserved) {
  for (const double temperature : {0.0, 1.0}) {
    DecoderOptions options = options_of(GetParam(), temperature);
    const auto plain = decode(*pair().plain(options), three_requests(), 0);
    options.verifier = "observe";
    std::size_t shown = 0;
    options.on_draft = [&](const Draft&, const TargetLaws<float>&) { ++shown; };
    const auto records = decode(*pair().speculative(options), three_requests(), 4);
    EXPECT_EQ(output_ids(records), output_ids(plain)) << "temperature " << temperature;
    std::size_t emitted = 0;
    for (const GenerationRecord& record : records) emitted += record.output_ids.size();
    EXPECT_EQ(shown, emitted);
  }
}

TEST_P(EveryDrafter, GivesPlainTokensUnderARepetitionPenalty) {
  const auto plain = decode(*pair().plain(options_of(GetParam(), 0, 1.3)), three_requests(), 0);
  EXPECT_EQ(
      output_ids(decode(*pair().speculative(options_of(GetParam(), 0, 1.3)), three_requests(), 4)),
      output_ids(plain));
}

TEST_P(EveryDrafter, GivesPlainTokensAtSpeculationLengthZero) {
  for (const double temperature : {0.6, 1.0}) {
    const auto plain =
        decode(*pair().plain(options_of(GetParam(), temperature)), three_requests(), 0);
    EXPECT_EQ(output_ids(decode(*pair().speculative(options_of(GetParam(), temperature)),
                                three_requests(), 0)),
              output_ids(plain));
  }
}

TEST_P(EveryDrafter, GivesPlainTokensWhereConfidenceEndsItsChains) {
  const auto plain = decode(*pair().plain(options_of(GetParam(), 0)), three_requests(), 0);
  for (const double threshold : {0.05, 0.4, 1.0}) {
    const auto decoder = pair().speculative(options_of(GetParam(), 0));
    if (std::string(GetParam().tree) == "chain")
      EXPECT_EQ(output_ids(decode(*decoder, three_requests(), ConfidencePolicy(threshold, 6))),
                output_ids(plain));
    else
      EXPECT_THROW(decoder->begin(three_requests(), ConfidencePolicy(threshold)), ConfigError);
  }
}

TEST_P(EveryDrafter, DecodesABatchAsOneByOne) {
  for (const double temperature : {0.0, 1.0}) {
    const auto decoder = pair().speculative(options_of(GetParam(), temperature));
    const auto together = decode(*decoder, three_requests(), 4);
    for (std::size_t i = 0; i < 3; ++i)
      EXPECT_EQ(
          decode(*pair().speculative(options_of(GetParam(), temperature)), {three_requests()[i]}, 4)
              .front()
              .output_ids,
          together[i].output_ids)
          << "sequence " << i << " at T = " << temperature;
  }
}

/// Whose lengths, or nodes, follow what was kept.
TEST_P(EveryDrafter, GivesPlainTokensAtTemperatureZeroUnderPoliciesThatFollowVerdicts) {
  const auto plain =
      output_ids(decode(*pair().plain(options_of(GetParam(), 0)), three_requests(), 0));
  EXPECT_EQ(output_ids(decode(*pair().speculative(options_of(GetParam(), 0)), three_requests(),
                              HeuristicPolicy())),
            plain);
  EXPECT_EQ(output_ids(decode(*pair().speculative(options_of(GetParam(), 0)), three_requests(),
                              TrackingPolicy(0.2))),
            plain);
}

/// NTT's budget: 5 nodes first, two more after a round whose longest path was kept to its end, else
/// one less, at least one.
TEST(AdaptiveTree, HasTheNodesOfThePublishedSchedule) {
  TinyPair alike(testing::tiny_config(), 0.03f);
  std::set<int> seen;
  for (const double temperature : {0.0, 1.0}) {
    DecoderOptions options =
        options_of({"", "small_transformer", "best_first:adaptive"}, temperature);
    options.stop.max_new_tokens = 150;
    for (const GenerationRecord& record :
         decode(*alike.speculative(options), three_requests(), HeuristicPolicy())) {
      int budget = 5, left = options.stop.max_new_tokens;
      for (const RoundRecord& round : record.rounds) {
        EXPECT_EQ(round.drafted, std::min(budget, left - 1)) << "round " << round.round;
        EXPECT_LE(round.depth, round.drafted);
        budget = round.depth == 0                ? budget
                 : round.accepted == round.depth ? budget + 2
                                                 : std::max(1, budget - 1);
        left -= round.emitted;
        seen.insert(round.drafted);
      }
    }
  }
  EXPECT_TRUE(seen.contains(1)) << "the floor was met";
  EXPECT_GT(*seen.rbegin(), 7) << "and trees that grew more than once";
}

TEST_P(EveryDrafter, BeginsAgainAsAFreshDecoder) {
  const auto options = options_of(GetParam(), 1.0);
  const auto used = pair().speculative(options);
  decode(*used, three_requests(), 4);
  const std::vector<std::vector<Request>> batches{
      {three_requests()[1]}, three_requests(), {{77, {1, 2, 3}}, {78, {5}}}};
  for (const auto& batch : batches)
    EXPECT_EQ(output_ids(decode(*used, batch, 5)),
              output_ids(decode(*pair().speculative(options), batch, 5)));
  used->begin(three_requests(), ConstantPolicy(4));
  used->round();
  EXPECT_EQ(output_ids(decode(*used, batches[0], 5)),
            output_ids(decode(*pair().speculative(options), batches[0], 5)))
      << "after an unfinished batch";
}

TEST(HostRoundDecoder, GivesPlainTokensWithoutADrafter) {
  const auto options = options_of({"", "none"}, 1.0);
  EXPECT_EQ(output_ids(decode(*pair().speculative(options), three_requests(), 6)),
            output_ids(decode(*pair().plain(options), three_requests(), 0)));
}

TEST(HostRoundDecoder, AcceptsEverythingFromTheTargetItself) {
  TinyPair same(testing::tiny_config(), 0.0f);
  for (const double temperature : {0.0, 1.0}) {
    const auto records = decode(
        *same.speculative(options_of({"", "small_transformer"}, temperature)), three_requests(), 4);
    for (const GenerationRecord& record : records)
      for (const RoundRecord& round : record.rounds) {
        EXPECT_EQ(round.accepted, round.drafted);
        EXPECT_EQ(round.next_kind, NextKind::bonus);
      }
  }
}

TEST(HostRoundDecoder, HoldsTreesOfManyRows) {
  const auto options = options_of({"", "small_transformer", "40x20"}, 0);
  const auto records = decode(*pair().speculative(options), three_requests(), 2);
  EXPECT_EQ(output_ids(records), output_ids(decode(*pair().plain(options), three_requests(), 0)));
  EXPECT_GT(total_accepted(records), 0);
}

TEST(HostRoundDecoder, FillsTheContextToItsEnd) {
  DecoderShape config = testing::tiny_config();
  config.context_length = 48;
  TinyPair small(config);
  const std::vector<Request> requests{{0, {1, 2, 3}}};
  DecoderOptions options = options_of({"", "small_transformer"}, 0);
  const auto plain = decode(*small.plain(options), requests, 0);
  EXPECT_EQ(plain.front().output_ids.size(), 45U);
  const auto records = decode(*small.speculative(options), requests, 7);
  EXPECT_EQ(output_ids(records), output_ids(plain));
  EXPECT_GT(total_accepted(records), 0);
}

TEST(HostRoundDecoder, ReplaysHowDeepARoundDraftsAndWhatItAccepts) {
  DecoderOptions options = options_of({"", "small_transformer"}, 0);
  options.verifier = "replay";
  options.replay = std::make_shared<ReplayTrace>(ReplayTrace{{{3, 1}, {0, 0}, {2, 2}, {7, 5}}});
  const std::vector<Request> requests{{4, {1, 2}}, {9, {3}}};
  constexpr int kLength = 4;
  const auto records = decode(*pair().speculative(options), requests, kLength);
  for (std::size_t i = 0; i < requests.size(); ++i)
    for (std::size_t r = 0; r + 1 < records[i].rounds.size();
         ++r) {  // the last round may lack room
      const ReplayTrace::Round& traced =
          options.replay->at(requests[i].sequence_id, static_cast<std::uint32_t>(r));
      EXPECT_EQ(records[i].rounds[r].depth, std::min(traced.depth, kLength))
          << i << ", round " << r;
      EXPECT_EQ(records[i].rounds[r].accepted, std::min(traced.accepted, kLength))
          << i << ", round " << r;
    }
}

TEST(PlainDecoder, DependsOnTheSeedAndTheSequenceIdOnly) {
  DecoderOptions options = options_of({"", "none"}, 1.0);
  const std::vector<Request> request{{6, {1, 2, 3}}}, other{{7, {1, 2, 3}}};
  const auto first = output_ids(decode(*pair().plain(options), request, 0));
  EXPECT_EQ(output_ids(decode(*pair().plain(options), request, 0)), first);
  EXPECT_NE(output_ids(decode(*pair().plain(options), other, 0)), first);
  options.seed = 32;
  EXPECT_NE(output_ids(decode(*pair().plain(options), request, 0)), first);
}

}  // namespace
}  // namespace speclab::engines
