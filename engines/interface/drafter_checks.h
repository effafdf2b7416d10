#pragma once
// Whether a drafter can serve: contradictions among options, and drafters that fit no target.

#include <algorithm>
#include <optional>
#include <string>

#include "engines/interface/language_model.h"
#include "engines/interface/names.h"
#include "engines/interface/round_decoder.h"
#include "engines/interface/tokenizer.h"
#include "sim/system/errors.h"

namespace speclab::engines {

/// @throws ConfigError if a known kind, or "plain", is given a tree, a model or parts that it would
/// not use, or a mixture parts that cannot be mixed
inline void check_drafter_options(const DrafterOptions& drafter);

inline void check_part(const DrafterOptions& part) {
  if (!part.traits().can_be_part())
    throw ConfigError(fmt::format(
        "a mixture with the part '{}'; allowed: drafters that draft and are no mixtures: {}",
        escaped(part.kind), drafters_that<&DrafterTraits::can_be_part>()));
  check_drafter_options(part);
  if (part.tree != "chain")
    throw ConfigError(fmt::format(
        "a mixture with a part of tree '{}'; allowed: no tree, because the mixture has one",
        escaped(part.tree)));
  if (part.bridge != "auto")
    throw ConfigError(fmt::format(
        "a mixture with a part of bridge '{}'; allowed: no bridge, because parts share the "
        "target's tokens",
        escaped(part.bridge)));
  if (!is_part_weight(part.weight))
    throw ConfigError(fmt::format("a mixture with the weight {}; allowed: numbers from 1e-6 to 1e6",
                                  part.weight));
}

inline void check_bridge(const DrafterOptions& drafter) {
  if (drafter.bridge == "auto") return;
  if (!is_among(drafter.bridge, kBridgeNames))
    throw ConfigError(fmt::format("bridge '{}'; allowed: auto, {}", escaped(drafter.bridge),
                                  fmt::join(kBridgeNames, ", ")));
  if (!drafter.traits().reads_language_model())
    throw ConfigError(fmt::format(
        "bridge '{}' with drafter '{}'; allowed: a drafter whose model "
        "may have another tokenizer: {}",
        drafter.bridge, drafter.kind, drafters_that<&DrafterTraits::reads_language_model>()));
}

inline void check_parts(const DrafterOptions& drafter) {
  const bool is_mixture = drafter.traits().is_mixture();
  if (!is_mixture && !drafter.parts.empty())
    throw ConfigError(
        fmt::format("drafter '{}' with parts; allowed: parts of a mixture", drafter.kind));
  if (!is_mixture) return;
  if (drafter.parts.size() < 2 || drafter.parts.size() > kMostParts)
    throw ConfigError(
        fmt::format("drafter '{}' with {} parts; allowed: 2 to {}; name them in "
                    "--drafter-parts, or in the parts of a [drafters.NAME]",
                    drafter.kind, drafter.parts.size(), kMostParts));
  for (const DrafterOptions& part : drafter.parts) check_part(part);
}

inline void check_drafter_options(const DrafterOptions& drafter) {
  if (drafter.kind != "plain" && !is_among(drafter.kind, kDrafterKinds))
    throw ConfigError(fmt::format(
        "drafter '{}'; allowed: {}; a language model drafts as small_transformer, with its name or "
        "path as the drafter's model",
        escaped(drafter.kind), fmt::join(kDrafterKinds, ", ")));
  if (drafter.tree != "chain" && !drafter.traits().draws_trees())
    throw ConfigError(fmt::format(
        "tree '{}' with drafter '{}', which drafts chains; allowed: chain, or a "
        "drafter that draws trees: {}",
        escaped(drafter.tree), drafter.kind, drafters_that<&DrafterTraits::draws_trees>()));
  if (!drafter.model.empty() && !drafter.traits().reads_model())
    throw ConfigError(fmt::format(
        "drafter model '{}' with drafter '{}', which reads no model; allowed: no "
        "model, or a drafter that reads one: {}",
        escaped(drafter.model), drafter.kind, drafters_that<&DrafterTraits::reads_model>()));
  check_bridge(drafter);
  check_parts(drafter);
}

/// False if the drafter reads states of one text.
inline bool follows_beams(const DrafterOptions& drafter) {
  if (drafter.traits().is_mixture()) return std::ranges::all_of(drafter.parts, follows_beams);
  return drafter.traits().follows_beams();
}

/// @throws ConfigError for a drafter that reads states of one text, and for one that crosses to
/// another tokenizer
inline void check_beam_drafter(const DrafterOptions& drafter) {
  if (!follows_beams(drafter))
    throw ConfigError(fmt::format(
        "drafter '{}' with beams, which reads states of one text; allowed: none, {}, or a mixture "
        "of these",
        escaped(drafter.kind), drafters_that<&DrafterTraits::follows_beams>()));
  if (drafter.bridge != "auto")
    throw ConfigError(
        fmt::format("bridge '{}' with beams; allowed: none, and a drafter with the target's "
                    "tokenizer",
                    escaped(drafter.bridge)));
}

// Drafters that fit a target, by what is known of both without their weights.

/// A tokenizer and the model whose it is, for messages.
struct NamedTokenizer {
  const Tokenizer& tokenizer;
  std::string model;
};

/// The first id that means another text in the other model. Ids without text, which pad the rows of
/// a model, may differ.
inline std::optional<Token> first_other_token(const Tokenizer& drafter, const Tokenizer& target) {
  const Token size = std::min(drafter.vocab_size(), target.vocab_size());
  for (Token id = 0; id < size; ++id) {
    const std::string drafted = drafter.token_text(id), wanted = target.token_text(id);
    if (!drafted.empty() && !wanted.empty() && drafted != wanted) return id;
  }
  return std::nullopt;
}

/// @throws ConfigError naming both tokenizers and the first id that differs
inline void check_same_vocabulary(const NamedTokenizer& drafter, const NamedTokenizer& target) {
  const std::optional<Token> id = first_other_token(drafter.tokenizer, target.tokenizer);
  if (!id) return;
  throw ConfigError("the drafter's vocabulary is not the target's: id " + std::to_string(*id) +
                    " is '" + escaped(drafter.tokenizer.token_text(*id), 40) +
                    "' in the tokenizer of " + escaped(drafter.model, 100) + " and '" +
                    escaped(target.tokenizer.token_text(*id), 40) + "' in the tokenizer of " +
                    escaped(target.model, 100) +
                    "; allowed: ids that mean the same text; choose a drafter with the target's "
                    "tokenizer; only a small_transformer alone, without beams, crosses to another");
}

/// @param drafter  its name
/// @param found    tokens of its vocabulary
/// @throws ConfigError if the target has another number of them
inline void check_vocabulary(const std::string& drafter, std::int32_t found,
                             const ModelInfo& target) {
  if (found != target.vocab_size)
    throw ConfigError("drafter '" + escaped(drafter) + "' has a vocabulary of " +
                      std::to_string(found) + " tokens; " + target.name + " has " +
                      std::to_string(target.vocab_size) +
                      "; choose a drafter trained for this target: the project's own, taken if no "
                      "drafter model is given, fit smollm2-135m alone");
}

/// The model's vocabulary, and whose hidden states it reads if it reads any.
/// @throws ConfigError if one of them is not the target's
inline void check_base_model(const std::string& drafter, const ModelInfo& model,
                             const ModelInfo& target) {
  check_vocabulary(drafter, model.vocab_size, target);
  if (model.feature_size != 0 && model.feature_size != target.last_state_size() &&
      model.feature_size != target.state_size())
    throw ConfigError("drafter '" + escaped(drafter) + "' reads hidden states of " +
                      std::to_string(model.feature_size) + " values; " + target.name + " has " +
                      std::to_string(target.last_state_size()) +
                      "; choose a drafter trained for this target");
  if (!model.base_sha256.empty() && model.base_sha256 != target.sha256)
    throw ConfigError("drafter '" + escaped(drafter) +
                      "' was trained on the states of a model of SHA-256 " +
                      escaped(model.base_sha256, 64) + "; " + target.name + " has " +
                      target.sha256 + "; choose a drafter trained for this target");
}

}  // namespace speclab::engines
