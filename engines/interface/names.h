#pragma once
// Names that configs and engines share, so that a config can be checked before the engines are
// opened.

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
/// Those of them that draw token trees; the others draft chains.
inline constexpr std::array<const char*, 9> kTreeDrafterKinds{"unigram",
                                                              "bigram",
                                                              "ngram",
                                                              "lookup_ngram",
                                                              "small_transformer",
                                                              "mlp_speculator",
                                                              "feature_transformer",
                                                              "lookup_transformer",
                                                              "mixture"};
/// Those of them that read a model.
inline constexpr std::array<const char*, 8> kModelDrafterKinds{"unigram",
                                                               "bigram",
                                                               "ngram",
                                                               "lookup_ngram",
                                                               "small_transformer",
                                                               "mlp_speculator",
                                                               "feature_transformer",
                                                               "lookup_transformer"};
/// Those of them whose model is a transformer.
inline constexpr std::array<const char*, 3> kTransformerDrafterKinds{
    "small_transformer", "feature_transformer", "lookup_transformer"};
/// Those of them whose model is one of n-grams.
inline constexpr std::array<const char*, 4> kNgramDrafterKinds{"unigram", "bigram", "ngram",
                                                               "lookup_ngram"};
/// Those of them that look up the end of the sequence in the sequence.
inline constexpr std::array<const char*, 3> kLookupDrafterKinds{"prompt_lookup", "lookup_ngram",
                                                                "lookup_transformer"};
/// Those of them that mix what they look up with a model's law.
inline constexpr std::array<const char*, 2> kMixedDrafterKinds{"lookup_ngram",
                                                               "lookup_transformer"};
inline constexpr std::array<const char*, 13> kVerifierKinds{
    "greedy",         "rejection",  "sample_and_match", "point_mass",
    "block",          "tree_naive", "tree_multi_round", "tree_without_replacement",
    "several_drafts", "lenient",    "typical",          "observe",
    "replay"};
/// Those of them that decode for users: `observe` keeps no draft, `replay` needs rounds measured
/// before.
inline constexpr auto kUserVerifierKinds = [] {
  std::array<const char*, kVerifierKinds.size() - 2> kinds{};
  std::copy_n(kVerifierKinds.begin(), kinds.size(), kinds.begin());
  return kinds;
}();
/// Those of them whose output law is the target's.
inline constexpr std::array<const char*, 9> kLosslessVerifierKinds{
    "greedy",     "rejection",        "sample_and_match",         "point_mass",    "block",
    "tree_naive", "tree_multi_round", "tree_without_replacement", "several_drafts"};
/// Those of them for which siblings of a tree are drawn independently; the others take them without
/// replacement.
inline constexpr std::array<const char*, 2> kReplacementVerifierKinds{"tree_multi_round",
                                                                      "several_drafts"};
/// Catalogue names of models with random weights begin so.
inline constexpr const char* kShapeModelPrefix = "shape-";

inline bool is_among(std::string_view name, const auto& names) {
  return std::ranges::find(names, name) != names.end();
}

/// Whether a mixture can have parts of this kind: those that draft and are no mixtures.
inline bool can_be_part(std::string_view kind) {
  return is_among(kind, kDrafterKinds) && kind != "none" && kind != "mixture";
}
inline constexpr std::size_t kMostParts = 16;  ///< of a mixture
/// Whether a part of a mixture can weigh so much.
inline bool is_part_weight(double weight) { return weight >= 1e-6 && weight <= 1e6; }

/// Whether a verifier that users may name leaves the output law as it is; at temperature 0 every
/// one is the match of arg max.
inline bool is_lossless(std::string_view verifier, double temperature) {
  return temperature == 0 || verifier == "observe" || is_among(verifier, kLosslessVerifierKinds);
}

}  // namespace speclab::engines
