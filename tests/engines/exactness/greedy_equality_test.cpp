// COR-6 on a tiny model: at temperature 0 every drafter, dialled from one that knows nothing to the
// target itself, gives plain decoding's tokens at every speculation length; over all of them every
// accepted length was seen often enough, else the comparison would be of little worth.

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "engines/interface/names.h"
#include "tests/engines/decoding/tiny_decoding.h"
#include "tests/support/test_size.h"

namespace speclab::engines {
namespace {

using testing::TinyPair;

constexpr int kLengths[] = {1, 2, 3, 4, 5, 8, 16};
constexpr double kDials[] = {0.0, 0.1, 0.5, 0.8, 0.9, 0.95, 1.0};

const std::vector<Request>& requests() {
  static const std::vector<Request> all = [] {
    std::mt19937 random(29);
    std::vector<Request> made;
    for (std::uint32_t id = 0; id < speclab::testing::by_size(4u, 8u, 32u); ++id)
      made.push_back({id, testing::random_tokens(random, 300, 1 + random() % 24)});
    return made;
  }();
  return all;
}

DecoderOptions options(const char* verifier = "greedy", const char* tree = "chain") {
  return {.sampling = {.temperature = 0},
          .stop = {.max_new_tokens = 128},
          .drafter = {.kind = "small_transformer", .tree = tree},
          .verifier = verifier};
}

/// Knows the target's text and drafts each of its tokens rightly with the dialled probability.
class DialledDrafter final : public Drafter {
 public:
  DialledDrafter(const std::vector<std::vector<Token>>& plain, double dial, std::uint64_t seed)
      : plain_(plain), dial_(dial), stream_(seed) {}
  std::string name() const override { return "dialled"; }
  void begin(std::span<const Sequence>) override {}
  void observe(const Sequence&, const Draft&, const Verdict&) override {}
  void propose(std::span<const Sequence* const> sequences, std::span<const DraftLimit> limits,
               std::span<Draft> drafts) override {
    for (std::size_t i = 0; i < sequences.size(); ++i)
      propose_one(*sequences[i], limits[i].max_length, drafts[i]);
  }

 private:
  void propose_one(const Sequence& sequence, std::int32_t length, Draft& draft) const {
    draft.reset(sequence.tokens.back(), DrawKind::arg_max);
    const std::vector<Token>& text = plain_[static_cast<std::size_t>(sequence.index)];
    const std::size_t next =
        sequence.tokens.size() - static_cast<std::size_t>(sequence.prompt_length);
    for (TokenTree::Node node = 0; node < length; ++node) {
      const StreamKey key{sequence.id,
                          static_cast<std::uint32_t>(next) + static_cast<std::uint32_t>(node),
                          Purpose::draft, sequence.round};
      const Token right = text[next + static_cast<std::size_t>(node)];
      const Token token = stream_.uniform(key) < dial_ ? right : (right + 1) % 300;
      draft.law_for(node).assign_point_mass(300, token);
      draft.add(node, token);
    }
  }

  const std::vector<std::vector<Token>>& plain_;
  double dial_;
  RngStream stream_;
};

/// length -> accepted -> rounds that drafted that many and accepted so many.
using Histogram = std::map<int, std::map<int, int>>;

void count(const std::vector<GenerationRecord>& records, int length, Histogram& histogram) {
  for (const GenerationRecord& record : records)
    for (const RoundRecord& round : record.rounds)
      if (round.drafted == length) ++histogram[length][round.accepted];
}

TEST(GreedyEquality, HoldsForEveryDialAndLengthAndSeesEveryAcceptedLength) {
  Histogram histogram;
  TinyPair pair(testing::tiny_config());
  const auto plain = testing::output_ids(testing::decode(*pair.plain(options()), requests(), 0));
  for (const double dial : kDials) {
    for (const int length : kLengths)
      for (int seed = 0; seed < 1 + length / 2; ++seed) {  // longer drafts make fewer rounds
        HostRoundDecoder decoder(pair.target(), nullptr, options(),
                                 std::make_unique<DialledDrafter>(plain, dial, seed),
                                 make_verifier(options()));
        const auto records = testing::decode(decoder, requests(), length);
        EXPECT_EQ(testing::output_ids(records), plain) << "dial " << dial << ", length " << length;
        count(records, length, histogram);
      }
  }
  for (const int length : kLengths)
    for (int accepted = 0; accepted <= length; ++accepted)
      EXPECT_GE(histogram[length][accepted], speclab::testing::by_size(10, 20, 100))
          << accepted << " of " << length << ": vacuous";
}

/// Defect: another text under one rule or tree; and an engine that never drafts would pass if
/// nothing but the texts were compared.
TEST(GreedyEquality, HoldsForEveryRuleAndTree) {
  TinyPair pair(testing::tiny_config(), 0.03f);
  const auto plain = testing::output_ids(testing::decode(*pair.plain(options()), requests(), 0));
  for (const char* verifier : kLosslessVerifierKinds)
    for (const char* tree :
         {"chain", "2x2x1", "parents:0,0,0,1,1,4", "suffixes:4:3x2x2", "best_first:adaptive"}) {
      if (std::string(verifier) == "block" && std::string(tree) != "chain") continue;
      const auto records =
          testing::decode(*pair.speculative(options(verifier, tree)), requests(), 3);
      EXPECT_EQ(testing::output_ids(records), plain) << verifier << ", " << tree;
      EXPECT_GT(testing::total_accepted(records), 0) << verifier << ", " << tree;
    }
}

}  // namespace
}  // namespace speclab::engines
