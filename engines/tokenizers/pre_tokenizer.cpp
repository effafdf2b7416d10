#include "engines/tokenizers/pre_tokenizer.h"

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

std::vector<Part> joined_to_previous(const std::vector<Part>& parts) {
  std::vector<Part> joined;
  bool follows_match = false;
  for (const Part& part : parts) {
    if (part.is_match && !follows_match && !joined.empty())
      joined.back().end = part.end;
    else
      joined.push_back(part);
    follows_match = part.is_match;
  }
  return joined;
}

std::vector<Part> joined_to_next(const std::vector<Part>& parts) {
  std::vector<Part> joined;
  bool precedes_match = false;
  for (auto part = parts.rbegin(); part != parts.rend(); ++part) {
    if (part->is_match && !precedes_match && !joined.empty())
      joined.back().begin = part->begin;
    else
      joined.push_back(*part);
    precedes_match = part->is_match;
  }
  return {joined.rbegin(), joined.rend()};
}

std::vector<Part> joined_runs(const std::vector<Part>& parts) {
  std::vector<Part> joined;
  for (const Part& part : parts) {
    if (!joined.empty() && joined.back().is_match == part.is_match)
      joined.back().end = part.end;
    else
      joined.push_back(part);
  }
  return joined;
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
    std::vector<Part> parts = parts_of(text, *pattern, is_inverted, work.pattern_steps);
    if (behavior == SplitBehavior::merged_with_previous) parts = joined_to_previous(parts);
    if (behavior == SplitBehavior::merged_with_next) parts = joined_to_next(parts);
    if (behavior == SplitBehavior::contiguous) parts = joined_runs(parts);
    for (const Part& part : parts)
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
