#pragma once
// Names that configs and engines share. A config can thus be checked before the engines are opened.

#include <algorithm>
#include <array>
#include <string_view>

namespace speclab::engines {

inline constexpr std::array<const char*, 11> kDrafterKinds{"none",
                                                           "unigram",
                                                           "bigram",
                                                           "ngram",
                                                           "prompt_lookup",
                                                           "lookup_ngram",
                                                           "small_transformer",
                                                           "mlp_speculator",
                                                           "feature_transformer",
                                                           "lookup_transformer",
                                                           "mixture"};
/// Drafters that draw token trees; the others draft chains.
inline constexpr std::array<const char*, 9> kTreeDrafterKinds{"unigram",
                                                              "bigram",
                                                              "ngram",
                                                              "lookup_ngram",
                                                              "small_transformer",
                                                              "mlp_speculator",
                                                              "feature_transformer",
                                                              "lookup_transformer",
                                                              "mixture"};
/// Drafters that read a model.
inline constexpr std::array<const char*, 8> kModelDrafterKinds{"unigram",
                                                               "bigram",
                                                               "ngram",
                                                               "lookup_ngram",
                                                               "small_transformer",
                                                               "mlp_speculator",
                                                               "feature_transformer",
                                                               "lookup_transformer"};
/// Drafters whose model is a transformer.
inline constexpr std::array<const char*, 3> kTransformerDrafterKinds{
    "small_transformer", "feature_transformer", "lookup_transformer"};
/// Drafters whose model may have another tokenizer than the target.
inline constexpr std::array<const char*, 1> kBridgedDrafterKinds{"small_transformer"};
/// How the drafts of a model cross to a target with another tokenizer: its text is decoded and
/// encoded again, whole or the last of it; or only tokens that both have are drafted, with the
/// whole head or its rows of those.
inline constexpr std::array<const char*, 4> kBridges{"re_encode", "look_behind", "intersection",
                                                     "trimmed_intersection"};
/// Drafters whose model consists of n-grams.
inline constexpr std::array<const char*, 4> kNgramDrafterKinds{"unigram", "bigram", "ngram",
                                                               "lookup_ngram"};
/// Drafters that search the sequence for its own last tokens.
inline constexpr std::array<const char*, 3> kLookupDrafterKinds{"prompt_lookup", "lookup_ngram",
                                                                "lookup_transformer"};
/// Drafters that mix a looked-up copy with a model's law.
inline constexpr std::array<const char*, 2> kMixedDrafterKinds{"lookup_ngram",
                                                               "lookup_transformer"};
inline constexpr std::array<const char*, 13> kVerifierKinds{
    "greedy",         "rejection",  "sample_and_match", "point_mass",
    "block",          "tree_naive", "tree_multi_round", "tree_without_replacement",
    "several_drafts", "lenient",    "typical",          "observe",
    "replay"};
/// Verifiers that users may name. Of the other two, `observe` keeps no draft, and `replay` needs
/// measured rounds.
inline constexpr auto kUserVerifierKinds = [] {
  std::array<const char*, kVerifierKinds.size() - 2> kinds{};
  std::copy_n(kVerifierKinds.begin(), kinds.size(), kinds.begin());
  return kinds;
}();
/// Verifiers that keep the target's law.
inline constexpr std::array<const char*, 9> kLosslessVerifierKinds{
    "greedy",     "rejection",        "sample_and_match",         "point_mass",    "block",
    "tree_naive", "tree_multi_round", "tree_without_replacement", "several_drafts"};
/// Verifiers that need siblings drawn independently; the others take them drawn without
/// replacement.
inline constexpr std::array<const char*, 2> kReplacementVerifierKinds{"tree_multi_round",
                                                                      "several_drafts"};
/// Prefix of the catalogue names of models with random weights.
inline constexpr const char* kShapeModelPrefix = "shape-";

inline bool is_among(std::string_view name, const auto& names) {
  return std::ranges::find(names, name) != names.end();
}

/// True if a mixture can have parts of this kind: any kind that drafts and is no mixture.
inline bool can_be_part(std::string_view kind) {
  return is_among(kind, kDrafterKinds) && kind != "none" && kind != "mixture";
}
inline constexpr std::size_t kMostParts = 16;  ///< parts of a mixture
/// True if a part of a mixture may have this weight.
inline bool is_part_weight(double weight) { return weight >= 1e-6 && weight <= 1e6; }

/// True if the verifier keeps the target's law. At temperature 0 every verifier does: each accepts
/// exactly the arg max.
inline bool is_lossless(std::string_view verifier, double temperature) {
  return temperature == 0 || verifier == "observe" || is_among(verifier, kLosslessVerifierKinds);
}

}  // namespace speclab::engines
