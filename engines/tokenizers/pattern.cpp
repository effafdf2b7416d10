#define PCRE2_CODE_UNIT_WIDTH 8
#include "engines/tokenizers/pattern.h"

#include <pcre2.h>

#include <algorithm>

#include "engines/tokenizers/characters.h"
#include "sim/core/errors.h"

namespace speclab::engines {
namespace {

// A pattern in use needs some steps a byte, and no nesting to speak of.
constexpr std::string_view kLimits = "(*LIMIT_HEAP=131072)";
// All matches in one text together have these steps. A match begins with kFewSteps, which every
// byte of the text can pay for, and is tried again with twice as many where they are too few.
constexpr std::uint64_t kBaseSteps = 100'000, kStepsPerByte = 2000, kFewSteps = 1000;
constexpr std::uint64_t kMostSteps = UINT32_MAX;  ///< that PCRE2 counts in one match
constexpr std::size_t kJitStackBytes = 32 << 10, kMostJitStackBytes = 16 << 20;
constexpr std::size_t kMostPatternBytes = 64 << 10;

struct FreePcre2 {
  void operator()(pcre2_match_data* match) const { pcre2_match_data_free(match); }
  void operator()(pcre2_match_context* context) const { pcre2_match_context_free(context); }
  void operator()(pcre2_jit_stack* stack) const { pcre2_jit_stack_free(stack); }
};

std::string pcre2_message(int error) {
  PCRE2_UCHAR text[256] = {};
  pcre2_get_error_message(error, text, sizeof text);
  return reinterpret_cast<const char*>(text);
}

}  // namespace

struct Pattern::Code {
  std::unique_ptr<pcre2_code, decltype(&pcre2_code_free)> compiled{nullptr, pcre2_code_free};
  std::string text;
  bool is_own = false;  ///< no pattern of a file, or one that is known
};

namespace {

/// Patterns of files that most models share, and that take a few steps a byte. @source
/// tokenizer.json of GPT-2, Llama 3 and Qwen 2.5
constexpr std::string_view kKnownPatterns[] = {
    R"('s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+)",
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}|)"
    R"( ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)",
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}|)"
    R"( ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)"};

pcre2_code* compile(std::string_view text, std::uint32_t options, std::string& problem) {
  int error = 0;
  PCRE2_SIZE offset = 0;
  const std::string limited = std::string(kLimits).append(text);
  pcre2_code* code = pcre2_compile(reinterpret_cast<PCRE2_SPTR>(limited.data()), limited.size(),
                                   PCRE2_UTF | PCRE2_UCP | options, &error, &offset, nullptr);
  if (!code) {
    problem = pcre2_message(error) + " at character " +
              std::to_string(offset - std::min(offset, kLimits.size()));
    return nullptr;
  }
  return code;
}

/// Match data and limits of one walk through a text.
class Matching {
 public:
  Matching(const pcre2_code* code, std::string_view pattern, bool is_own, std::string_view text)
      : code_(code), pattern_(pattern), is_own_(is_own), text_(text) {}

  /// PCRE2 counts the steps from one place of the text; so those of a file's pattern are tried one
  /// by one.
  bool find(std::size_t from) {
    while (!find_at(from)) {
      if (is_own_ || from >= text_.size()) return false;
      from += character_length(text_[from]);
    }
    return true;
  }
  std::size_t begin() const { return pcre2_get_ovector_pointer(data())[0]; }
  std::size_t end() const { return pcre2_get_ovector_pointer(data())[1]; }

 private:
  bool find_at(std::size_t from) {
    std::uint64_t limit = kFewSteps;
    int count = match(from, limit);
    while (steps_left_ > 0 && has_too_little(count)) {
      if (count == PCRE2_ERROR_MATCHLIMIT) limit *= 2;
      count = match(from, limit);
    }
    if (count >= 0) return true;  // 0: it has groups, whose places nobody asks for
    if (count == PCRE2_ERROR_NOMATCH) return false;
    throw ModelFileError(
        "the pattern '" + escaped(pattern_, 80) + "' of the tokenizer on a text of " +
        std::to_string(text_.size()) + " bytes: " + pcre2_message(count) +
        "; allowed: patterns that match in " + std::to_string(kBaseSteps) + " steps and " +
        std::to_string(kStepsPerByte) + " more a byte; use a tokenizer with a simpler pattern");
  }
  /// Read before anything else matches on this thread.
  static pcre2_match_data* data() {
    thread_local const std::unique_ptr<pcre2_match_data, FreePcre2> shared(
        pcre2_match_data_create(1, nullptr));
    return shared.get();
  }
  /// Set before each match, as walks inside each other share it.
  static pcre2_match_context* context() {
    thread_local const std::unique_ptr<pcre2_match_context, FreePcre2> shared(
        pcre2_match_context_create(nullptr));
    return shared.get();
  }
  /// All steps of the limit count as taken: PCRE2 does not tell how many were.
  int match(std::size_t from, std::uint64_t limit) {
    limit = std::min({limit, steps_left_, kMostSteps});
    steps_left_ -= limit;
    pcre2_set_match_limit(context(), static_cast<std::uint32_t>(limit));
    pcre2_jit_stack_assign(context(), nullptr, stack_.get());
    return pcre2_match(code_, reinterpret_cast<PCRE2_SPTR>(text_.data()), text_.size(), from,
                       PCRE2_NO_UTF_CHECK | (is_own_ ? 0 : PCRE2_ANCHORED), data(), context());
  }
  /// Whether the match can be tried again with more. Compiled patterns begin with the 32 KiB that
  /// PCRE2 has on the machine's stack.
  bool has_too_little(int count) {
    if (count != PCRE2_ERROR_JIT_STACKLIMIT || stack_) return count == PCRE2_ERROR_MATCHLIMIT;
    stack_.reset(pcre2_jit_stack_create(kJitStackBytes, kMostJitStackBytes, nullptr));
    return true;
  }

  const pcre2_code* code_;
  std::string_view pattern_;
  bool is_own_;
  std::string_view text_;
  std::uint64_t steps_left_ = kBaseSteps + kStepsPerByte * text_.size();
  std::unique_ptr<pcre2_jit_stack, FreePcre2> stack_;
};

}  // namespace

Pattern::Pattern(std::string_view text) {
  std::string problem;
  auto code = std::make_shared<Code>();
  code->compiled.reset(compile(text, 0, problem));
  code->text = text;
  code->is_own = true;
  SPECLAB_EXPECT(code->compiled != nullptr, "a pattern that compiles: " + problem);
  // Where the compiler for it is not available, matching is slower and the same. It does not count
  // all steps, so that patterns of files do without.
  pcre2_jit_compile(code->compiled.get(), PCRE2_JIT_COMPLETE);
  code_ = std::move(code);
}

std::shared_ptr<const Pattern> Pattern::from_file(std::string_view text, std::string& problem) {
  if (text.size() > kMostPatternBytes) {
    problem = "more than " + std::to_string(kMostPatternBytes) + " bytes";
    return nullptr;
  }
  const std::string translated = pcre2_of_oniguruma(text, problem);
  if (!problem.empty()) return nullptr;
  auto code = std::make_shared<Code>();
  code->compiled.reset(compile(translated, PCRE2_MULTILINE | PCRE2_NEVER_BACKSLASH_C, problem));
  code->text = text;
  if (!code->compiled) return nullptr;
  code->is_own = std::ranges::find(kKnownPatterns, text) != std::end(kKnownPatterns);
  if (code->is_own) pcre2_jit_compile(code->compiled.get(), PCRE2_JIT_COMPLETE);
  std::shared_ptr<Pattern> pattern(new Pattern());
  pattern->code_ = std::move(code);
  return pattern;
}

void Pattern::visit_matches(std::string_view text,
                            const std::function<void(std::size_t, std::size_t)>& match) const {
  constexpr std::size_t kNone = SIZE_MAX;
  Matching matching(code_->compiled.get(), code_->text, code_->is_own, text);
  std::size_t last_end = kNone;
  for (std::size_t from = 0; from <= text.size() && matching.find(from);) {
    const std::size_t begin = matching.begin(), end = matching.end();
    const bool is_empty = begin >= end;
    if (!is_empty || end != last_end) match(begin, std::max(begin, end));
    last_end = end;
    from = !is_empty ? end : end < text.size() ? end + character_length(text[end]) : end + 1;
  }
}

}  // namespace speclab::engines
