#pragma once
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "engines/interface/engines.h"
#include "engines/interface/text_constraint.h"

namespace speclab::experiments {

/// A regular expression or a schema that the text has to match; at most one of them.
struct ConstraintOptions {
  std::optional<std::string> regex{};
  std::optional<std::string> json_schema{};  ///< a file
  bool masking_shift = false;                ///< estimate it from drawn texts

  bool any() const { return regex || json_schema; }
};

struct GivenConstraint {
  std::shared_ptr<const engines::TextConstraint> constraint{};  ///< null: any text
  nlohmann::ordered_json json{};                                ///< key `constraint` of --json
};

/// The constraint of a call. @throws ConfigError, also about the file
GivenConstraint read_constraint(const ConstraintOptions& options);

/// The mask of a model's tokens.
/// @param stop  whose ends count; the tokenizer's if it has none
/// @throws ConfigError if the model has no tokenizer, or if ends are ignored
std::shared_ptr<const engines::TokenMask> mask_of(const engines::TextConstraint& constraint,
                                                  const engines::LoadedModel& loaded,
                                                  const engines::StopOptions& stop);

/// The way out for a text that ended so before it met its constraint.
const char* advice_for(const std::string& stop_reason);

/// Adds keys `constraint` and `constraint_met` to every text of what --json prints; of a text that
/// does not match, standard error tells it.
void add_constraint(const GivenConstraint& given, const engines::Tokenizer& tokenizer,
                    nlohmann::ordered_json& result);

}  // namespace speclab::experiments
