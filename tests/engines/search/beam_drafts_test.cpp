// Rows of drafted tokens, and searches that take no drafts.

#include "engines/search/beam_drafts.h"

#include <gtest/gtest.h>

#include <functional>
#include <limits>

#include "sim/system/errors.h"
#include "tests/engines/decoding/tiny_decoding.h"

namespace speclab::engines {
namespace {

/// Drafts the token 7 behind each text, again and again.
class Sevens final : public Drafter {
 public:
  /// @param length  of the draft behind a text that ends with this token
  explicit Sevens(std::function<int(Token)> length) : length_(std::move(length)) {}

  std::string name() const override { return "sevens"; }
  void begin(std::span<const Sequence>) override {}
  void observe(const Sequence&, const Draft&, const Verdict&) override {}
  void propose(std::span<const Sequence* const> sequences, std::span<const DraftLimit>,
               std::span<Draft> drafts) override {
    for (std::size_t i = 0; i < sequences.size(); ++i) {
      const Token last = sequences[i]->tokens.back();
      drafts[i].reset(last, DrawKind::arg_max);
      for (TokenTree::Node node = 0; node < length_(last); ++node) drafts[i].tree.add(node, 7);
    }
  }

 private:
  std::function<int(Token)> length_;
};

/// Defect: the row of a drafted token is read for another beam that drafted the same token.
TEST(BeamDrafts, GiveEachBeamTheRowBehindItsOwn) {
  BeamDrafts drafts(std::make_unique<Sevens>([](Token) { return 1; }));
  drafts.begin({0, {1}}, 2);
  std::vector<Beam> beams{{{1, 2}, 0.0, 0}, {{1, 3}, 0.0, 1}};
  std::vector<ForwardRow> rows{{2, 1, 0, ForwardRow::branch(0)}, {3, 1, 0, ForwardRow::branch(1)}};
  EXPECT_EQ(drafts.add_rows(beams, 1, rows), 1);
  ASSERT_EQ(rows.size(), 4u);
  EXPECT_EQ(rows[3].parent, 1);
  EXPECT_EQ(rows[3].position, 2);
  std::vector<Beam> next{{{1, 3, 7}, 0.0, 1}, {{1, 2, 7}, 0.0, 0}};
  ASSERT_TRUE(drafts.follow(next));
  EXPECT_EQ(next[0].row, 3);
  EXPECT_EQ(next[1].row, 2);
  next[1] = {{1, 2, 8}, 0.0, 0};
  next[0].row = 1;
  EXPECT_FALSE(drafts.follow(next));
  EXPECT_EQ(next[0].row, 1) << "none moves if one cannot";
}

/// Defect: rows that no step can use, because another beam has no draft so deep.
TEST(BeamDrafts, AreAsDeepAsTheShallowest) {
  BeamDrafts drafts(std::make_unique<Sevens>([](Token last) { return last; }));
  drafts.begin({0, {1}}, 2);
  const auto rows_behind = [&](Token first, Token second) {
    std::vector<Beam> beams{{{1, first}, 0.0, 0}, {{1, second}, 0.0, 1}};
    std::vector<ForwardRow> rows{{first, 1, 0, ForwardRow::branch(0)},
                                 {second, 1, 0, ForwardRow::branch(1)}};
    const std::int32_t levels = drafts.add_rows(beams, 5, rows);
    EXPECT_EQ(rows.size(), 2u + 2u * static_cast<std::size_t>(levels));
    return levels;
  };
  EXPECT_EQ(rows_behind(3, 2), 2);
  EXPECT_EQ(rows_behind(0, 4), 0);
  EXPECT_EQ(rows_behind(4, 4), 4);
}

DecoderOptions beams_with_drafts(std::int32_t count) {
  DecoderOptions options{.search = SearchOptions{}};
  options.search->num_beams = count;
  options.drafter.kind = "ngram";
  return options;
}

void expect_no_drafts(const DecoderOptions& options, const std::string& text) {
  try {
    check_drafts(options);
    ADD_FAILURE() << "taken, although " << text;
  } catch (const ConfigError& error) {
    EXPECT_NE(std::string(error.what()).find(text), std::string::npos) << error.what();
  }
}

TEST(BeamDrafts, AreRefusedWhereTheyCannotBeVerified) {
  check_drafts(beams_with_drafts(2));
  DecoderOptions options = beams_with_drafts(2);
  options.search->do_sample = true;
  expect_no_drafts(options, "do_sample = true");
  options = beams_with_drafts(4);
  options.search->num_beam_groups = 2;
  expect_no_drafts(options, "num_beam_groups = 2");
  options = beams_with_drafts(2);
  options.search->force_words_ids = {{{5}}};
  expect_no_drafts(options, "1 forced words");
  options = beams_with_drafts(2);
  options.search->draft_length = 600;
  expect_no_drafts(options, "2 beams with 600 drafted tokens each are 1202 rows");
  options = beams_with_drafts(2);
  options.drafter.kind = "small_transformer";
  check_drafts(options);
  options.drafter.bridge = "re_encode";
  expect_no_drafts(options, "bridge 're_encode' with beams");
  options.drafter = {.kind = "feature_transformer"};
  expect_no_drafts(options, "reads states of one text");
  options.drafter = {.kind = "mixture", .parts = {{.kind = "ngram"}, {.kind = "prompt_lookup"}}};
  check_drafts(options);
  options.drafter.parts[0].kind = "mlp_speculator";
  expect_no_drafts(options, "'mixture' with beams");
}

/// Defect: the drafter's caches are held against the whole memory, as if the target took none.
TEST(BeamDrafts, CountTheTargetsCacheBesideTheirOwn) {
  testing::TinyPair models(testing::tiny_config());
  DecoderOptions options = beams_with_drafts(4);
  options.drafter.kind = "small_transformer";
  ModelInfo target = models.target().info();
  EXPECT_NE(make_beam_drafter(options, 8, target, models), nullptr);
  target.cache_bytes_per_token = std::int64_t{1} << 40;
  EXPECT_THROW(make_beam_drafter(options, 8, target, models), ConfigError);
  target.cache_bytes_per_token = 1;
  options.stop.max_new_tokens = std::numeric_limits<std::int32_t>::max();
  EXPECT_THROW(make_beam_drafter(options, 8, target, models), ConfigError);
}

}  // namespace
}  // namespace speclab::engines
