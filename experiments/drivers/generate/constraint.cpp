#include "experiments/drivers/generate/constraint.h"

#include <fmt/format.h>

#include "sim/system/errors.h"
#include "sim/system/files.h"

namespace speclab::experiments {
namespace {

using nlohmann::ordered_json;

std::string schema_text(const std::string& path) {
  try {
    return read_file(path);
  } catch (const DataError& error) {
    throw ConfigError(fmt::format("--json-schema: {}", error.what()));
  }
}

/// The bytes that the constraint speaks of: no end, and nothing from a stop string on.
std::string decoded(const engines::Tokenizer& tokenizer, const ordered_json& one, const char* ids) {
  if (one["stop_reason"] == "stop_string") return one["text"].get<std::string>();
  auto tokens = one[ids].get<std::vector<Token>>();
  if (one["stop_reason"] == "end_of_sequence") tokens.pop_back();
  return tokenizer.decode(tokens);
}

/// @param ids  key of the text's tokens
void add_met(const engines::TextConstraint& constraint, const engines::Tokenizer& tokenizer,
             const char* ids, ordered_json& one) {
  const bool is_met = constraint.matches(decoded(tokenizer, one, ids));
  one["constraint_met"] = is_met;
  if (!is_met)
    fmt::print(stderr, "speclab: a text ended ({0}) before it met the constraint; {1}\n",
               one["stop_reason"].get<std::string>(),
               advice_for(one["stop_reason"].get<std::string>()));
}

}  // namespace

const char* advice_for(const std::string& stop_reason) {
  if (stop_reason == "length") return "give more --max-new-tokens";
  return stop_reason == "time" ? "give more --max-time" : "take another --stop";
}

GivenConstraint read_constraint(const ConstraintOptions& options) {
  if (options.regex)
    return {engines::regex_constraint(*options.regex), ordered_json{{"regex", *options.regex}}};
  if (!options.json_schema) return {};
  const std::string schema = schema_text(*options.json_schema);
  return {engines::json_schema_constraint(schema, *options.json_schema),
          ordered_json{{"json_schema", ordered_json::parse(schema)}}};
}

std::shared_ptr<const engines::TokenMask> mask_of(const engines::TextConstraint& constraint,
                                                  const engines::LoadedModel& loaded,
                                                  const engines::StopOptions& stop) {
  if (!loaded.tokenizer)
    throw ConfigError(
        "--regex or --json-schema with a model that has no tokenizer; allowed: models with one, "
        "because a constraint speaks of texts");
  return constraint.mask({loaded.tokenizer, loaded.model->info().vocab_size,
                          stop.eos_token_ids.value_or(std::vector<Token>{})});
}

void add_constraint(const GivenConstraint& given, const engines::Tokenizer& tokenizer,
                    ordered_json& result) {
  for (const char* decoding : {"plain", "speculative"})
    if (result.contains(decoding)) add_constraint(given, tokenizer, result[decoding]);
  if (!result.contains("output_ids")) return;
  result["constraint"] = given.json;
  const engines::TextConstraint& constraint = *given.constraint;
  if (!result.contains("sequences")) return add_met(constraint, tokenizer, "output_ids", result);
  for (ordered_json& one : result["sequences"]) add_met(constraint, tokenizer, "ids", one);
  result["constraint_met"] = result["sequences"][0]["constraint_met"];
}

}  // namespace speclab::experiments
