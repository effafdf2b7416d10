#include <algorithm>
#include <map>
#include <memory>
#include <optional>

#include "engines/tokenizers/text_tokenizer.h"
#include "experiments/bench/suite/suite.h"

namespace speclab::bench {
namespace {

constexpr std::size_t kTokens = 512;

/// Some kilobytes of words, numbers and marks, with accents.
std::string made_up_prose() {
  constexpr const char* kWords[] = {"the ",     "tide ",        "comes ", "in ",    "slowly, ",
                                    "over ",    "grey ",        "sand; ", "1,024 ", "rows ",
                                    "of ",      "a ",           "naïve ", "café ",  "don't ",
                                    "think.\n", "Verification "};
  std::string text;
  for (unsigned i = 0, state = 1; i < 2000; ++i) {
    state = 1664525u * state + 1013904223u;  // Numerical Recipes
    text += kWords[(state >> 16) % std::size(kWords)];
  }
  return text;
}

using Pair = std::pair<Token, Token>;

/// The first of the most frequent; nothing where none comes twice.
std::optional<Pair> most_frequent_pair(const std::vector<Token>& ids) {
  std::map<Pair, int> counts;
  for (std::size_t i = 0; i + 1 < ids.size(); ++i) ++counts[{ids[i], ids[i + 1]}];
  const auto best = std::ranges::max_element(counts, {}, &std::pair<const Pair, int>::second);
  if (best == counts.end() || best->second < 2) return std::nullopt;
  return best->first;
}

std::vector<Token> with_merged(const std::vector<Token>& ids, const engines::Merge& merge) {
  std::vector<Token> merged;
  for (std::size_t i = 0; i < ids.size(); ++i) {
    const bool is_pair = i + 1 < ids.size() && ids[i] == merge.left && ids[i + 1] == merge.right;
    merged.push_back(is_pair ? merge.merged : ids[i]);
    if (is_pair) ++i;
  }
  return merged;
}

/// Merges of the most frequent pairs of `text`. @source Sennrich et al. 2016, algorithm 1
void learn_merges(const std::string& text, engines::TextVocabulary& vocabulary) {
  std::vector<Token> ids;
  for (const char c : text) ids.push_back(static_cast<unsigned char>(c));
  while (vocabulary.texts.size() < kTokens) {
    const auto pair = most_frequent_pair(ids);
    if (!pair) return;
    const engines::Merge merge{pair->first, pair->second,
                               static_cast<Token>(vocabulary.texts.size())};
    vocabulary.texts.push_back(vocabulary.texts[static_cast<std::size_t>(merge.left)] +
                               vocabulary.texts[static_cast<std::size_t>(merge.right)]);
    vocabulary.merges.push_back(merge);
    ids = with_merged(ids, merge);
  }
}

engines::TextVocabulary vocabulary_of(const std::string& text) {
  engines::TextVocabulary vocabulary;
  for (int byte = 0; byte < 256; ++byte) vocabulary.texts.emplace_back(1, static_cast<char>(byte));
  learn_merges(text, vocabulary);
  vocabulary.kinds.assign(vocabulary.texts.size(), engines::TokenKind::normal);
  const auto patterns = engines::pre_tokenizer_patterns("smollm");
  vocabulary.patterns.assign(patterns.begin(), patterns.end());
  return vocabulary;
}

struct Tokenizing {
  std::string text = made_up_prose();
  engines::TextTokenizer tokenizer{vocabulary_of(text)};
  std::vector<Token> ids = tokenizer.encode(text, engines::SpecialText::parsed);
};

std::uint64_t checksum_of(std::string_view text) { return Checksum().add_all(text).value(); }

std::uint64_t stream(const Tokenizing& t) {
  const auto decoder = t.tokenizer.streaming_decoder();
  std::string text;
  for (const Token id : t.ids) text += decoder->push(id);
  return checksum_of(text += decoder->flush());
}

void add(const Suite& suite, const std::string& name, std::uint64_t (*call)(const Tokenizing&)) {
  suite.add("tokenizer/" + name, [call] {
    return [call, tokenizing = std::make_shared<Tokenizing>()] { return call(*tokenizing); };
  });
}

}  // namespace

void add_tokenizer(const Suite& suite) {
  add(suite, "encode", [](const Tokenizing& t) {
    return Checksum().add_all(t.tokenizer.encode(t.text, engines::SpecialText::parsed)).value();
  });
  add(suite, "decode", [](const Tokenizing& t) { return checksum_of(t.tokenizer.decode(t.ids)); });
  add(suite, "stream", stream);
}

}  // namespace speclab::bench
