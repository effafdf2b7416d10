#include "engines/interface/text_constraint.h"

#include <fmt/format.h>

#include "engines/constraints/automaton_mask.h"
#include "engines/constraints/json_schema.h"
#include "engines/constraints/regex_reader.h"
#include "sim/system/errors.h"

namespace speclab::engines {
namespace {

/// Ends of a text, by what the vocabulary says of them.
std::vector<Token> ends_of_text(const MaskVocabulary& vocabulary) {
  std::vector<Token> ends = vocabulary.ends;
  for (Token token = 0; vocabulary.ends.empty() && token < vocabulary.size; ++token)
    if (vocabulary.tokenizer->is_end_of_sequence(token)) ends.push_back(token);
  for (const Token end : ends)
    if (end < 0 || end >= vocabulary.size)
      throw ConfigError(
          fmt::format("a constraint with the end {}; allowed: 0 to {}", end, vocabulary.size - 1));
  if (ends.empty())
    throw ConfigError(
        "a constraint, and neither the tokenizer nor eos_token_id names an end; allowed: at least "
        "one, so that a text can stop where the constraint is met");
  return ends;
}

class AutomatonConstraint final : public TextConstraint {
 public:
  explicit AutomatonConstraint(std::shared_ptr<const Automaton> automaton)
      : automaton_(std::move(automaton)) {}

  bool matches(std::string_view text) const override { return automaton_->matches(text); }
  std::shared_ptr<const TokenMask> mask(const MaskVocabulary& vocabulary) const override {
    SPECLAB_EXPECT(vocabulary.tokenizer, "a mask of tokens with texts");
    return std::make_shared<AutomatonMask>(
        automaton_, spellings_of(*vocabulary.tokenizer, vocabulary.size), ends_of_text(vocabulary));
  }

 private:
  std::shared_ptr<const Automaton> automaton_;
};

std::shared_ptr<const TextConstraint> constraint_of(const Expression& expression,
                                                    const std::string& name) {
  return std::make_shared<AutomatonConstraint>(std::make_shared<Automaton>(expression, name));
}

}  // namespace

std::shared_ptr<const TextConstraint> regex_constraint(std::string_view regex) {
  const std::string name = fmt::format("the regular expression '{}'", escaped(regex, 80));
  return constraint_of(read_regex(regex, RegexUse::whole_text, name), name);
}

std::shared_ptr<const TextConstraint> json_schema_constraint(std::string_view schema,
                                                             const std::string& name) {
  return constraint_of(read_json_schema(schema, name),
                       fmt::format("the JSON schema {}", escaped(name, kLongestPath)));
}

}  // namespace speclab::engines
