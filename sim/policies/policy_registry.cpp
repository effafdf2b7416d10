#include "sim/policies/policy_registry.h"

#include <charconv>

#include "sim/policies/simple_policies.h"
#include "sim/system/errors.h"

namespace speclab {
namespace {

constexpr std::string_view kConstant = "constant:";

[[noreturn]] void refuse(const std::string& text) {
  throw ConfigError("policy = \"" + escaped(text) +
                    "\"; allowed: \"none\", \"constant:N\" with N from 0 to 4095, \"heuristic\", "
                    "\"confidence\", \"confidence:P\" with P from 0 to 1, \"confidence:P:N\" with "
                    "N, the longest, from 1 to 4095, \"tracking\", \"tracking:C\" or "
                    "\"tracking:C:N\" with C, a cost ratio, from 0 to 1, \"auto\"");
}

/// What `digits`, a part of `text`, say.
template <typename Number>
Number argument(const std::string& text, std::string_view digits) {
  Number value{};
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error != std::errc() || end != digits.data() + digits.size()) refuse(text);
  return value;
}

/// @param arguments  the part of `text` behind the name's colon: a number, or a number and the
/// longest length as in P:N
template <typename Policy>
std::unique_ptr<SpeculationLengthPolicy> policy_of_number(const std::string& text,
                                                          std::string_view arguments) {
  const std::size_t colon = arguments.find(':');
  const auto number = argument<double>(text, arguments.substr(0, colon));
  if (colon == std::string_view::npos) return std::make_unique<Policy>(number);
  return std::make_unique<Policy>(number, argument<int>(text, arguments.substr(colon + 1)));
}

}  // namespace

std::unique_ptr<SpeculationLengthPolicy> make_policy(const std::string& text,
                                                     const SpeculationLengthPolicy* auto_policy) {
  constexpr std::string_view kConfidence = "confidence:", kTracking = "tracking:";
  if (text == "none") return std::make_unique<ConstantPolicy>(0);
  if (text == "heuristic") return std::make_unique<HeuristicPolicy>();
  if (text == "confidence") return std::make_unique<ConfidencePolicy>();
  if (text == "tracking") return std::make_unique<TrackingPolicy>();
  if (text.starts_with(kConstant))
    return std::make_unique<ConstantPolicy>(
        argument<int>(text, std::string_view(text).substr(kConstant.size())));
  if (text.starts_with(kConfidence))
    return policy_of_number<ConfidencePolicy>(text,
                                              std::string_view(text).substr(kConfidence.size()));
  if (text.starts_with(kTracking))
    return policy_of_number<TrackingPolicy>(text, std::string_view(text).substr(kTracking.size()));
  if (text != "auto") refuse(text);
  if (auto_policy == nullptr)
    throw ConfigError(
        "policy = \"auto\" needs a measured cost surface, and this command has none; allowed here: "
        "\"none\", \"constant:N\", \"heuristic\", \"confidence:P\", \"tracking:C\"");
  return auto_policy->fresh();
}

bool can_count_nodes(std::string_view text) {
  return text == "none" || text == "heuristic" || text.starts_with(kConstant);
}

}  // namespace speclab
