#include "engines/search/forced_words.h"

#include <algorithm>
#include <numeric>

namespace speclab::engines {
namespace {

/// Tokens that follow a path, each once.
std::vector<Token> tokens_behind(const WordForms& forms, std::span<const Token> path) {
  std::vector<Token> tokens;
  for (const std::vector<Token>& form : forms) {
    if (form.size() <= path.size() || !std::ranges::equal(std::span(form).first(path.size()), path))
      continue;
    if (std::ranges::find(tokens, form[path.size()]) == tokens.end())
      tokens.push_back(form[path.size()]);
  }
  return tokens;
}

bool furthers(Token token, const WordForms& forms, std::span<const Token> path) {
  const std::vector<Token> tokens = tokens_behind(forms, path);
  return std::ranges::find(tokens, token) != tokens.end();
}

std::int64_t longest(const WordForms& forms) {
  return std::ssize(*std::ranges::max_element(forms, {}, &std::vector<Token>::size));
}

/// In float, as transformers computes it: what it cannot tell apart stays in order.
float merit(const ForcedCandidate& one) {
  return static_cast<float>(one.progress * 100) + static_cast<float>(one.candidate.log_probability);
}

/// The place of each candidate in the run of candidates with its progress.
std::vector<std::size_t> places_in_runs(const std::vector<ForcedCandidate>& sorted) {
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < sorted.size(); ++i)
    places.push_back(i > 0 && sorted[i].progress == sorted[i - 1].progress ? places.back() + 1 : 0);
  return places;
}

}  // namespace

ForcedWords::ForcedWords(std::span<const WordForms> words) : words_(words), open_(words.size()) {
  std::iota(open_.begin(), open_.end(), std::size_t{0});
}

/// @return false if the token begins no open word
bool ForcedWords::begin_word(Token token) {
  const auto word =
      std::ranges::find_if(open_, [&](std::size_t i) { return furthers(token, words_[i], {}); });
  if (word == open_.end()) return false;
  begun_ = *word;
  open_.erase(word);
  return true;
}

/// @return false if the begun word breaks off
bool ForcedWords::go_on(Token token) {
  if (furthers(token, words_[*begun_], path_)) return true;
  open_.push_back(*begun_);
  begun_.reset();
  path_.clear();
  return false;
}

void ForcedWords::add(Token token) {
  if (are_met() || !(begun_ ? go_on(token) : begin_word(token))) return;
  path_.push_back(token);
  if (!tokens_behind(words_[*begun_], path_).empty()) return;
  ++num_met_;
  begun_.reset();
  path_.clear();
}

std::int64_t ForcedWords::progress() const {
  std::int64_t most = 0;
  for (const WordForms& forms : words_) most = std::max(most, longest(forms));
  const std::int64_t of_begun = begun_ ? most - longest(words_[*begun_]) + std::ssize(path_) : 0;
  return num_met_ * most + of_begun;
}

/// transformers 4.49 shares the path of a begun word among the texts that further it: each token
/// goes on from where the tokens before it have led, and all see the same path in the end.
std::vector<ForcedWords::Step> ForcedWords::steps() const {
  std::vector<Token> tokens, path = path_;
  for (const std::size_t word : begun_ ? std::vector{*begun_} : open_)
    for (const Token token : tokens_behind(words_[word], path_)) tokens.push_back(token);
  std::vector<ForcedWords> behind;
  for (const Token token : tokens) {
    ForcedWords& next = behind.emplace_back(*this);
    next.path_ = path;
    next.add(token);
    if (begun_ && (next.begun_ || next.num_met_ > num_met_)) path.push_back(token);
  }
  std::vector<Step> steps;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (begun_ && behind[i].begun_) behind[i].path_ = path;
    steps.push_back({tokens[i], behind[i].progress()});
  }
  return steps;
}

std::vector<ForcedWords::Unmet> ForcedWords::unmet() const {
  std::vector<Unmet> unmet;
  if (begun_) unmet.push_back({words_[*begun_], path_});
  for (const std::size_t word : open_) unmet.push_back({words_[word], {}});
  return unmet;
}

std::vector<Candidate> chosen_in_turn(std::vector<ForcedCandidate> candidates, std::size_t count) {
  std::ranges::stable_sort(candidates, std::ranges::greater{}, merit);
  const std::vector<std::size_t> places = places_in_runs(candidates);
  std::vector<Candidate> chosen;
  for (std::size_t place = 0; place < candidates.size(); ++place)
    for (std::size_t i = 0; i < candidates.size() && chosen.size() < count; ++i)
      if (places[i] == place) chosen.push_back(candidates[i].candidate);
  return chosen;
}

}  // namespace speclab::engines
