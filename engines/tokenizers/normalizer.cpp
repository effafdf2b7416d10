#include "engines/tokenizers/normalizer.h"

#include <algorithm>
#include <utility>

#include "engines/tokenizers/characters.h"

namespace speclab::engines {
namespace {

class StripStep final : public NormalizerStep {
 public:
  StripStep(bool left, bool right) : left_(left), right_(right) {}

  std::string apply(std::string text, bool, TextWork&) const override {
    std::string_view rest = text;
    if (left_) rest = without_first_white_space(rest);
    if (right_) rest = without_final_white_space(rest);
    return std::string(rest);
  }

 private:
  bool left_, right_;
};

class PrependStep final : public NormalizerStep {
 public:
  explicit PrependStep(std::string text) : text_(std::move(text)) {}
  std::string apply(std::string text, bool, TextWork&) const override {
    return text.empty() ? text : text_ + text;
  }

 private:
  std::string text_;
};

class ReplaceStep final : public NormalizerStep {
 public:
  ReplaceStep(std::string from, std::string by) : from_(std::move(from)), by_(std::move(by)) {}
  std::string apply(std::string text, bool, TextWork& work) const override {
    std::size_t size = text.size();
    for (std::size_t at = 0; (at = text.find(from_, at)) != std::string::npos; at += from_.size())
      check_made_bytes(size = size - from_.size() + by_.size(), work.bytes_left);
    return replaced(text, from_, by_);
  }

 private:
  std::string from_, by_;
};

class ReplacePatternStep final : public NormalizerStep {
 public:
  ReplacePatternStep(std::shared_ptr<const Pattern> from, std::string by)
      : from_(std::move(from)), by_(std::move(by)) {}

  std::string apply(std::string text, bool, TextWork& work) const override {
    std::string result;
    std::size_t done = 0;
    from_->visit_matches(text, work.pattern_steps, [&](std::size_t begin, std::size_t end) {
      check_made_bytes(result.size() + (begin - done) + by_.size(), work.bytes_left);
      result.append(text, done, begin - done).append(by_);
      done = end;
    });
    return result.append(text, done);
  }

 private:
  std::shared_ptr<const Pattern> from_;
  std::string by_;
};

}  // namespace

std::size_t most_made_bytes(std::size_t text_bytes) { return 64 * text_bytes + (1 << 20); }

void check_made_bytes(std::size_t bytes, std::size_t most) {
  if (bytes > most)
    throw TooLongTextError("the normalizer of the tokenizer makes more than " +
                           std::to_string(most) + " bytes of a text; allowed: " + kMostMadeBytes +
                           "; use a tokenizer with a simpler normalizer");
}

std::string normalized(const Normalizer& steps, std::string_view text, bool is_first,
                       TextWork& work) {
  std::string result(text);
  for (const auto& step : steps) {
    result = step->apply(std::move(result), is_first, work);
    check_made_bytes(result.size(), work.bytes_left);
  }
  work.bytes_left -= std::min(work.bytes_left, result.size());
  return result;
}

std::shared_ptr<const NormalizerStep> strip_step(bool left, bool right) {
  return std::make_shared<StripStep>(left, right);
}
std::shared_ptr<const NormalizerStep> prepend_step(std::string text) {
  return std::make_shared<PrependStep>(std::move(text));
}
std::shared_ptr<const NormalizerStep> replace_step(std::string from, std::string by) {
  return std::make_shared<ReplaceStep>(std::move(from), std::move(by));
}
std::shared_ptr<const NormalizerStep> replace_step(std::shared_ptr<const Pattern> from,
                                                   std::string by) {
  return std::make_shared<ReplacePatternStep>(std::move(from), std::move(by));
}

}  // namespace speclab::engines
