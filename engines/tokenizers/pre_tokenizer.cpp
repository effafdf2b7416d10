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

class SplitStep final : public PreTokenizerStep {
 public:
  SplitStep(std::shared_ptr<const Pattern> pattern, SplitBehavior behavior, bool is_inverted)
      : pattern_(std::move(pattern)), behavior_(behavior), is_inverted_(is_inverted) {}

  void split(std::string_view text, bool, TextWork& work, const PieceSink& sink) const override {
    const auto give = [&](std::size_t begin, std::size_t end) {
      if (begin < end) sink(text.substr(begin, end - begin));
    };
    if (behavior_ == SplitBehavior::isolated) return isolate(text, work, give);
    for (const Part& part : parts(text, work))
      if (behavior_ != SplitBehavior::removed || !part.is_match) give(part.begin, part.end);
  }

 private:
  /// The usual behaviour, without a list of the parts.
  template <typename Give>
  void isolate(std::string_view text, TextWork& work, Give give) const {
    std::size_t done = 0;
    pattern_->visit_matches(text, work.pattern_steps, [&](std::size_t begin, std::size_t end) {
      give(done, begin);
      give(begin, end);
      done = end;
    });
    give(done, text.size());
  }
  std::vector<Part> parts(std::string_view text, TextWork& work) const {
    std::vector<Part> all = parts_of(text, *pattern_, is_inverted_, work.pattern_steps);
    if (behavior_ == SplitBehavior::merged_with_previous) return joined_to_previous(all);
    if (behavior_ == SplitBehavior::merged_with_next) return joined_to_next(all);
    return behavior_ == SplitBehavior::contiguous ? joined_runs(all) : all;
  }

  std::shared_ptr<const Pattern> pattern_;
  SplitBehavior behavior_;
  bool is_inverted_;
};

class PrefixSpaceStep final : public PreTokenizerStep {
  void split(std::string_view text, bool, TextWork& work, const PieceSink& sink) const override {
    sink(text.starts_with(' ') ? text : work.made.emplace_back(" " + std::string(text)));
  }
};

class MetaspaceStep final : public PreTokenizerStep {
 public:
  MetaspaceStep(std::string mark, PrependScheme scheme, bool splits)
      : mark_(std::move(mark)), scheme_(scheme), splits_(splits) {}

  void split(std::string_view text, bool is_first, TextWork& work,
             const PieceSink& sink) const override {
    const bool prepends =
        scheme_ == PrependScheme::always || (scheme_ == PrependScheme::first && is_first);
    std::string marked = replaced(text, " ", mark_);
    if (prepends && !marked.starts_with(mark_)) marked.insert(0, mark_);
    std::string_view rest = work.made.emplace_back(std::move(marked));
    while (splits_ && !rest.empty()) {
      const std::size_t next = std::min(rest.find(mark_, 1), rest.size());
      sink(rest.substr(0, next));
      rest.remove_prefix(next);
    }
    if (!rest.empty()) sink(rest);
  }

 private:
  std::string mark_;
  PrependScheme scheme_;
  bool splits_;
};

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
  steps_[step]->split(text, is_first, work, [&](std::string_view piece) {
    const char *begin = text.data(), *end = begin + text.size();
    const bool is_later = before(begin, piece.data()) && before(piece.data(), end);
    split_from(step + 1, piece, can_be_first && !is_later, work, sink);
    can_be_first = false;
  });
}

std::shared_ptr<const PreTokenizerStep> split_step(std::shared_ptr<const Pattern> pattern,
                                                   SplitBehavior behavior, bool is_inverted) {
  return std::make_shared<SplitStep>(std::move(pattern), behavior, is_inverted);
}
std::shared_ptr<const PreTokenizerStep> prefix_space_step() {
  return std::make_shared<PrefixSpaceStep>();
}
std::shared_ptr<const PreTokenizerStep> metaspace_step(std::string mark, PrependScheme scheme,
                                                       bool splits) {
  return std::make_shared<MetaspaceStep>(std::move(mark), scheme, splits);
}

}  // namespace speclab::engines
