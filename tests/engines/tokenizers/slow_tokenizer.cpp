#include "tests/engines/tokenizers/slow_tokenizer.h"

#include "tests/engines/formats/slow_reader.h"

namespace speclab::testing {
namespace {

void require(bool condition, const char* rule) {
  if (!condition) throw SlowRefusal{rule};
}

const SlowJson& member(const SlowJson& json, const char* key) {
  const SlowJson* found = json.find(key);
  require(found != nullptr, key);
  return *found;
}

std::int64_t id_of(const SlowJson& json) {
  const auto id = json.natural();
  require(id.has_value(), "an id is a natural number");
  return *id;
}

bool is_true(const SlowJson& json, const char* key) {
  const SlowJson* found = json.find(key);
  return found && found->kind == SlowJson::Kind::boolean && found->text == "true";
}

std::pair<std::string, std::string> pair_of(const SlowJson& merge) {
  if (merge.kind == SlowJson::Kind::array) {
    require(merge.items.size() == 2, "a merge has two parts");
    return {merge.items[0].text, merge.items[1].text};
  }
  const std::size_t blank = merge.text.find(' ');
  require(merge.kind == SlowJson::Kind::string && blank != std::string::npos,
          "a merge has a blank");
  return {merge.text.substr(0, blank), merge.text.substr(blank + 1)};
}

}  // namespace

SlowTokenizer::SlowTokenizer(const SlowJson& tokenizer) {
  const SlowJson &model = member(tokenizer, "model"), &vocab = member(model, "vocab");
  for (std::size_t i = 0; i < vocab.keys.size(); ++i) texts_[id_of(vocab.items[i])] = vocab.keys[i];
  if (const SlowJson* added = tokenizer.find("added_tokens"))
    for (const SlowJson& token : added->items)
      added_.push_back(texts_[id_of(member(token, "id"))] = member(token, "content").text);
  for (const auto& [id, text] : texts_) ids_[text] = id;
  for (const SlowJson& merge : member(model, "merges").items) merges_.push_back(pair_of(merge));
  whole_words_first_ = is_true(model, "ignore_merges");
}

std::int64_t SlowTokenizer::num_ids() const { return texts_.rbegin()->first + 1; }

std::optional<std::vector<std::int64_t>> SlowTokenizer::encode(const std::string& word) const {
  for (const std::string& text : added_)
    if (word.find(text) != std::string::npos) return std::nullopt;
  if (whole_words_first_ && ids_.contains(word)) return std::vector{ids_.at(word)};
  std::vector<std::string> parts;
  for (const char letter : word) parts.emplace_back(1, letter);
  for (const std::string& part : parts)
    if (!ids_.contains(part)) return std::nullopt;
  for (bool is_merged = true; is_merged;) {
    is_merged = false;
    for (std::size_t rank = 0; rank < merges_.size() && !is_merged; ++rank)
      for (std::size_t i = 0; i + 1 < parts.size() && !is_merged; ++i) {
        if (parts[i] != merges_[rank].first || parts[i + 1] != merges_[rank].second) continue;
        parts[i] += parts[i + 1];
        parts.erase(parts.begin() + static_cast<std::ptrdiff_t>(i) + 1);
        is_merged = true;
      }
  }
  std::vector<std::int64_t> ids;
  for (const std::string& part : parts) ids.push_back(ids_.at(part));
  return ids;
}

}  // namespace speclab::testing
