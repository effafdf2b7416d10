#pragma once
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "engines/interface/engines.h"
#include "engines/interface/text_constraint.h"

namespace speclab::experiments {

/// What the text has to match; at most one of them.
struct ConstraintOptions {
  std::optional<std::string> regex{};
  std::optional<std::string> json_schema{};  ///< a file
};

/// The constraint of a call; null if the options name none.
/// @throws ConfigError, also about the file
std::shared_ptr<const engines::TextConstraint> read_constraint(const ConstraintOptions& options);

/// The mask of a model's tokens.
/// @param stop  whose ends count; the tokenizer's if it has none
/// @throws ConfigError if the model has no tokenizer, or if ends are ignored
std::shared_ptr<const engines::TokenMask> mask_of(const engines::TextConstraint& constraint,
                                                  const engines::LoadedModel& loaded,
                                                  const engines::StopOptions& stop);

/// Adds keys `constraint` and `constraint_met` to every text of what --json prints; of a text that
/// does not match, standard error tells it.
void add_constraint(const ConstraintOptions& options, const engines::TextConstraint& constraint,
                    const engines::Tokenizer& tokenizer, nlohmann::ordered_json& result);

}  // namespace speclab::experiments
