// Drafts change how many forwards a beam search takes, and nothing else.

#include "engines/search/beam_drafts.h"

#include <gtest/gtest.h>

#include <map>
#include <random>

#include "engines/drafters/draft_model.h"
#include "engines/search/beam_search.h"
#include "sim/system/errors.h"
#include "tests/engines/decoding/tiny_decoding.h"
#include "tests/engines/families/family_models.h"
#include "tests/engines/models/tiny_llama.h"

namespace speclab::engines {
namespace {

enum class Skill { none, random, mixed, good };
constexpr std::size_t kChildren = 4;
constexpr std::int32_t kLevels = 2;

/// Drafts the model's likeliest tokens, any tokens, some of both, or nothing.
class SkilledDrafter final : public Drafter {
 public:
  SkilledDrafter(LanguageModel& model, Skill skill) : model_(model), skill_(skill) {}

  std::string name() const override { return "skilled"; }
  void begin(std::span<const Sequence>) override {}
  void observe(const Sequence&, const Draft&, const Verdict&) override {}
  void propose(std::span<const Sequence* const> sequences, std::span<const DraftLimit> limits,
               std::span<Draft> drafts) override {
    for (std::size_t i = 0; i < sequences.size(); ++i) {
      drafts[i].reset(sequences[i]->tokens.back(), DrawKind::arg_max);
      if (skill_ == Skill::none || (skill_ == Skill::mixed && random_() % 4 == 0)) continue;
      add_children(sequences[i]->tokens, 0, limits[i].max_length, drafts[i].tree);
    }
  }

 private:
  void add_children(std::vector<Token> text, TokenTree::Node node, std::int32_t levels,
                    TokenTree& tree) {
    if (levels == 0) return;
    for (const Token token : children_of(text)) {
      text.push_back(token);
      add_children(text, tree.add(node, token), levels - 1, tree);
      text.pop_back();
    }
  }

  std::vector<Token> children_of(const std::vector<Token>& text) {
    const auto vocab = static_cast<unsigned>(model_.info().vocab_size);
    if (skill_ == Skill::random || (skill_ == Skill::mixed && random_() % 4 == 0))
      return {static_cast<Token>(random_() % vocab), static_cast<Token>(random_() % vocab)};
    std::vector<Token>& likely = likely_[text];
    if (likely.empty())
      for (const ScoredToken& one : best_of(testing::logits_of(model_, text).back(), kChildren))
        likely.push_back(one.token);
    return likely;
  }

  LanguageModel& model_;
  Skill skill_;
  std::mt19937 random_{7};
  std::map<std::vector<Token>, std::vector<Token>> likely_;
};

DecoderOptions drafted_beams(std::int32_t count) {
  DecoderOptions options{.search = SearchOptions{}};
  options.search->num_beams = options.search->num_return_sequences = count;
  options.drafter = {.kind = "ngram", .tree = "4x4"};
  options.search->draft_length = kLevels;
  options.stop.max_new_tokens = 12;
  return options;
}

SearchRecord found(LanguageModel& model, const DecoderOptions& options, const Request& request,
                   std::unique_ptr<Drafter> drafter) {
  PhiloxChance chance(0);
  return BeamSearch(model, nullptr, options, chance, std::move(drafter)).run(request, [] {});
}

std::int64_t num_accepted(const SearchRecord& record) {
  return total_of(record.rounds, &RoundRecord::accepted);
}

void expect_same_texts(const SearchRecord& drafted, const SearchRecord& plain) {
  ASSERT_EQ(drafted.sequences.size(), plain.sequences.size());
  for (std::size_t i = 0; i < plain.sequences.size(); ++i) {
    EXPECT_EQ(drafted.sequences[i].ids, plain.sequences[i].ids) << "sequence " << i;
    EXPECT_EQ(drafted.sequences[i].score, plain.sequences[i].score) << "sequence " << i;
    EXPECT_EQ(drafted.sequences[i].stop_reason, plain.sequences[i].stop_reason);
  }
  EXPECT_EQ(std::ssize(drafted.rounds) + num_accepted(drafted), std::ssize(plain.rounds));
  EXPECT_LE(num_accepted(drafted), total_of(drafted.rounds, &RoundRecord::drafted));
}

/// Steps that drafts of each skill saved.
using Saved = std::map<Skill, std::int64_t>;

void compare_skills(LanguageModel& model, const DecoderOptions& options, const Request& request,
                    Saved& saved) {
  const SearchRecord plain = found(model, options, request, nullptr);
  for (const Skill skill : {Skill::none, Skill::random, Skill::mixed, Skill::good}) {
    SCOPED_TRACE(::testing::Message() << "skill " << static_cast<int>(skill));
    const SearchRecord drafted =
        found(model, options, request, std::make_unique<SkilledDrafter>(model, skill));
    expect_same_texts(drafted, plain);
    saved[skill] += num_accepted(drafted);
  }
}

/// Defect: a step taken on rows of another beam or none, a beam that loses its cache behind a
/// skipped forward, a search that ends earlier or later with drafts.
TEST(DraftedBeams, LeaveTextsAndScoresAsTheyAreBitForBit) {
  Saved saved;
  for (const char* name : {"llama", "gemma2", "phi3", "gpt2"}) {
    const auto family = speclab::testing::read_family(name);
    const testing::FamilyFolder folder(family, family.target);
    const auto model = folder.on_cpu(cpu::ElementType::float32);
    std::int32_t turn = 0;
    for (const EarlyStopping rule : {EarlyStopping::no, EarlyStopping::yes, EarlyStopping::never})
      for (const double penalty : {1.0, 2.0, -1.0}) {
        SCOPED_TRACE(::testing::Message() << name << ", turn " << turn);
        DecoderOptions options = drafted_beams(2 + turn % 3);
        options.search->early_stopping = rule;
        options.search->length_penalty = penalty;
        options.stop.eos_token_ids = std::vector<Token>{family.greedy[3 + turn++ % 5]};
        compare_skills(*model, options, {0, family.prompt}, saved);
      }
  }
  EXPECT_EQ(saved[Skill::none], 0);
  EXPECT_GT(saved[Skill::mixed], 0);
  EXPECT_GT(saved[Skill::good], 3 * saved[Skill::random]);
}

/// Defect: a drafter's own text replaces a beam's, or its drafts are never right.
TEST(DraftedBeams, ComeFromEveryDrafterThatFollowsBeams) {
  testing::TinyPair pair(testing::tiny_config());
  DecoderOptions options = drafted_beams(2);
  options.stop.eos_token_ids = std::vector<Token>{};
  options.stop.max_new_tokens = 40;
  const Request request{0, {7, 8, 9, 7, 8}};
  const SearchRecord plain = found(pair.target(), options, request, nullptr);
  std::int64_t saved = 0;
  for (const auto& [kind, tree] : {std::pair{"prompt_lookup", "chain"},
                                   {"ngram", "16x4"},
                                   {"lookup_ngram", "16x4"},
                                   {"small_transformer", "16x4"}}) {
    SCOPED_TRACE(kind);
    options.drafter = {.kind = kind, .tree = tree};
    const SearchRecord drafted =
        found(pair.target(), options, request,
              make_beam_drafter(options, request.prompt_ids.size(), pair.target().info(), pair));
    expect_same_texts(drafted, plain);
    EXPECT_GT(total_of(drafted.rounds, &RoundRecord::drafted), 0);
    if (std::string_view(kind) == "small_transformer") EXPECT_GT(num_accepted(drafted), 0);
    saved += num_accepted(drafted);
  }
  EXPECT_GT(saved, 0);
}

/// Defect: a drafter that reads a beam's text on top of the text which had that place before.
TEST(DraftedBeams, DraftersForgetTheTextThatABeamLeft) {
  testing::TinyPair pair(testing::tiny_config());
  const auto logits_after = [&](const std::vector<std::vector<Token>>& texts) {
    const auto model = transformer_draft_model(pair.language_model("small_transformer", ""));
    Sequence sequence{.tokens = texts.front()};
    model->begin(std::vector{sequence}, 8);
    std::vector<float> logits;
    for (const std::vector<Token>& text : texts) {
      sequence.tokens = text;
      const std::span<const float> row = model->read_emitted(sequence);
      logits.assign(row.begin(), row.end());
    }
    return logits;
  };
  const std::vector<Token> text{7, 8, 9, 4};
  const std::vector<float> fresh = logits_after({text});
  for (const std::vector<Token>& before :
       {std::vector<Token>{7, 8, 9, 4}, {7, 8, 5, 6, 3}, {1, 2}, {7, 8, 9, 4, 5}}) {
    const std::vector<float> again = logits_after({before, text});
    ASSERT_EQ(again.size(), fresh.size());
    for (std::size_t i = 0; i < fresh.size(); ++i) EXPECT_NEAR(again[i], fresh[i], 1e-5);
  }
}

}  // namespace
}  // namespace speclab::engines
