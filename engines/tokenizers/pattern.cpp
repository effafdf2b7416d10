#define PCRE2_CODE_UNIT_WIDTH 8
#include "engines/tokenizers/pattern.h"

#include <pcre2.h>

#include <algorithm>

#include "engines/tokenizers/characters.h"
#include "sim/system/errors.h"

namespace speclab::engines {
namespace {

// A pattern in use has no nesting to speak of.
constexpr std::string_view kLimits = "(*LIMIT_HEAP=131072)";
constexpr std::uint64_t kCallSteps = 8;  ///< that beginning a search takes the time of
// An own pattern has these jumps in one walk, which PCRE2 limits but does not count. A match begins
// with kFewJumps, and is tried again with twice as many where they are too few.
constexpr std::uint64_t kBaseJumps = 100'000, kJumpsPerByte = 2000, kFewJumps = 1000;
constexpr std::uint64_t kMostJumps = UINT32_MAX;  ///< that PCRE2 can limit a match to
constexpr std::size_t kJitStackBytes = 32 << 10, kMostJitStackBytes = 16 << 20;
constexpr std::size_t kMostPatternBytes = 64 << 10;

std::string pcre2_message(int error) {
  PCRE2_UCHAR text[256] = {};
  pcre2_get_error_message(error, text, sizeof text);
  return reinterpret_cast<const char*>(text);
}

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

/// The largest number in braces that repeats something: 900 of "[ab]{0,900}".
std::uint64_t largest_repeat(std::string_view pattern) {
  constexpr std::uint64_t kEnough = 1 << 20;  // PCRE2 refuses fewer
  std::uint64_t largest = 0, number = 0;
  bool is_inside = false;
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    const bool is_of_escape = i >= 2 && pattern[i - 2] == '\\';  // \x{41}
    if (pattern[i] == '{') is_inside = !is_of_escape;
    if (pattern[i] == '}') is_inside = false;
    const bool is_digit = is_inside && pattern[i] >= '0' && pattern[i] <= '9';
    number = is_digit
                 ? 10 * std::min(number, kEnough) + static_cast<std::uint64_t>(pattern[i] - '0')
                 : 0;
    largest = std::max(largest, number);
  }
  return largest;
}

bool has_back_references(const pcre2_code* code) {
  std::uint32_t largest = 0;
  pcre2_pattern_info(code, PCRE2_INFO_BACKREFMAX, &largest);
  return largest > 0;
}

}  // namespace

struct Pattern::Code {
  std::unique_ptr<pcre2_code, decltype(&pcre2_code_free)> compiled{nullptr, pcre2_code_free};
  std::string text;
  bool is_own = false;      ///< no pattern of a file, or one that is known
  std::uint64_t price = 1;  ///< of a step: one item can pass as many characters as it repeats, and
                            ///< look through a set as long as the pattern
  bool refers_back = false;
};

/// One walk through a text.
class Pattern::Matching {
 public:
  Matching(const Code& code, std::string_view text, PatternSteps& steps)
      : code_(code),
        text_(text),
        count_{&steps, code.price + (code.refers_back ? text.size() / kPassedAStep : 0), 0} {}

  static constexpr std::size_t kPassedAStep = 32;  ///< characters in the time of an item

  bool find(std::size_t from) {
    count_.at = from;
    if (!count_.take(kCallSteps)) refuse(PCRE2_ERROR_CALLOUT);
    const int found = code_.is_own ? find_own(from) : find_counted(from);
    if (found < 0 && found != PCRE2_ERROR_NOMATCH) refuse(found);
    return found >= 0;  // 0: it has groups, whose places nobody asks for
  }
  std::size_t begin() const { return pcre2_get_ovector_pointer(data())[0]; }
  std::size_t end() const { return pcre2_get_ovector_pointer(data())[1]; }

 private:
  struct FreePcre2 {
    void operator()(pcre2_match_data* match) const { pcre2_match_data_free(match); }
    void operator()(pcre2_match_context* context) const { pcre2_match_context_free(context); }
    void operator()(pcre2_jit_stack* stack) const { pcre2_jit_stack_free(stack); }
  };
  /// Counts the steps of a match as PCRE2 tells of its items.
  struct StepCount {
    PatternSteps* steps;
    std::uint64_t price;  ///< of a step
    std::size_t at;       ///< place in the text where the last item was tried

    bool take(std::uint64_t number) const { return steps->take(price * number); }
    static int count(pcre2_callout_block* item, void* data) {
      auto& self = *static_cast<StepCount*>(data);
      const std::size_t passed = item->current_position > self.at
                                     ? item->current_position - self.at
                                     : self.at - item->current_position;
      self.at = item->current_position;
      return self.take(1 + passed) ? 0 : PCRE2_ERROR_CALLOUT;
    }
  };

  [[noreturn]] void refuse(int error) const {
    const std::string problem =
        error == PCRE2_ERROR_CALLOUT ? "too many steps" : pcre2_message(error);
    throw ModelFileError("the pattern '" + escaped(code_.text, 80) +
                         "' of the tokenizer on a text of " +
                         std::to_string(count_.steps->text_bytes()) + " bytes: " + problem +
                         "; allowed: " + std::to_string(PatternSteps::kBase) + " steps and " +
                         std::to_string(PatternSteps::kPerByte) +
                         " more a byte, for all patterns together; use a tokenizer with simpler "
                         "patterns");
  }
  /// A step is counted for every jump that matters; the limit is for those between two of them.
  int find_counted(std::size_t from) {
    return match(from, PatternSteps::kBase + PatternSteps::kPerByte * text_.size());
  }
  int find_own(std::size_t from) {
    std::uint64_t limit = kFewJumps;
    int found = match_own(from, limit);
    while (jumps_left_ > 0 && has_too_little(found)) {
      if (found == PCRE2_ERROR_MATCHLIMIT) limit *= 2;
      found = match_own(from, limit);
    }
    return found;
  }
  /// All jumps of the limit count as taken: PCRE2 does not tell how many were.
  int match_own(std::size_t from, std::uint64_t limit) {
    limit = std::min(limit, jumps_left_);
    jumps_left_ -= limit;
    return match(from, limit);
  }
  int match(std::size_t from, std::uint64_t limit) {
    pcre2_set_match_limit(context(), static_cast<std::uint32_t>(std::min(limit, kMostJumps)));
    pcre2_set_callout(context(), StepCount::count, &count_);
    pcre2_jit_stack_assign(context(), nullptr, stack_.get());
    return pcre2_match(code_.compiled.get(), reinterpret_cast<PCRE2_SPTR>(text_.data()),
                       text_.size(), from, PCRE2_NO_UTF_CHECK, data(), context());
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
  /// Whether the match can be tried again with more. Compiled patterns begin with the 32 KiB that
  /// PCRE2 has on the machine's stack.
  bool has_too_little(int found) {
    if (found != PCRE2_ERROR_JIT_STACKLIMIT || stack_) return found == PCRE2_ERROR_MATCHLIMIT;
    stack_.reset(pcre2_jit_stack_create(kJitStackBytes, kMostJitStackBytes, nullptr));
    return true;
  }

  const Code& code_;
  std::string_view text_;
  StepCount count_;
  std::uint64_t jumps_left_ = kBaseJumps + kJumpsPerByte * text_.size();
  std::unique_ptr<pcre2_jit_stack, FreePcre2> stack_;
};

Pattern::Pattern(std::string_view text) {
  std::string problem;
  auto code = std::make_shared<Code>();
  code->compiled.reset(compile(text, 0, problem));
  code->text = text;
  code->is_own = true;
  SPECLAB_EXPECT(code->compiled != nullptr, "a pattern that compiles: " + problem);
  // Where the compiler for it is not available, matching is slower and the same.
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
  code->text = text;
  code->is_own = std::ranges::find(kKnownPatterns, text) != std::end(kKnownPatterns);
  const std::uint32_t counted = code->is_own ? 0 : PCRE2_AUTO_CALLOUT;
  code->compiled.reset(
      compile(translated, PCRE2_MULTILINE | PCRE2_NEVER_BACKSLASH_C | counted, problem));
  if (!code->compiled) return nullptr;
  if (code->is_own) pcre2_jit_compile(code->compiled.get(), PCRE2_JIT_COMPLETE);
  constexpr std::size_t kSetBytesAStep = 1024;
  code->price = 1 + text.size() / kSetBytesAStep + largest_repeat(text) / Matching::kPassedAStep;
  code->refers_back = has_back_references(code->compiled.get());
  std::shared_ptr<Pattern> pattern(new Pattern());
  pattern->code_ = std::move(code);
  return pattern;
}

void Pattern::visit_matches(std::string_view text, PatternSteps& steps,
                            const std::function<void(std::size_t, std::size_t)>& match) const {
  constexpr std::size_t kNone = SIZE_MAX;
  Matching matching(*code_, text, steps);
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
