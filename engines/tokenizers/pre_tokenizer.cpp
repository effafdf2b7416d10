#include "engines/tokenizers/pre_tokenizer.h"

#include <algorithm>

#include "engines/tokenizers/characters.h"

namespace speclab::engines {
namespace {

struct Part {
  std::size_t begin, end;
  bool is_match;
};

/// Matches and the stretches between them, in order.
std::vector<Part> parts_of(std::string_view text, const Pattern& pattern, bool is_inverted,
                           PatternSteps& steps) {
  std::vector<Part> parts;
  std::size_t done = 0;
  pattern.visit_matches(text, steps, [&](std::size_t begin, std::size_t end) {
    if (begin > done) parts.push_back({done, begin, is_inverted});
    parts.push_back({begin, end, !is_inverted});
    done = end;
  });
  if (done < text.size()) parts.push_back({done, text.size(), is_inverted});
  return parts;
}

/// @param belongs  whether a part goes with the one before it
template <typename Belongs>
std::vector<Part> joined(const std::vector<Part>& parts, Belongs belongs) {
  std::vector<Part> all;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (i == 0 || !belongs(parts[i - 1], parts[i])) {
      all.push_back(parts[i]);
    } else {
      all.back().begin = std::min(all.back().begin, parts[i].begin);
      all.back().end = std::max(all.back().end, parts[i].end);
    }
  }
  return all;
}

std::vector<Part> joined_as(SplitBehavior behavior, std::vector<Part> parts) {
  const auto is_alike = [](const Part& a, const Part& b) { return a.is_match == b.is_match; };
  const auto is_new_match = [](const Part& a, const Part& b) { return b.is_match && !a.is_match; };
  if (behavior == SplitBehavior::contiguous) return joined(parts, is_alike);
  if (behavior == SplitBehavior::merged_with_previous) return joined(parts, is_new_match);
  if (behavior != SplitBehavior::merged_with_next) return parts;
  std::ranges::reverse(parts);
  parts = joined(parts, is_new_match);
  std::ranges::reverse(parts);
  return parts;
}

}  // namespace

PreTokenizer::PreTokenizer(std::span<const std::string_view> patterns) {
  for (const std::string_view pattern : patterns)
    steps_.push_back(
        split_step(std::make_shared<Pattern>(pattern), SplitBehavior::isolated, false));
}

void PreTokenizer::split(std::string_view text, bool is_first, TextWork& work,
                         const PieceSink& sink) const {
  split_from(0, text, is_first, work, sink);
}

void PreTokenizer::split_from(std::size_t step, std::string_view text, bool is_first,
                              TextWork& work, const PieceSink& sink) const {
  if (step == steps_.size()) return sink(text);
  const std::less<const char*> before;
  bool can_be_first = is_first;
  steps_[step](text, is_first, work, [&](std::string_view piece) {
    const char *begin = text.data(), *end = begin + text.size();
    const bool is_later = before(begin, piece.data()) && before(piece.data(), end);
    split_from(step + 1, piece, can_be_first && !is_later, work, sink);
    can_be_first = false;
  });
}

PreTokenizerStep split_step(std::shared_ptr<const Pattern> pattern, SplitBehavior behavior,
                            bool is_inverted) {
  return [pattern = std::move(pattern), behavior, is_inverted](
             std::string_view text, bool, TextWork& work, const PieceSink& sink) {
    const auto give = [&](std::size_t begin, std::size_t end) {
      if (begin < end) sink(text.substr(begin, end - begin));
    };
    if (behavior == SplitBehavior::isolated) {  // the usual one, without a list of the parts
      std::size_t done = 0;
      pattern->visit_matches(text, work.pattern_steps, [&](std::size_t begin, std::size_t end) {
        give(done, begin);
        give(begin, end);
        done = end;
      });
      return give(done, text.size());
    }
    for (const Part& part :
         joined_as(behavior, parts_of(text, *pattern, is_inverted, work.pattern_steps)))
      if (behavior != SplitBehavior::removed || !part.is_match) give(part.begin, part.end);
  };
}

PreTokenizerStep prefix_space_step() {
  return [](std::string_view text, bool, TextWork& work, const PieceSink& sink) {
    sink(text.starts_with(' ') ? text : work.made.emplace_back(" " + std::string(text)));
  };
}

PreTokenizerStep metaspace_step(std::string mark, PrependScheme scheme, bool splits) {
  return [mark = std::move(mark), scheme, splits](std::string_view text, bool is_first,
                                                  TextWork& work, const PieceSink& sink) {
    const bool prepends =
        scheme == PrependScheme::always || (scheme == PrependScheme::first && is_first);
    std::string marked = replaced(text, " ", mark);
    if (prepends && !marked.starts_with(mark)) marked.insert(0, mark);
    std::string_view rest = work.made.emplace_back(std::move(marked));
    while (splits && !rest.empty()) {
      const std::size_t next = std::min(rest.find(mark, 1), rest.size());
      sink(rest.substr(0, next));
      rest.remove_prefix(next);
    }
    if (!rest.empty()) sink(rest);
  };
}

}  // namespace speclab::engines
