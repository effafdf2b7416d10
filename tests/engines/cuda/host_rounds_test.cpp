// The host's rounds over models of the device: trees, batches, every lossless rule, drafts copied
// from the text.

#include "engines/interface/names.h"
#include "tests/engines/cuda/device_rounds.h"

namespace speclab::engines {
namespace {

using Outputs = std::vector<std::vector<Token>>;

class HostRoundsOnCuda : public testing::DeviceRounds {
 protected:
  static constexpr std::int32_t kNewTokens = 7;

  static std::vector<Request> three_requests() {
    return {{4, {5}}, {9, {7, 8, 9, 7, 8, 9, 7, 8}}, {2, std::vector<Token>(30, 77)}};
  }

  static DecoderOptions tree_options(const char* tree, double temperature,
                                     const char* verifier = "rejection") {
    DecoderOptions tree_options = options("small_transformer", temperature, kNewTokens);
    tree_options.drafter.tree = tree;
    tree_options.verifier = verifier;
    return tree_options;
  }

  std::unique_ptr<RoundDecoder> decoder(const DecoderOptions& options) {
    if (options.drafter.kind != "prompt_lookup") return on_host(options);
    return std::make_unique<HostRoundDecoder>(
        *target_, nullptr, options, make_prompt_lookup_drafter(options, target_->info().vocab_size),
        make_verifier(options));
  }

  Outputs decode_all(const DecoderOptions& options, const std::vector<Request>& requests,
                     std::int32_t length) {
    const auto decoder = this->decoder(options);
    decoder->begin(requests, ConstantPolicy(length));
    while (decoder->round()) {
    }
    Outputs outputs;
    for (const GenerationRecord& record : decoder->records()) {
      outputs.push_back(record.output_ids);
      for (const RoundRecord& round : record.rounds) accepted_ += round.accepted;
    }
    return outputs;
  }

  Outputs plain(double temperature) {
    return decode_all(options("plain", temperature, kNewTokens), three_requests(), 0);
  }

  int accepted_ = 0;
};

TEST_F(HostRoundsOnCuda,
       GreedyTokensOfABatchArePlainDecodingsForTreesAndChainsUnderEveryLosslessRule) {
  const Outputs expected = plain(0.0);
  for (const char* verifier : kLosslessVerifierKinds)
    for (const char* tree : {"chain", "2x2x1"}) {
      if (std::string_view(verifier) == "block" && std::string_view(tree) != "chain") continue;
      EXPECT_EQ(decode_all(tree_options(tree, 0.0, verifier), three_requests(), 3), expected)
          << verifier << ", " << tree;
    }
  EXPECT_GT(accepted_, 0);
}

TEST_F(HostRoundsOnCuda, TokensArePlainDecodingsAtAnyTemperatureWhereADraftMustMatchASample) {
  for (const double temperature : {0.2, 1.0}) {
    const Outputs expected = plain(temperature);
    for (const char* verifier : {"sample_and_match", "tree_naive"})
      for (const char* tree : {"chain", "2x2x1"})
        EXPECT_EQ(decode_all(tree_options(tree, temperature, verifier), three_requests(), 3),
                  expected)
            << verifier << ", " << tree << " at " << temperature;
  }
  EXPECT_GT(accepted_, 0);
}

/// A row's bits do not depend on the rows beside it, so neither do a sequence's draws.
TEST_F(HostRoundsOnCuda, DecodeABatchAsOneByOneUnderEveryLosslessRule) {
  for (const char* verifier : kLosslessVerifierKinds) {
    if (std::string_view(verifier) == "greedy") continue;  // refused above temperature 0
    const DecoderOptions options =
        tree_options(std::string_view(verifier) == "block" ? "chain" : "2x2x1", 0.5, verifier);
    const Outputs together = decode_all(options, three_requests(), 3);
    for (std::size_t i = speclab::testing::by_size(1u, 0u, 0u); i < together.size(); ++i)
      EXPECT_EQ(decode_all(options, {three_requests()[i]}, 3).front(), together[i])
          << verifier << ", sequence " << i;
  }
  EXPECT_GT(accepted_, 0);
}

TEST_F(HostRoundsOnCuda, GreedyTokensArePlainDecodingsWhereTheDraftIsCopiedFromTheText) {
  const DecoderOptions lookup = options("prompt_lookup", 0.0, kNewTokens);
  for (const std::int32_t length : {1, 3, 10})
    EXPECT_EQ(decode_all(lookup, three_requests(), length), plain(0.0)) << length;
  EXPECT_GT(accepted_, 0) << "no copied token was ever accepted: the test would see little";
}

}  // namespace
}  // namespace speclab::engines
