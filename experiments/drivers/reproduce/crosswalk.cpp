#include "experiments/drivers/reproduce/crosswalk.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <optional>

#include "sim/system/errors.h"

namespace speclab::experiments {
namespace {

using sim::RoundQuantity;

constexpr MetricName kNames[] = {
    {"speclab.tokens_per_round", RoundQuantity::tokens_per_round,
     "accepted drafts and the recovered or bonus token, a round", "results/TABLES.md"},
    {"speclab.accepted_per_round", RoundQuantity::accepted_per_round, "accepted drafts, a round",
     "sim/analytic/metrics.h"},
    {"speclab.accepted_fraction", RoundQuantity::accepted_fraction, "accepted / drafted",
     "results/TABLES.md"},
    {"speclab.acceptance_rate", RoundQuantity::acceptance_rate,
     "accepted / tested: alpha of Leviathan et al.", "results/TABLES.md"},
    {"speclab.round_hit_rate", RoundQuantity::round_hit_rate, "rounds that accept a draft / rounds",
     "sim/analytic/metrics.h"},
    {"vllm.mean_acceptance_length", RoundQuantity::tokens_per_round,
     "1 + accepted / drafts; with the bonus token since May 2025", "vLLM #17908"},
    {"vllm_before_17908.mean_acceptance_length", RoundQuantity::accepted_per_round,
     "accepted / drafts; without the bonus token", "vLLM #17908"},
    {"vllm.draft_acceptance_rate", RoundQuantity::accepted_fraction, "accepted / drafted tokens",
     "vLLM documentation, acceptance metrics"},
    {"vllm.acceptance_rate_at_position_0", RoundQuantity::round_hit_rate,
     "rounds that accept the first draft / rounds", "vLLM documentation, acceptance metrics"},
    {"sglang.spec_accept_length", RoundQuantity::tokens_per_round,
     "completion tokens / verifications; with the bonus token", "SGLang #3152, #33518"},
    {"sglang.spec_accept_rate", RoundQuantity::accepted_fraction, "correct / proposed drafts",
     "SGLang #11441, #33518"},
    {"tensorrt_llm.acceptance_length", RoundQuantity::tokens_per_round,
     "output tokens / decoding iterations; with the bonus token", "TensorRT-LLM #14724"},
    {"tensorrt_llm.draft_acceptance_rate", RoundQuantity::accepted_fraction,
     "accepted / drafted tokens", "TensorRT-LLM #14724"},
    {"trtllm_bench.acceptance_rate", RoundQuantity::tokens_per_round,
     "output tokens / decoding iterations: a length, whatever its name", "TensorRT-LLM #14724"},
    {"eagle.acceptance_length", RoundQuantity::tokens_per_round,
     "accepted + 1, a round: tau of the papers; trees", "EAGLE #146, #195"},
    {"eagle.n_alpha", RoundQuantity::acceptance_rate, "accepted / tested of chain drafts",
     "EAGLE #147, #169"},
    {"spec_bench.mean_accepted_tokens", RoundQuantity::tokens_per_round,
     "tokens a round; with the bonus token", "Spec-Bench; EAGLE #95"},
    {"hugging_face.n_matches", RoundQuantity::accepted_per_round,
     "matches a round; without the bonus token", "transformers, assisted generation"},
    {"llama_cpp.mean_acceptance_length", RoundQuantity::tokens_per_round,
     "1 + accepted / drafts; with the bonus token", "llama.cpp #24536"},
    {"llama_cpp.draft_acceptance", RoundQuantity::accepted_fraction, "accepted / drafted tokens",
     "llama.cpp #24536"},
    {"ntt.acceptance_rate", RoundQuantity::round_hit_rate, "rounds that accept a draft / rounds",
     "ntt2023"},
};

/// What people write without saying whose it is.
constexpr std::array kLengthWords{
    "acceptance_length",    "mean_acceptance_length", "accept_length",      "accepted_length",
    "mean_accepted_tokens", "accepted_tokens",        "spec_accept_length", "tau"};
constexpr std::array kRateWords{
    "acceptance_rate",  "accept_rate", "spec_accept_rate", "draft_acceptance_rate", "acceptance",
    "draft_acceptance", "alpha"};

enum class Word { length, rate };

bool is_rate(RoundQuantity quantity) {
  return quantity != RoundQuantity::tokens_per_round &&
         quantity != RoundQuantity::accepted_per_round;
}

[[noreturn]] void throw_ambiguous(const std::string& name, Word word) {
  std::string meanings;
  for (const MetricName& known : kNames) {
    const bool is_named_so = std::string_view(known.name).ends_with("." + name);
    if (is_named_so || is_rate(known.quantity) == (word == Word::rate))
      meanings += fmt::format("\n  {:42} {}", known.name, known.definition);
  }
  throw AmbiguousError(
      fmt::format("--metric {}: ambiguous, because papers and servers count it differently; name "
                  "one of them:{}",
                  escaped(name, 60), meanings));
}

double number_of(const std::string& setting, const std::string& text) {
  double value = 0.0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(value))
    throw ConfigError(fmt::format("--metric {}; allowed: NAME=NUMBER", escaped(setting, 80)));
  return value;
}

/// What was typed.
struct Request {
  const MetricName* name = nullptr;
  double value = 0.0;
  std::optional<int> drafted{};
  bool is_tree = false;
};

int whole(const std::string& setting, double value) {
  if (value < 1 || value > 4096 || value != std::floor(value))
    throw ConfigError(
        fmt::format("--metric {}; allowed: integers from 1 to 4096", escaped(setting, 80)));
  return static_cast<int>(value);
}

void take(const std::string& setting, Request& request) {
  const std::size_t equals = setting.find('=');
  if (equals == std::string::npos)
    throw ConfigError(fmt::format("--metric {}; allowed: NAME=NUMBER", escaped(setting, 80)));
  const std::string name = setting.substr(0, equals);
  const double value = number_of(setting, setting.substr(equals + 1));
  if (name == "speculation_length" || name == "drafted_nodes") {
    if (request.drafted)
      throw ConfigError(
          "--metric: speculation_length (for chains) and drafted_nodes (for trees) mean the same "
          "number; give one, once");
    request.drafted = whole(setting, value);
    request.is_tree = name == "drafted_nodes";
    return;
  }
  if (request.name)
    throw ConfigError(
        fmt::format("--metric {}: one number is converted at a time; {} is given already",
                    escaped(setting, 80), request.name->name));
  request.name = &metric_name(name);
  request.value = value;
}

Request request_of(const std::vector<std::string>& settings) {
  Request request;
  for (const std::string& setting : settings) take(setting, request);
  if (!request.name)
    throw ConfigError(
        "--metric: nothing to convert; give NAME=NUMBER, as in vllm.mean_acceptance_length=2.25");
  if (!request.drafted)
    throw AmbiguousError(
        "--metric: ambiguous without the number of drafts; give speculation_length=N for chains or "
        "drafted_nodes=N, root not counted, for trees");
  return request;
}

bool needs_a_chain(RoundQuantity quantity) {
  return quantity == RoundQuantity::acceptance_rate || quantity == RoundQuantity::round_hit_rate;
}

/// Whether rounds of that many drafts can have the number. @throws ConfigError
void check_range(const Request& request) {
  const RoundQuantity quantity = request.name->quantity;
  const double low = quantity == RoundQuantity::tokens_per_round ? 1.0 : 0.0;
  const double high = is_rate(quantity) ? 1.0 : low + *request.drafted;
  if (request.value < low || request.value > high)
    throw ConfigError(fmt::format(
        "--metric {}={}; allowed: {} to {} ({}) where {} tokens are drafted", request.name->name,
        request.value, low, high, request.name->definition, *request.drafted));
  if (request.is_tree && needs_a_chain(quantity))
    throw ConfigError(
        fmt::format("--metric {} is of chains; drafted_nodes is of trees: give speculation_length",
                    request.name->name));
}

}  // namespace

std::span<const MetricName> metric_names() { return kNames; }

const MetricName& metric_name(const std::string& name) {
  for (const MetricName& known : kNames)
    if (name == known.name || "speclab." + name == known.name)
      if (std::ranges::find(kRateWords, name) == kRateWords.end()) return known;
  if (std::ranges::find(kLengthWords, name) != kLengthWords.end())
    throw_ambiguous(name, Word::length);
  if (std::ranges::find(kRateWords, name) != kRateWords.end()) throw_ambiguous(name, Word::rate);
  std::string names;
  for (const MetricName& known : kNames)
    names += (names.empty() ? "" : ", ") + std::string(known.name);
  throw ConfigError(
      fmt::format("--metric {}: no such metric; allowed: {}", escaped(name, 60), names));
}

std::vector<ConvertedMetric> convert_metrics(const std::vector<std::string>& settings) {
  const Request request = request_of(settings);
  check_range(request);
  std::vector<ConvertedMetric> converted;
  for (const MetricName& name : kNames) {
    if (request.is_tree && needs_a_chain(name.quantity)) continue;
    converted.push_back({&name,
                         sim::convert_round_quantity(request.value, request.name->quantity,
                                                     name.quantity, *request.drafted),
                         sim::assumes_independence(request.name->quantity, name.quantity)});
  }
  return converted;
}

}  // namespace speclab::experiments
