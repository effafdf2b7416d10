#include "experiments/drivers/commands/commands.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>

#include "engines/interface/sampling_rows.h"
#include "experiments/drivers/program/engines_loader.h"
#include "experiments/drivers/program/standard_input.h"
#include "sim/system/errors.h"

namespace speclab::experiments {
namespace {

/// One line being read: takes the keys it knows, then complains about the others.
class LawRequest {
 public:
  LawRequest(const std::string& line, std::size_t number)
      : number_(number), left_(parse_json_line(line, number, "one JSON object a line")) {
    if (!left_.is_object())
      throw ConfigError(fmt::format("standard input:{}: a JSON {}; allowed: a JSON object", number,
                                    left_.type_name()));
    read_logits();
    read("previous_ids", previous_ids);
    read_eos();
    read("temperature", options.temperature);
    engines::visit_sampling(options, [this](const char* name, auto& value) { read(name, value); });
    if (!left_.empty())
      refuse("unknown key " + left_.begin().key(), fmt::format("{}", fmt::join(law_keys(), ", ")));
    check_ids(previous_ids, "previous_ids");
    check_ids(options.suppress_tokens, "suppress_tokens");
    check_ids(options.eos_token_ids, "eos_token_id");
  }

  engines::SamplingOptions options;
  std::vector<double> logits;
  std::vector<Token> previous_ids;

 private:
  [[noreturn]] void refuse(const std::string& key, const std::string& allowed) const {
    throw ConfigError(
        fmt::format("standard input:{}: {}; allowed: {}", number_, escaped(key, 60), allowed));
  }

  /// Takes the key out; null where it is missing or null, which is generate()'s way to say off.
  nlohmann::json take(const std::string& key) {
    const auto found = left_.find(key);
    if (found == left_.end()) return nullptr;
    nlohmann::json value = std::move(*found);
    left_.erase(found);
    return value;
  }

  void read_logits() {
    const nlohmann::json value = take("logits");
    const auto is_logit = [](const nlohmann::json& logit) {
      return logit.is_null() || logit.is_number();
    };
    const auto is_null = [](const nlohmann::json& logit) { return logit.is_null(); };
    if (!value.is_array() || !std::ranges::all_of(value, is_logit) ||
        std::ranges::all_of(value, is_null))
      refuse("logits",
             "an array of numbers and null (minus infinity), at least one of them a number");
    for (const auto& logit : value)
      logits.push_back(logit.is_null() ? -std::numeric_limits<double>::infinity()
                                       : logit.get<double>());
  }

  void read_eos() {
    nlohmann::json value = take("eos_token_id");
    if (value.is_number()) value = nlohmann::json::array({value});
    if (!value.is_null()) options.eos_token_ids = ids_of("eos_token_id", value);
  }

  void read(const char* key, double& setting) {
    const nlohmann::json value = take(key);
    if (value.is_null()) return;
    if (!value.is_number()) refuse(key, "a number");
    setting = value.get<double>();
  }

  void read(const char* key, std::int32_t& setting) {
    const nlohmann::json value = take(key);
    if (value.is_null()) return;
    if (!is_token_id(value))
      refuse(key, fmt::format("integers from 0 to {}", std::numeric_limits<std::int32_t>::max()));
    setting = value.get<std::int32_t>();
  }

  void read(const char* key, std::vector<Token>& setting) {
    const nlohmann::json value = take(key);
    if (!value.is_null()) setting = ids_of(key, value);
  }

  std::vector<Token> ids_of(const char* key, const nlohmann::json& value) const {
    if (!value.is_array() || !std::ranges::all_of(value, is_token_id)) refuse(key, "token ids");
    return value.get<std::vector<Token>>();
  }

  void check_ids(const std::vector<Token>& ids, const char* key) const {
    if (std::ranges::any_of(
            ids, [&](Token id) { return static_cast<std::size_t>(id) >= logits.size(); }))
      refuse(key, fmt::format("ids from 0 to {}, one a logit", logits.size() - 1));
  }

  std::size_t number_;
  nlohmann::json left_;
};

std::vector<double> law_of(const engines::Engines& engines, const std::string& line,
                           std::size_t number) {
  const LawRequest request(line, number);
  try {
    return engines.law(request.options, request.logits, request.previous_ids);
  } catch (const ConfigError& error) {
    throw ConfigError(fmt::format("standard input:{}: {}", number, error.what()));
  }
}

}  // namespace

std::vector<std::string> law_keys() {
  std::vector<std::string> keys{"logits", "previous_ids", "eos_token_id", "temperature"};
  engines::SamplingOptions options;
  engines::visit_sampling(options, [&keys](const char* name, auto&) { keys.emplace_back(name); });
  return keys;
}

int run_law(const LawOptions&) {
  const auto engines = open_engines();
  StandardInput input;
  for (std::string line; input.next_line(line);)
    fmt::print("[{:.17g}]\n", fmt::join(law_of(*engines, line, input.line_number()), ","));
  return 0;
}

}  // namespace speclab::experiments
