#include "engines/constraints/automaton_mask.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "engines/constraints/expression.h"
#include "engines/constraints/json_schema.h"
#include "engines/interface/text_constraint.h"
#include "sim/system/errors.h"

namespace speclab::engines {
namespace {

std::size_t num_shared(std::string_view a, std::string_view b) {
  return static_cast<std::size_t>(std::ranges::mismatch(a, b).in1 - a.begin());
}

std::vector<std::string> later_bytes(const Tokenizer& tokenizer, std::int32_t size) {
  std::vector<std::string> bytes(static_cast<std::size_t>(size));
  for (Token token = 0; token < std::min(size, tokenizer.vocab_size()); ++token)
    bytes[static_cast<std::size_t>(token)] = tokenizer.token_bytes(token);
  return bytes;
}

/// A token that stands at the beginning of a text without trouble: it is written in letters.
Token plain_token(const std::vector<std::string>& bytes) {
  const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
  const auto found = std::ranges::find_if(bytes, [&](const std::string& text) {
    return !text.empty() && std::ranges::all_of(text, is_letter);
  });
  return found == bytes.end() ? 0 : static_cast<Token>(found - bytes.begin());
}

/// Some decoders change what they put together: they part words or strip blanks.
void check_joints(const Tokenizer& tokenizer, const std::vector<std::string>& bytes) {
  const Token before = plain_token(bytes);
  const std::string begin = tokenizer.decode({&before, 1});
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    if (bytes[i].empty()) continue;
    const std::array both{before, static_cast<Token>(i)};
    if (tokenizer.decode(both) != begin + bytes[i])
      throw ConfigError(
          fmt::format("a constraint with a tokenizer that changes '{}' behind '{}'; allowed: "
                      "tokenizers whose texts are those of their tokens side by side",
                      escaped(bytes[i], 40), escaped(begin, 40)));
  }
}

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

TokenSpellings::TokenSpellings(std::vector<std::string> bytes) : bytes_(std::move(bytes)) {
  std::vector<Token> tokens;
  for (std::size_t i = 0; i < bytes_.size(); ++i)
    if (!bytes_[i].empty()) tokens.push_back(static_cast<Token>(i));
  std::ranges::stable_sort(tokens, {}, [this](Token token) { return of(token); });
  std::string_view before;
  for (const Token token : tokens) {
    const std::size_t shared = num_shared(of(token), before);
    before = of(token);
    further_ += before.substr(shared);
    order_.push_back({token, static_cast<std::uint32_t>(shared),
                      static_cast<std::uint32_t>(before.size() - shared)});
    longest_ = std::max(longest_, before.size());
  }
}

void TokenSpellings::add_allowed(const Automaton& automaton, std::int32_t state,
                                 std::vector<bool>& allowed) const {
  std::vector<std::int32_t> states(longest_ + 1, state);
  std::size_t dead_length = longest_ + 1;  // of the beginning that leads nowhere
  const char* byte = further_.data();
  for (const Entry& entry : order_) {
    const char* const end = byte + entry.further;
    std::int32_t* last = &states[entry.shared];
    if (entry.shared >= dead_length) {
      byte = end;
      continue;
    }
    while (byte != end && *last != Automaton::kNoState) {
      const std::int32_t next = automaton.next(*last, static_cast<unsigned char>(*byte++));
      *++last = next;
    }
    const bool leads_on = *last != Automaton::kNoState;
    if (leads_on) allowed[static_cast<std::size_t>(entry.token)] = true;
    dead_length = leads_on ? longest_ + 1 : static_cast<std::size_t>(last - states.data());
    byte = end;
  }
}

TextSpellings spellings_of(const Tokenizer& tokenizer, std::int32_t size) {
  std::vector<std::string> later = later_bytes(tokenizer, size), first = later;
  check_joints(tokenizer, later);
  for (std::size_t i = 0; i < first.size(); ++i) {
    const auto token = static_cast<Token>(i);
    if (!first[i].empty()) first[i] = tokenizer.decode({&token, 1});
  }
  const bool is_same = first == later;
  const auto shared = std::make_shared<const TokenSpellings>(std::move(later));
  return {is_same ? shared : std::make_shared<const TokenSpellings>(std::move(first)), shared};
}

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
