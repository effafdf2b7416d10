#include "engines/drafters/ngram_laws.h"

#include <algorithm>
#include <cmath>

namespace speclab::engines {

void NgramLaws::set_context(std::span<const Token> text) {
  const std::span<const Token> latest = text.last(std::min(text.size(), context_length()));
  context_.assign(latest.begin(), latest.end());
}

void NgramLaws::set_context(const DraftPlace& place) {
  path_.clear();
  for (TokenTree::Node node = place.node; node > 0 && path_.size() < context_length(); node = place.tree[node].parent) path_.push_back(place.tree[node].token);
  const std::vector<Token>& text = place.sequence.tokens;
  const std::span<const Token> latest = std::span(text).last(std::min(text.size(), context_length() - path_.size()));
  context_.assign(latest.begin(), latest.end());
  context_.insert(context_.end(), path_.rbegin(), path_.rend());
}

std::span<const LawEntry<float>> NgramLaws::most_likely(std::size_t count) {
  model_->most_likely(context_, entries_);
  return std::span(entries_).first(std::min(count, entries_.size()));
}

std::span<const LawEntry<float>> NgramLaws::most_likely_mixed(Token token, double weight, std::size_t count) {
  model_->most_likely(context_, entries_);
  for (LawEntry<float>& entry : entries_) entry.probability *= static_cast<float>(1.0 - weight);
  add(token, static_cast<float>(weight));
  std::erase_if(entries_, [](const LawEntry<float>& entry) { return entry.probability <= 0; });
  std::ranges::sort(entries_, is_likelier<float>);
  return std::span(entries_).first(std::min(count, entries_.size()));
}

void NgramLaws::fill(Law& law) {
  model_->most_likely(context_, entries_);
  if (temperature_ == 0) return law.assign_point_mass(vocab_size(), entries_.front().token);
  temper(1.0);
  law.assign_sparse(vocab_size(), entries_);
}

void NgramLaws::fill_mixed(Token token, double weight, Law& law) {
  if (temperature_ == 0 || weight == 1) return law.assign_point_mass(vocab_size(), token);
  model_->most_likely(context_, entries_);
  temper(1.0 - weight);
  add(token, static_cast<float>(weight));
  law.assign_sparse(vocab_size(), entries_);
}

void NgramLaws::temper(double total) {
  const float largest = entries_.front().probability;
  double sum = 0;
  for (LawEntry<float>& entry : entries_) {
    const float ratio = entry.probability / largest;
    entry.probability = temperature_ == 1 ? ratio : std::pow(ratio, static_cast<float>(1.0 / temperature_));
    sum += static_cast<double>(entry.probability);
  }
  for (LawEntry<float>& entry : entries_) entry.probability = static_cast<float>(static_cast<double>(entry.probability) * total / sum);
  while (entries_.back().probability <= 0) entries_.pop_back();
}

void NgramLaws::add(Token token, float probability) {
  const auto same = std::find_if(entries_.begin(), entries_.end(), [&](const LawEntry<float>& entry) { return entry.token == token; });
  if (same != entries_.end()) same->probability += probability;
  else entries_.push_back({token, probability});
}

}  // namespace speclab::engines
