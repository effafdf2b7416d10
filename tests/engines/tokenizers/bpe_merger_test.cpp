#include "engines/tokenizers/bpe_merger.h"

#include <gtest/gtest.h>

#include <numeric>
#include <random>

namespace speclab::engines {
namespace {

/// Tokens 0 to 255 are the bytes.
ByteTokens all_bytes() {
  ByteTokens tokens;
  std::iota(tokens.begin(), tokens.end(), 0);
  return tokens;
}

std::vector<Token> merged(const std::vector<Merge>& merges, std::string_view piece,
                          const ByteTokens& bytes = all_bytes()) {
  const MergeTable table(merges);
  std::vector<Token> tokens;
  BpeMerger(bytes, table).append_tokens(piece, tokens);
  return tokens;
}

/// The definition: of all pairs that merge, the one of lowest rank, leftmost, again and again.
std::vector<Token> merged_by_definition(const std::vector<Merge>& merges, std::string_view piece) {
  const MergeTable table(merges);
  std::vector<Token> tokens;
  for (const char byte : piece) tokens.push_back(static_cast<unsigned char>(byte));
  for (;;) {
    MergeRule best;
    std::size_t at = 0;
    for (std::size_t i = 0; i + 1 < tokens.size(); ++i) {
      const MergeRule rule = table.find(tokens[i], tokens[i + 1]);
      if (rule.rank < best.rank) best = rule, at = i;
    }
    if (best.rank == MergeRule::kNone) return tokens;
    tokens[at] = best.merged;
    tokens.erase(tokens.begin() + static_cast<std::ptrdiff_t>(at) + 1);
  }
}

TEST(MergeTable, FindsRankAndResult) {
  const MergeTable table(std::vector<Merge>{{1, 2, 300}, {2, 1, 301}, {1, 2, 302}});
  EXPECT_EQ(table.find(1, 2).rank, 0U);
  EXPECT_EQ(table.find(1, 2).merged, 300) << "the first of two equal pairs counts";
  EXPECT_EQ(table.find(2, 1).rank, 1U);
  EXPECT_EQ(table.find(2, 2).rank, MergeRule::kNone);
  EXPECT_EQ(table.find(kNoToken, 1).rank, MergeRule::kNone);
  EXPECT_EQ(MergeTable({}).find(1, 2).rank, MergeRule::kNone);
}

TEST(BpeMerger, TakesTheLowestRankFirst) {
  const std::vector<Merge> merges = {{'b', 'c', 300}, {'a', 'b', 301}};
  EXPECT_EQ(merged(merges, "abc"), (std::vector<Token>{'a', 300}));
}

TEST(BpeMerger, TakesTheLeftmostOfEqualRanks) {
  EXPECT_EQ(merged({{'a', 'a', 300}}, "aaa"), (std::vector<Token>{300, 'a'}));
}

TEST(BpeMerger, LeavesOutBytesWithoutAToken) {
  ByteTokens bytes = all_bytes();
  bytes['x'] = kNoToken;
  EXPECT_EQ(merged({{'a', 'b', 300}}, "axb", bytes), (std::vector<Token>{'a', 'b'}))
      << "and merges nothing across them";
  EXPECT_TRUE(merged({}, "x", bytes).empty());
  EXPECT_TRUE(merged({}, "").empty());
}

TEST(BpeMerger, EqualsTheDefinitionOnRandomMerges) {
  std::mt19937 random(5);
  const auto below = [&](std::uint32_t n) { return static_cast<Token>(random() % n); };
  for (int trial = 0; trial < 500; ++trial) {
    std::vector<Merge> merges;
    std::vector<Token> known = {'a', 'b', 'c'};
    for (Token next = 256; next < 280; ++next) {
      const auto count = static_cast<std::uint32_t>(known.size());
      merges.push_back({known[static_cast<std::size_t>(below(count))],
                        known[static_cast<std::size_t>(below(count))], next});
      known.push_back(next);
    }
    std::shuffle(merges.begin(), merges.end(), random);
    std::string piece;
    for (Token i = below(60); i > 0; --i) piece += static_cast<char>('a' + below(3));
    ASSERT_EQ(merged(merges, piece), merged_by_definition(merges, piece)) << trial << " " << piece;
  }
}

TEST(BpeMerger, CompletesOnAMillionEqualBytes) {
  std::vector<Merge> merges = {{'a', 'a', 256}};
  for (Token token = 257; token < 270; ++token) merges.push_back({token - 1, token - 1, token});
  EXPECT_EQ(merged(merges, std::string(1 << 20, 'a')), std::vector<Token>((1 << 20) >> 14, 269));
}

}  // namespace
}  // namespace speclab::engines
