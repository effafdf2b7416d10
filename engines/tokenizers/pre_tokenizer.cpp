#define PCRE2_CODE_UNIT_WIDTH 8
#include "engines/tokenizers/pre_tokenizer.h"

#include <pcre2.h>

#include "sim/core/errors.h"

namespace speclab::engines {

/// A compiled pattern. Match data belongs to the call, so that threads can share it.
class PreTokenizer::Pattern {
 public:
  explicit Pattern(std::string_view text) {
    int error = 0;
    PCRE2_SIZE offset = 0;
    code_.reset(pcre2_compile(reinterpret_cast<PCRE2_SPTR>(text.data()), text.size(),
                              PCRE2_UTF | PCRE2_UCP, &error, &offset, nullptr));
    SPECLAB_EXPECT(code_ != nullptr, "pattern does not compile: " + std::string(text));
    pcre2_jit_compile(
        code_.get(),
        PCRE2_JIT_COMPLETE);  // where it is not available, matching is slower and the same
  }

  /// Calls `sink` with every match and every stretch between matches.
  template <typename Sink>
  void split(std::string_view text, Sink sink) const {
    const std::unique_ptr<pcre2_match_data, Free> match(
        pcre2_match_data_create_from_pattern(code_.get(), nullptr));
    std::size_t done = 0;
    while (done < text.size() && find(text, done, match.get())) {
      const PCRE2_SIZE* bounds = pcre2_get_ovector_pointer(match.get());
      if (bounds[0] > done) sink(text.substr(done, bounds[0] - done));
      sink(text.substr(bounds[0], bounds[1] - bounds[0]));
      done = bounds[1];
    }
    if (done < text.size()) sink(text.substr(done));
  }

 private:
  struct Free {
    void operator()(pcre2_code* code) const { pcre2_code_free(code); }
    void operator()(pcre2_match_data* match) const { pcre2_match_data_free(match); }
  };

  bool find(std::string_view text, std::size_t from, pcre2_match_data* match) const {
    const int count = pcre2_match(code_.get(), reinterpret_cast<PCRE2_SPTR>(text.data()),
                                  text.size(), from, PCRE2_NO_UTF_CHECK, match, nullptr);
    SPECLAB_EXPECT(count > 0 || count == PCRE2_ERROR_NOMATCH,
                   "pattern matching failed with PCRE2 error " + std::to_string(count));
    return count > 0;
  }

  std::unique_ptr<pcre2_code, Free> code_;
};

PreTokenizer::PreTokenizer(std::span<const std::string_view> patterns) {
  for (const std::string_view pattern : patterns)
    stages_.push_back(std::make_unique<Pattern>(pattern));
}

PreTokenizer::~PreTokenizer() = default;

void PreTokenizer::split(std::string_view text, const PieceSink& sink) const {
  split_from(0, text, sink);
}

void PreTokenizer::split_from(std::size_t stage, std::string_view text,
                              const PieceSink& sink) const {
  if (stage == stages_.size()) return sink(text);
  stages_[stage]->split(text, [&](std::string_view piece) { split_from(stage + 1, piece, sink); });
}

}  // namespace speclab::engines
