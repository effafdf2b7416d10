#include "engines/sampling/stop_rules.h"

#include <fmt/format.h>

#include <algorithm>

#include "engines/models/clock.h"
#include "sim/system/errors.h"

namespace speclab::engines {

std::vector<Token> ends_of(const StopOptions& options, const Tokenizer* tokenizer) {
  if (options.ignore_eos) return {};
  if (options.eos_token_ids) return *options.eos_token_ids;
  std::vector<Token> ends;
  for (Token token = 0; tokenizer != nullptr && token < tokenizer->vocab_size(); ++token)
    if (tokenizer->is_end_of_sequence(token)) ends.push_back(token);
  return ends;
}

StopRules::StopRules(const StopOptions& options, std::shared_ptr<const Tokenizer> tokenizer)
    : options_(options), tokenizer_(std::move(tokenizer)) {
  if (options_.max_new_tokens < 1)
    throw ConfigError(
        fmt::format("max_new_tokens = {}; allowed: integers >= 1", options_.max_new_tokens));
  if (!options_.stop_strings.empty() && !tokenizer_)
    throw ConfigError("stop strings need a model with a tokenizer");
  for (const std::string& stop : options_.stop_strings)
    if (stop.empty()) throw ConfigError("a stop string is empty; allowed: at least one character");
}

void StopRules::begin() {
  emitted_ = 0;
  begun_ns_ = now_ns();
  tail_.clear();
  if (!options_.stop_strings.empty()) decoder_ = tokenizer_->streaming_decoder();
}

bool StopRules::ends_with(Token token, StopReason& reason) {
  ++emitted_;
  if (!options_.ignore_eos && is_end(token)) {
    reason = StopReason::end_of_sequence;
    return true;
  }
  if (decoder_ && ends_with_string(token)) {
    reason = StopReason::stop_string;
    return true;
  }
  reason = StopReason::length;
  if (emitted_ >= options_.max_new_tokens) return true;
  if (options_.max_seconds <= 0) return false;
  reason = StopReason::time;
  return static_cast<double>(now_ns() - begun_ns_) * 1e-9 >= options_.max_seconds;
}

bool StopRules::is_end(Token token) const {
  if (options_.eos_token_ids)
    return std::ranges::find(*options_.eos_token_ids, token) != options_.eos_token_ids->end();
  return tokenizer_ && tokenizer_->is_end_of_sequence(token);
}

bool StopRules::ends_with_string(Token token) {
  tail_ += decoder_->push(token);
  std::size_t longest = 0;
  for (const std::string& stop : options_.stop_strings) {
    if (tail_.find(stop) != std::string::npos) return true;
    longest = std::max(longest, stop.size());
  }
  if (tail_.size() >= longest) tail_.erase(0, tail_.size() - longest + 1);
  return false;
}

}  // namespace speclab::engines
