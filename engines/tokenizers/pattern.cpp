#define PCRE2_CODE_UNIT_WIDTH 8
#include "engines/tokenizers/pattern.h"

#include <pcre2.h>

#include <algorithm>

#include "engines/tokenizers/characters.h"
#include "sim/core/errors.h"

namespace speclab::engines {
namespace {

// Bounds of one match. A pattern in use needs some steps a byte, and no nesting to speak of.
constexpr std::string_view kLimits = "(*LIMIT_MATCH=20000000)(*LIMIT_HEAP=65536)";
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
};

namespace {

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
  // Where the compiler for it is not available, matching is slower and the same.
  pcre2_jit_compile(code, PCRE2_JIT_COMPLETE);
  return code;
}

/// Match data and limits of one walk through a text.
class Matching {
 public:
  Matching(const pcre2_code* code, std::string_view pattern, std::string_view text)
      : code_(code), pattern_(pattern), text_(text) {}

  bool find(std::size_t from) {
    int count = match(from);
    if (count == PCRE2_ERROR_JIT_STACKLIMIT && !stack_) {
      take_large_stack();
      count = match(from);
    }
    if (count >= 0) return true;  // 0: it has groups, whose places nobody asks for
    if (count == PCRE2_ERROR_NOMATCH) return false;
    throw ModelFileError("the pattern '" + escaped(pattern_, 80) +
                         "' of the tokenizer on a text of " + std::to_string(text_.size()) +
                         " bytes: " + pcre2_message(count) +
                         "; allowed: patterns that match in 20 million steps; use a tokenizer with "
                         "a simpler pattern");
  }
  std::size_t begin() const { return pcre2_get_ovector_pointer(data())[0]; }
  std::size_t end() const { return pcre2_get_ovector_pointer(data())[1]; }

 private:
  /// Read before anything else matches on this thread.
  static pcre2_match_data* data() {
    thread_local const std::unique_ptr<pcre2_match_data, FreePcre2> shared(
        pcre2_match_data_create(1, nullptr));
    return shared.get();
  }
  int match(std::size_t from) const {
    return pcre2_match(code_, reinterpret_cast<PCRE2_SPTR>(text_.data()), text_.size(), from,
                       PCRE2_NO_UTF_CHECK, data(), context_.get());
  }
  /// Compiled patterns begin with the 32 KiB that PCRE2 has on the machine's stack.
  void take_large_stack() {
    context_.reset(pcre2_match_context_create(nullptr));
    stack_.reset(pcre2_jit_stack_create(kJitStackBytes, kMostJitStackBytes, nullptr));
    pcre2_jit_stack_assign(context_.get(), nullptr, stack_.get());
  }

  const pcre2_code* code_;
  std::string_view pattern_, text_;
  std::unique_ptr<pcre2_match_context, FreePcre2> context_;
  std::unique_ptr<pcre2_jit_stack, FreePcre2> stack_;
};

}  // namespace

Pattern::Pattern(std::string_view text) {
  std::string problem;
  auto code = std::make_shared<Code>();
  code->compiled.reset(compile(text, 0, problem));
  code->text = text;
  SPECLAB_EXPECT(code->compiled != nullptr, "a pattern that compiles: " + problem);
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
  std::shared_ptr<Pattern> pattern(new Pattern());
  pattern->code_ = std::move(code);
  return pattern;
}

void Pattern::visit_matches(std::string_view text,
                            const std::function<void(std::size_t, std::size_t)>& match) const {
  constexpr std::size_t kNone = SIZE_MAX;
  Matching matching(code_->compiled.get(), code_->text, text);
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
