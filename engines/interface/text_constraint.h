#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "engines/interface/token_mask.h"
#include "engines/interface/tokenizer.h"

namespace speclab::engines {

/// Tokens that a mask is made of.
struct MaskVocabulary {
  std::shared_ptr<const Tokenizer> tokenizer;
  std::int32_t size = 0;      ///< of a model's logits; ids that the tokenizer lacks never follow
  std::vector<Token> ends{};  ///< that end a text; empty: the tokenizer's
};

/// A language that whole texts belong to.
class TextConstraint {
 public:
  virtual ~TextConstraint() = default;
  /// @param text  without an end
  virtual bool matches(std::string_view text) const = 0;
  /// @throws ConfigError if there is no end, or if the tokenizer changes texts where tokens meet
  virtual std::shared_ptr<const TokenMask> mask(const MaskVocabulary& vocabulary) const = 0;
};

/// Texts that match a regular expression from their beginning to their end.
/// @throws ConfigError with the place of what is not supported; if no text matches, or the
/// expression is too large
std::shared_ptr<const TextConstraint> regex_constraint(std::string_view regex);

/// JSON texts that a JSON schema takes, with at most one blank behind each comma and colon and none
/// elsewhere.
/// @param name  of the schema's file, for messages
/// @throws ConfigError with the path of what is not supported or contradicts itself
std::shared_ptr<const TextConstraint> json_schema_constraint(std::string_view schema,
                                                             const std::string& name);

}  // namespace speclab::engines
