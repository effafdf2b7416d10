#include "sim/core/policies/policy_registry.h"

#include <charconv>
#include <string_view>

#include "sim/core/errors.h"
#include "sim/core/policies/confidence_policy.h"
#include "sim/core/policies/constant_policy.h"
#include "sim/core/policies/heuristic_policy.h"

namespace speclab {
namespace {

[[noreturn]] void refuse(const std::string& text) {
  throw ConfigError("policy = \"" + escaped(text) + "\"; allowed: \"none\", \"constant:N\" with N from 0 to 4095, \"heuristic\", \"confidence\", \"confidence:P\" with P from 0 to 1, \"auto\"");
}

/// The number behind the colon of `text`, which begins with `name`.
template <typename Number>
Number argument(const std::string& text, std::string_view name) {
  const std::string_view digits = std::string_view(text).substr(name.size());
  Number value{};
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error != std::errc() || end != digits.data() + digits.size()) refuse(text);
  return value;
}

}  // namespace

std::unique_ptr<SpeculationLengthPolicy> make_policy(const std::string& text, const SpeculationLengthPolicy* auto_policy) {
  constexpr std::string_view kConstant = "constant:", kConfidence = "confidence:";
  if (text == "none") return std::make_unique<ConstantPolicy>(0);
  if (text == "heuristic") return std::make_unique<HeuristicPolicy>();
  if (text == "confidence") return std::make_unique<ConfidencePolicy>();
  if (text.starts_with(kConstant)) return std::make_unique<ConstantPolicy>(argument<int>(text, kConstant));
  if (text.starts_with(kConfidence)) return std::make_unique<ConfidencePolicy>(argument<double>(text, kConfidence));
  if (text != "auto") refuse(text);
  if (auto_policy == nullptr)
    throw ConfigError("policy = \"auto\" needs a measured cost surface, which this command has not; allowed here: \"none\", \"constant:N\", \"heuristic\", \"confidence:P\"");
  return auto_policy->fresh();
}

}  // namespace speclab
