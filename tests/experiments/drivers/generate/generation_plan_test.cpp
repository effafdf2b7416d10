#include "experiments/drivers/generate/generation_plan.h"

#include <gtest/gtest.h>

#include "experiments/drivers/generate/call_checks.h"
#include "sim/policies/policy_registry.h"
#include "sim/system/errors.h"

namespace speclab::experiments {
namespace {

/// A command line.
struct Line {
  std::map<std::string, std::string> given{};
  std::string drafter = "none";
  std::string policy{};  ///< empty: not given
};

GenerationPlan plan_of(const Line& line) {
  const auto policy = line.policy.empty() ? std::nullopt : std::optional(line.policy);
  return generation_plan_of(line.given, {.drafter = {.kind = line.drafter}, .seed = 7}, policy);
}

std::string refusal(const Line& line) {
  try {
    plan_of(line);
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "";
}

/// Defect: the temperature or a cutoff counts where no token is drawn.
TEST(GenerationPlan, DrawsOnlyInModesThatDraw) {
  const auto greedy = plan_of({{{"do_sample", "false"}, {"top_p", "0.5"}}});
  EXPECT_EQ(greedy.decoding.sampling.temperature, 0);
  EXPECT_EQ(greedy.decoding.sampling.top_p, 1);
  EXPECT_EQ(greedy.decoding.sampling.top_k, 0);
  const auto drawn = plan_of({{{"do_sample", "true"}, {"top_p", "0.5"}}});
  EXPECT_EQ(drawn.decoding.sampling.temperature, 1);
  EXPECT_EQ(drawn.decoding.sampling.top_p, 0.5);
  EXPECT_EQ(drawn.decoding.sampling.top_k, 50);
  EXPECT_EQ(plan_of({{{"min_new_tokens", "3"}}}).decoding.sampling.top_k, 0);
  const auto beams = plan_of({{{"num_beams", "3"}, {"top_p", "0.5"}}});
  EXPECT_EQ(beams.decoding.sampling.temperature, 0);
  EXPECT_EQ(beams.decoding.sampling.top_p, 1);
}

/// Defect: a misspelt key of a caller without a command line passes, or ends the program.
TEST(GenerationPlan, RefusesAnUnknownKey) {
  EXPECT_NE(refusal({{{"num_beam", "4"}}}).find("did you mean num_beams?"), std::string::npos);
}

/// Defect: a rule about whole texts does not reach the engines.
TEST(GenerationPlan, HandsOverEveryRule) {
  const auto plan = plan_of({{{"sequence_bias", "[[[5,6],1],[[5,6],-2.5]]"},
                              {"bad_words_ids", "[[7],[8,9]]"},
                              {"min_new_tokens", "3"},
                              {"forced_bos_token_id", "4"},
                              {"forced_eos_token_id", "2"},
                              {"exponential_decay_length_penalty", "[5,1.1]"},
                              {"begin_suppress_tokens", "[1]"},
                              {"remove_invalid_values", "true"},
                              {"renormalize_logits", "true"},
                              {"eos_token_id", "[2,3]"},
                              {"max_time", "1.5"},
                              {"stop_strings", "end"}}});
  const engines::TextRules& rules = plan.decoding.sampling.rules;
  EXPECT_EQ(rules.sequence_bias, (std::vector<engines::SequenceBias>{{{5, 6}, -2.5}}));
  EXPECT_EQ(rules.bad_words_ids, (std::vector<std::vector<Token>>{{7}, {8, 9}}));
  EXPECT_EQ(rules.min_new_tokens, 3);
  EXPECT_EQ(rules.forced_bos_token_id, 4);
  EXPECT_EQ(rules.forced_eos_token_ids, std::vector<Token>{2});
  EXPECT_EQ(rules.exponential_decay_length_penalty, (engines::LengthDecay{5, 1.1}));
  EXPECT_EQ(rules.begin_suppress_tokens, std::vector<Token>{1});
  EXPECT_TRUE(rules.remove_invalid_values && rules.renormalize_logits);
  EXPECT_EQ(plan.decoding.stop.eos_token_ids, (std::vector<Token>{2, 3}));
  EXPECT_EQ(plan.decoding.sampling.eos_token_ids, (std::vector<Token>{2, 3}));
  EXPECT_EQ(plan.decoding.stop.max_seconds, 1.5);
  EXPECT_EQ(plan.decoding.stop.stop_strings, std::vector<std::string>{"end"});
}

/// Defect: max_length does not count the prompt, or leaves a prompt without room.
TEST(GenerationPlan, CountsThePromptInMaxLength) {
  auto plan = plan_of({{{"max_length", "30"}}});
  set_prompt_length(plan, 10);
  EXPECT_EQ(plan.decoding.stop.max_new_tokens, 20);
  EXPECT_EQ(plan.decoding.sampling.rules.max_length, 30);
  EXPECT_EQ(plan.decoding.sampling.rules.prompt_length, 10);
  set_prompt_length(plan, 29);  // the next prompt of a list
  EXPECT_EQ(plan.decoding.stop.max_new_tokens, 1);
  EXPECT_THROW(set_prompt_length(plan, 30), ConfigError);
  auto other = plan_of({{{"max_length", "30"}, {"max_new_tokens", "50"}}});
  set_prompt_length(other, 40);
  EXPECT_EQ(other.decoding.stop.max_new_tokens, 50);
  EXPECT_EQ(other.decoding.sampling.rules.max_length, 90);
}

/// Defect: keys of an assistant become another policy, or win over --policy.
TEST(GenerationPlan, TurnsAssistantsIntoPolicies) {
  const auto policy = [](const Line& line) {
    const std::string text = plan_of(line).policy;
    EXPECT_NE(make_policy(text), nullptr);
    return text;
  };
  const std::map<std::string, std::string> tokens{{"num_assistant_tokens", "6"}};
  EXPECT_EQ(policy({{{"do_sample", "true"}}, "ngram"}), "constant:4");
  EXPECT_EQ(policy({tokens, "ngram"}), "confidence:0.4:6");
  EXPECT_EQ(policy({tokens, "prompt_lookup"}), "constant:6");
  EXPECT_EQ(policy({tokens, "none"}), "constant:4");
  EXPECT_EQ(policy({tokens, "ngram", "constant:2"}), "constant:2");
  EXPECT_EQ(policy({{{"assistant_confidence_threshold", "0"}}, "ngram"}), "constant:20");
  EXPECT_EQ(policy({{{"num_assistant_tokens_schedule", "heuristic_transient"}}, "ngram"}),
            "heuristic");
  const auto lookup = plan_of({{{"prompt_lookup_num_tokens", "5"}}});
  EXPECT_EQ(lookup.policy, "constant:5");
  EXPECT_EQ(lookup.decoding.drafter.kind, "prompt_lookup");
  EXPECT_EQ(lookup.decoding.drafter.max_ngram, 2);
  EXPECT_EQ(lookup.mode.kind, DecodingMode::assisted_generation);
  EXPECT_NE(refusal({{{"prompt_lookup_num_tokens", "5"}}, "ngram"}).find("--drafter ngram"),
            std::string::npos);
}

/// Defect: an option of a search is lost, or a mode that is not built runs.
TEST(GenerationPlan, HandsOverSearches) {
  const auto groups = plan_of({{{"num_beams", "4"},
                                {"num_beam_groups", "2"},
                                {"diversity_penalty", "0.5"},
                                {"length_penalty", "-1"},
                                {"early_stopping", "never"},
                                {"num_return_sequences", "3"}}});
  EXPECT_TRUE(groups.needs_search());
  EXPECT_EQ(groups.decoding.search->num_beams, 4);
  EXPECT_EQ(groups.decoding.search->num_beam_groups, 2);
  EXPECT_EQ(groups.decoding.search->diversity_penalty, 0.5);
  EXPECT_EQ(groups.decoding.search->length_penalty, -1);
  EXPECT_EQ(groups.decoding.search->early_stopping, engines::EarlyStopping::never);
  EXPECT_EQ(groups.decoding.search->num_return_sequences, 3);
  EXPECT_EQ(groups.decoding.seed, 7u);
  const auto contrastive = plan_of({{{"penalty_alpha", "0.6"}, {"top_k", "4"}}});
  EXPECT_EQ(contrastive.decoding.search->num_beams, 1);
  EXPECT_EQ(contrastive.decoding.search->penalty_alpha, 0.6);
  EXPECT_EQ(contrastive.decoding.search->top_k, 4);
  const auto drafted = plan_of({{{"num_beams", "4"}}, "ngram", "constant:6"});
  EXPECT_EQ(drafted.decoding.drafter.kind, "ngram");
  EXPECT_EQ(drafted.decoding.search->draft_length, 6);
  EXPECT_EQ(groups.decoding.drafter.kind, "none");
  EXPECT_NE(refusal({{{"num_beams", "4"}}, "mlp_speculator"}).find("states of one text"),
            std::string::npos);
  EXPECT_NE(refusal({{{"num_beams", "4"}}, "ngram", "heuristic"}).find("policy 'heuristic'"),
            std::string::npos);
  EXPECT_TRUE(plan_of({{{"do_sample", "true"}, {"num_return_sequences", "2"}}}).needs_search());
  EXPECT_FALSE(plan_of({{{"do_sample", "true"}}}).needs_search());
  const auto forced = plan_of({{{"num_beams", "4"}, {"force_words_ids", "[[5,6],[[7],[8,9]]]"}}});
  EXPECT_EQ(forced.decoding.search->force_words_ids,
            (std::vector<std::vector<std::vector<Token>>>{{{5, 6}}, {{7}, {8, 9}}}));
  EXPECT_NE(refusal({{{"force_words_ids", "[[5]]"}}}).find("2 beams or more"), std::string::npos);
  EXPECT_NE(refusal({{{"num_beams", "4"}, {"diversity_penalty", "0.5"}}}).find("num_beam_groups"),
            std::string::npos);
}

/// Defect: --explain leaves out a value that decides, or where it comes from.
TEST(Explanation, ShowsWhatDecidesAndWhatIsGiven) {
  const GenerationOptions options{.explain = true,
                                  .given = {{"num_beams", "4"}, {"use_cache", "false"}},
                                  .decoder = {.drafter = {.kind = "ngram"}}};
  const ReadGeneration read = read_generation(options, "").value();
  const KeyValue json = explanation_json(read);
  EXPECT_EQ(json["mode"], "beam_search");
  EXPECT_EQ(json["drafted"], true);
  const KeyValue& values = json["values"];
  EXPECT_EQ(values["num_beams"], KeyValue({{"value", 4}, {"origin", "command line"}}));
  EXPECT_EQ(values["use_cache"], KeyValue({{"value", false}, {"origin", "command line"}}));
  EXPECT_EQ(values["do_sample"], KeyValue({{"value", false}, {"origin", "transformers 4.49"}}));
  EXPECT_EQ(values["max_new_tokens"], KeyValue({{"value", 128}, {"origin", "speclab"}}));
  EXPECT_FALSE(values.contains("temperature"));
  EXPECT_TRUE(explanation_text(read, {}).starts_with("beam_search (drafted)\n"));
}

/// Defect: --explain is silent on the drafts that a call would make, or hides its refusal.
TEST(Explanation, ShowsDraftsAndRefusals) {
  const ExplainedCall drafted{.plan = plan_of({{{"num_beams", "4"}}, "ngram", "constant:6"})};
  const KeyValue drafter{
      {"kind", "ngram"}, {"model", ""}, {"tree", "chain"}, {"policy", "constant:6"}};
  EXPECT_EQ(explained_call_json(drafted), KeyValue({{"drafter", drafter}, {"refusal", nullptr}}));
  const ExplainedCall refused{.refusal = "drafter 'x'; allowed: none"};
  EXPECT_EQ(explained_call_json(refused),
            KeyValue({{"drafter", nullptr}, {"refusal", "drafter 'x'; allowed: none"}}));
}

}  // namespace
}  // namespace speclab::experiments
