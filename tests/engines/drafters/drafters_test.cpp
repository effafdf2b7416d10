// The list of drafters: by name, with the checks that all share.

#include <gtest/gtest.h>

#include <cmath>

#include "engines/interface/drafter_checks.h"
#include "sim/system/errors.h"
#include "tests/engines/drafters/drafting.h"
#include "tests/engines/drafters/ngram_drafting.h"
#include "tests/engines/models/tiny_llama.h"
#include "tests/engines/models/tiny_mlp_speculator.h"

namespace speclab::engines {
namespace {

class TinyModels final : public DrafterModels {
 public:
  std::shared_ptr<LanguageModel> language_model(const std::string& kind,
                                                const std::string& model) override {
    if (kind != "feature_transformer" || model == "without features")
      return testing::tiny_model(testing::tiny_config());
    return testing::tiny_feature_model(testing::tiny_config());
  }
  std::shared_ptr<MlpSpeculator> mlp_speculator(const std::string&) override {
    return testing::tiny_mlp_speculator(testing::tiny_config());
  }
  std::shared_ptr<const NgramModel> ngrams(const std::string& kind,
                                           const std::string& path) override {
    const std::int32_t order = path == "order 3"   ? 3
                               : kind == "unigram" ? 1
                               : kind == "bigram"  ? 2
                                                   : 5;
    return testing::ngrams_of({{1, 2}}, 300, {.order = order});
  }
};

std::unique_ptr<Drafter> make(const std::string& kind, std::int32_t target_vocabulary = 300) {
  TinyModels models;
  ModelInfo target;
  target.vocab_size = target_vocabulary;
  target.hidden_size = testing::tiny_config().hidden_size;
  DrafterOptions options{.kind = kind};
  if (kind == "mixture")
    options.parts = {{.kind = "ngram"}, {.kind = "small_transformer", .weight = 2.0}};
  return make_drafter({.drafter = options}, target, models);
}

TEST(Drafters, AreMadeByTheirNames) {
  for (const std::string kind : kDrafterKinds) EXPECT_EQ(make(kind)->name(), kind);
}

TEST(Drafters, RefuseAnUnknownNameAndListTheirs) {
  try {
    make("medusa");
    FAIL() << "it was accepted";
  } catch (const ConfigError& error) {
    for (const std::string kind : kDrafterKinds)
      EXPECT_NE(std::string(error.what()).find(kind), std::string::npos) << error.what();
  }
}

TEST(Drafters, RefuseATreeOrAModelThatTheyWouldNotUse) {
  for (const char* kind : {"plain", "none", "prompt_lookup"})
    EXPECT_THROW(check_drafter_options({.kind = kind, .tree = "2x2"}), ConfigError) << kind;
  for (const char* kind : {"plain", "none", "prompt_lookup"})
    EXPECT_THROW(check_drafter_options({.kind = kind, .model = "x"}), ConfigError) << kind;
  EXPECT_NO_THROW(
      check_drafter_options({.kind = "small_transformer", .model = "x", .tree = "2x2"}));
  for (const char* kind : {"unigram", "bigram", "ngram", "lookup_ngram"})
    EXPECT_NO_THROW(check_drafter_options({.kind = kind, .model = "x", .tree = "beam:4"})) << kind;
}

TEST(Drafters, LookUpWhereAPartDoes) {
  EXPECT_TRUE(
      (DrafterOptions{.kind = "mixture", .parts = {{.kind = "ngram"}, {.kind = "prompt_lookup"}}}
           .looks_up()));
  EXPECT_FALSE((DrafterOptions{.kind = "mixture", .parts = {{.kind = "ngram"}, {.kind = "bigram"}}}
                    .looks_up()));
  EXPECT_TRUE(DrafterOptions{.kind = "lookup_transformer"}.looks_up());
}

TEST(Drafters, RefusePartsThatCannotBeMixed) {
  const auto check = [](std::vector<DrafterOptions> parts) {
    check_drafter_options({.kind = "mixture", .parts = std::move(parts)});
  };
  EXPECT_NO_THROW(check({{.kind = "ngram"}, {.kind = "prompt_lookup", .weight = 0.1}}));
  EXPECT_THROW(check({}), ConfigError);
  EXPECT_THROW(check({{.kind = "ngram"}}), ConfigError);
  for (const char* kind : {"none", "plain", "mixture", "medusa", ""})
    EXPECT_THROW(check({{.kind = "ngram"}, {.kind = kind}}), ConfigError) << kind;
  for (const double weight : {0.0, -1.0, 1e-300, 1e308, std::nan(""), HUGE_VAL})
    EXPECT_THROW(check({{.kind = "ngram"}, {.kind = "bigram", .weight = weight}}), ConfigError)
        << weight;
  EXPECT_THROW(check({{.kind = "ngram"}, {.kind = "bigram", .tree = "2x2"}}), ConfigError);
  EXPECT_NO_THROW(check(std::vector<DrafterOptions>(16, {.kind = "ngram"})));
  EXPECT_THROW(check(std::vector<DrafterOptions>(17, {.kind = "ngram"})), ConfigError);
  EXPECT_THROW(check({{.kind = "ngram"}, {.kind = "prompt_lookup", .model = "x"}}), ConfigError);
  EXPECT_THROW(
      check_drafter_options({.kind = "ngram", .parts = {{.kind = "bigram"}, {.kind = "bigram"}}}),
      ConfigError);
}

/// Two parts of one model would write into one cache.
TEST(Drafters, MixATransformerOnce) {
  class OneModel final : public DrafterModels {
   public:
    std::shared_ptr<LanguageModel> language_model(const std::string&, const std::string&) override {
      return model_;
    }
    std::shared_ptr<MlpSpeculator> mlp_speculator(const std::string&) override { return nullptr; }
    std::shared_ptr<const NgramModel> ngrams(const std::string&, const std::string&) override {
      return testing::ngrams_of({{1, 2}}, 300, {.order = 5});
    }

   private:
    std::shared_ptr<LanguageModel> model_ = testing::tiny_model(testing::tiny_config());
  } models;
  ModelInfo target;
  target.vocab_size = 300;
  const auto make_mixture = [&](const char* second) {
    make_drafter({.drafter = {.kind = "mixture",
                              .parts = {{.kind = "small_transformer"}, {.kind = second}}}},
                 target, models);
  };
  EXPECT_THROW(make_mixture("lookup_transformer"), ConfigError);
  EXPECT_NO_THROW(make_mixture("lookup_ngram"));
}

TEST(Drafters, RefuseATargetOfAnotherVocabulary) {
  for (const char* kind : {"unigram", "bigram", "ngram", "lookup_ngram"})
    EXPECT_THROW(make(kind, 301), ConfigError) << kind;
  for (const char* kind : {"small_transformer", "mlp_speculator", "feature_transformer",
                           "lookup_transformer", "mixture"})
    EXPECT_THROW(make(kind, 299), ConfigError) << kind;
  EXPECT_NO_THROW(make("prompt_lookup", 299));
}

TEST(Drafters, OfFeaturesTakeNoModelWithout) {
  TinyModels models;
  ModelInfo target;
  target.vocab_size = 300;
  EXPECT_THROW(
      make_drafter({.drafter = {.kind = "feature_transformer", .model = "without features"}},
                   target, models),
      ConfigError);
}

TEST(Drafters, WhoseNameSaysAnOrderTakeNoOther) {
  TinyModels models;
  ModelInfo target;
  target.vocab_size = 300;
  for (const char* kind : {"unigram", "bigram"})
    EXPECT_THROW(make_drafter({.drafter = {.kind = kind, .model = "order 3"}}, target, models),
                 ConfigError)
        << kind;
  for (const char* kind : {"ngram", "lookup_ngram"})
    EXPECT_NO_THROW(make_drafter({.drafter = {.kind = kind, .model = "order 3"}}, target, models))
        << kind;
}

TEST(NullDrafter, DraftsTheRootAlone) {
  const Draft draft = testing::propose(*make("none"), testing::sequence_of({4, 9}), 5);
  EXPECT_EQ(draft.tree.size(), 1);
  EXPECT_EQ(draft.tree[0].token, 9);
}

}  // namespace
}  // namespace speclab::engines
