#include "engines/constraints/automaton_mask.h"

#include <fmt/format.h>

#include <algorithm>

#include "sim/system/errors.h"

namespace speclab::engines {

constexpr std::int32_t kBeginning = -1;

AutomatonMask::AutomatonMask(std::shared_ptr<const Automaton> automaton, TextSpellings spellings,
                             std::vector<Token> ends)
    : automaton_(std::move(automaton)), spellings_(std::move(spellings)), ends_(std::move(ends)) {
  const std::size_t size = spellings_.later->vocab_size();
  all_.tokens.assign(size, true);
  behind_end_ = {.tokens = std::vector<bool>(size), .has_ended = true};
  for (const Token end : ends_) behind_end_.tokens[static_cast<std::size_t>(end)] = true;
}

bool AutomatonMask::is_end(Token token) const {
  return std::ranges::find(ends_, token) != ends_.end();
}

const AllowedTokens& AutomatonMask::allowed(std::span<const Token> new_tokens) const {
  if (std::ranges::any_of(new_tokens, [this](Token token) { return is_end(token); }))
    return behind_end_;
  const std::int32_t state = state_behind(new_tokens);
  if (state == Automaton::kNoState) return all_;
  const bool is_first = new_tokens.empty();
  const std::lock_guard lock(mutex_);
  const auto [found, is_new] = known_.try_emplace(is_first ? kBeginning : state);
  if (is_new) found->second = tokens_from(state, is_first ? *spellings_.first : *spellings_.later);
  if (std::ranges::find(found->second.tokens, true) == found->second.tokens.end())
    refuse_vocabulary(new_tokens);
  return found->second;
}

std::int32_t AutomatonMask::state_behind(std::span<const Token> new_tokens) const {
  std::int32_t state = automaton_->start();
  for (std::size_t i = 0; i < new_tokens.size() && state != Automaton::kNoState; ++i) {
    const std::string_view bytes =
        (i == 0 ? *spellings_.first : *spellings_.later).of(new_tokens[i]);
    state = bytes.empty() ? Automaton::kNoState : automaton_->after(state, bytes);
  }
  return state;
}

AllowedTokens AutomatonMask::tokens_from(std::int32_t state,
                                         const TokenSpellings& spellings) const {
  AllowedTokens result{.tokens = std::vector<bool>(spellings.vocab_size())};
  spellings.add_allowed(*automaton_, state, result.tokens);
  for (const Token end : ends_)
    result.tokens[static_cast<std::size_t>(end)] = automaton_->accepts(state);
  const auto first = std::ranges::find(result.tokens, true);
  if (std::ranges::count(result.tokens, true) == 1)
    result.forced = static_cast<Token>(first - result.tokens.begin());
  return result;
}

void AutomatonMask::refuse_vocabulary(std::span<const Token> new_tokens) const {
  std::string text;
  for (std::size_t i = 0; i < new_tokens.size(); ++i)
    text += (i == 0 ? *spellings_.first : *spellings_.later).of(new_tokens[i]);
  throw ConfigError(fmt::format(
      "{}: no token spells what has to follow '{}'; allowed: constraints in characters that the "
      "model's tokens can spell",
      automaton_->name(), escaped(text, 80)));
}

}  // namespace speclab::engines
