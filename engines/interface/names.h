#pragma once
// Drafters, verifiers, bridges and trainers by name, each a row of what configs and engines ask of
// it. A config can thus be checked before the engines are opened.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <ranges>
#include <string>
#include <string_view>

namespace speclab::engines {

/// Sources of the law of a drafter.
enum class LawSource {
  nothing,
  ngrams,
  language_model,  ///< a transformer that reads tokens alone; its tokenizer may be another
  feature_layers,  ///< a transformer that reads the target's hidden states
  stages,          ///< an MLP speculator, which reads them too
  parts            ///< other drafters
};

constexpr bool reads_hidden_states(LawSource source) {
  return source == LawSource::feature_layers || source == LawSource::stages;
}

struct DrafterTraits {
  const char* name = "";
  LawSource law = LawSource::nothing;
  const char* model = "";  ///< the project's, which it reads if none is named
  bool looks_up = false;   ///< copies what followed the sequence's last tokens before
  std::int32_t order = 0;  ///< its n-grams have it; 0: any

  constexpr bool drafts() const { return looks_up || draws_trees(); }
  /// Trees need a law; the others draft chains.
  constexpr bool draws_trees() const { return law != LawSource::nothing; }
  constexpr bool is_mixture() const { return law == LawSource::parts; }
  constexpr bool can_be_part() const { return drafts() && !is_mixture(); }
  constexpr bool reads_model() const { return draws_trees() && !is_mixture(); }
  constexpr bool reads_ngrams() const { return law == LawSource::ngrams; }
  constexpr bool reads_stages() const { return law == LawSource::stages; }
  constexpr bool reads_language_model() const { return law == LawSource::language_model; }
  constexpr bool reads_transformer() const {
    return reads_language_model() || law == LawSource::feature_layers;
  }
  /// It runs layers of a network; a mixture runs those of its parts.
  constexpr bool reads_layers() const { return reads_transformer() || reads_stages(); }
  /// A copy may stand beside a transformer that reads none.
  constexpr bool needs_states() const { return reads_hidden_states(law) && !looks_up; }
  /// Drafts are copies alone.
  constexpr bool only_looks_up() const { return looks_up && !draws_trees(); }
  /// A looked-up copy is mixed with the law of a model.
  constexpr bool mixes_copies() const { return looks_up && draws_trees(); }
  /// It takes any text, whichever beam it was before.
  constexpr bool follows_beams() const { return can_be_part() && !reads_hidden_states(law); }
};

inline constexpr const char* kMlpSpeculatorKind = "mlp_speculator";
inline constexpr auto kDrafters = [] {
  using enum LawSource;
  return std::array<DrafterTraits, 11>{{
      {.name = "none"},
      {.name = "unigram", .law = ngrams, .model = "smollm2-unigram", .order = 1},
      {.name = "bigram", .law = ngrams, .model = "smollm2-bigram", .order = 2},
      {.name = "ngram", .law = ngrams, .model = "smollm2-5gram"},
      {.name = "prompt_lookup", .looks_up = true},
      {.name = "lookup_ngram", .law = ngrams, .model = "smollm2-5gram", .looks_up = true},
      {.name = "small_transformer", .law = language_model, .model = "smollm2-drafter"},
      {.name = kMlpSpeculatorKind, .law = stages, .model = "smollm2-mlp"},
      {.name = "feature_transformer", .law = feature_layers, .model = "smollm2-feature"},
      {.name = "lookup_transformer",
       .law = feature_layers,
       .model = "smollm2-feature",
       .looks_up = true},
      {.name = "mixture", .law = parts},
  }};
}();

/// How the drafts of a model cross to a target with another tokenizer: its text is decoded and
/// encoded again, whole or the last of it; or only tokens that both have are drafted, with the
/// whole head or its rows of those.
struct BridgeTraits {
  const char* name = "";
  bool spells_anew = false;
  bool looks_behind = false;  ///< spells the last tokens alone
  bool trims_head = false;
};
inline constexpr std::array<BridgeTraits, 4> kBridges{{
    {.name = "re_encode", .spells_anew = true},
    {.name = "look_behind", .spells_anew = true, .looks_behind = true},
    {.name = "intersection"},
    {.name = "trimmed_intersection", .trims_head = true},
}};

struct VerifierTraits {
  const char* name = "";
  bool keeps_law = false;              ///< the target's, at every temperature
  bool takes_trees = true;             ///< else chains alone
  bool samples_independently = false;  ///< siblings; the others take them drawn without replacement
  bool is_for_users = true;  ///< `observe` keeps no draft, and `replay` needs measured rounds

  constexpr bool is_lossless_rule() const { return keeps_law && is_for_users; }
};
inline constexpr std::array<VerifierTraits, 13> kVerifiers{{
    {.name = "greedy", .keeps_law = true},
    {.name = "rejection", .keeps_law = true},
    {.name = "sample_and_match", .keeps_law = true},
    {.name = "point_mass", .keeps_law = true},
    {.name = "block", .keeps_law = true, .takes_trees = false},
    {.name = "tree_naive", .keeps_law = true},
    {.name = "tree_multi_round", .keeps_law = true, .samples_independently = true},
    {.name = "tree_without_replacement", .keeps_law = true},
    {.name = "several_drafts", .keeps_law = true, .samples_independently = true},
    {.name = "lenient"},
    {.name = "typical"},
    {.name = "observe", .keeps_law = true, .is_for_users = false},
    {.name = "replay", .is_for_users = false},
}};

/// Values of drafter.kind in a training config.
struct TrainerTraits {
  const char* name = "";
  LawSource makes = LawSource::nothing;
  bool has_target = true;

  constexpr bool counts() const { return makes == LawSource::ngrams; }
  constexpr bool steps() const { return !counts(); }
  constexpr bool makes_small_transformer() const { return makes == LawSource::language_model; }
  constexpr bool is_small_drafter() const { return makes_small_transformer() && has_target; }
  constexpr bool makes_feature_layers() const { return makes == LawSource::feature_layers; }
  constexpr bool makes_stages() const { return makes == LawSource::stages; }
  constexpr bool reads_states() const { return reads_hidden_states(makes); }
  /// It learns from stretches of text files.
  constexpr bool cuts_text() const { return reads_states() || !has_target; }
};
inline constexpr std::array<TrainerTraits, 5> kTrainers{{
    {.name = "ngram", .makes = LawSource::ngrams},
    {.name = "small_transformer", .makes = LawSource::language_model},
    {.name = "feature_transformer", .makes = LawSource::feature_layers},
    {.name = kMlpSpeculatorKind, .makes = LawSource::stages},
    {.name = "language_model", .makes = LawSource::language_model, .has_target = false},
}};

struct AnyRow {
  constexpr bool operator()(const auto&) const { return true; }
};
/// Names of the rows for which the answer is yes, in their order.
template <const auto& Rows, auto Question = AnyRow{}>
inline constexpr auto kNamesOf = [] {
  std::array<const char*, static_cast<std::size_t>(std::ranges::count_if(Rows, Question))> names{};
  auto name = names.begin();
  for (const auto& row : Rows)
    if (std::invoke(Question, row)) *name++ = row.name;
  return names;
}();
/// Kinds of drafters, for messages.
template <auto Question>
std::string drafters_that() {
  return fmt::format("{}", fmt::join(kNamesOf<kDrafters, Question>, ", "));
}

inline constexpr auto kDrafterKinds = kNamesOf<kDrafters>;
inline constexpr auto kBridgeNames = kNamesOf<kBridges>;
inline constexpr auto kVerifierKinds = kNamesOf<kVerifiers>;
inline constexpr auto kUserVerifierKinds = kNamesOf<kVerifiers, &VerifierTraits::is_for_users>;
inline constexpr auto kLosslessVerifierKinds =
    kNamesOf<kVerifiers, &VerifierTraits::is_lossless_rule>;
inline constexpr auto kTrainedDrafterKinds = kNamesOf<kTrainers>;

/// The row of a name; one without traits if there is none.
constexpr auto row_of(const auto& rows, std::string_view name) {
  using Row = std::ranges::range_value_t<decltype(rows)>;
  const auto found = std::ranges::find(rows, name, &Row::name);
  return found == rows.end() ? Row{} : *found;
}
constexpr DrafterTraits drafter_traits(std::string_view kind) { return row_of(kDrafters, kind); }
constexpr BridgeTraits bridge_traits(std::string_view name) { return row_of(kBridges, name); }
constexpr VerifierTraits verifier_traits(std::string_view kind) { return row_of(kVerifiers, kind); }
constexpr TrainerTraits trainer_traits(std::string_view kind) { return row_of(kTrainers, kind); }

/// Prefix of the catalogue names of models with random weights.
inline constexpr const char* kShapeModelPrefix = "shape-";
/// Prefix of the names of the default model in the sizes of a larger one.
inline constexpr const char* kWidenedModelPrefix = "widened:";

inline bool is_among(std::string_view name, const auto& names) {
  return std::ranges::find(names, name) != names.end();
}
inline constexpr std::size_t kMostParts = 16;  ///< parts of a mixture
/// True if a part of a mixture may have this weight.
inline bool is_part_weight(double weight) { return weight >= 1e-6 && weight <= 1e6; }

/// True if the verifier keeps the target's law. At temperature 0 every verifier does: each accepts
/// exactly the arg max.
inline bool is_lossless(std::string_view verifier, double temperature) {
  return temperature == 0 || verifier_traits(verifier).keeps_law;
}

}  // namespace speclab::engines
