#include <memory>

#include "engines/sampling/logits_pipeline.h"
#include "experiments/bench/ngrams/made_up_text.h"
#include "experiments/bench/suite/suite.h"
#include "experiments/bench/verification/drawn_drafts.h"

namespace speclab::bench {
namespace {

constexpr std::uint32_t kRows = 8;
constexpr std::size_t kVocab = 8192, kCutVocab = 4096,
                      kTypicalVocab =
                          128;  // so that a family takes no more of the gate than others

/// The laws of rows of logits behind 200 tokens; of several, for a branch predictor learns the only
/// one.
class Processing {
 public:
  Processing(const engines::SamplingOptions& options, std::size_t vocab_size)
      : pipeline_(options), logits_(vocab_size, kRows), history_(made_up_text(200, 1)) {
    for (Token& token : history_) token %= static_cast<Token>(vocab_size);
  }

  std::uint64_t operator()() {
    Checksum checksum;
    for (const std::vector<float>& row : logits_.target) {
      pipeline_.law(row, history_, law_);
      const std::size_t support =
          law_.form() == Law::Form::dense ? law_.vocab_size() : law_.entries().size();
      checksum.add(support).add(static_cast<std::uint64_t>(law_.arg_max()));
    }
    return checksum.value();
  }

 private:
  engines::LogitsPipeline pipeline_;
  Logits logits_;
  std::vector<Token> history_;
  Law law_;
};

void add(const Suite& suite, const std::string& name, const engines::SamplingOptions& options,
         std::size_t vocab_size = kVocab) {
  suite.add("processors/" + name, [options, vocab_size] {
    const auto processing = std::make_shared<Processing>(options, vocab_size);
    return [processing] { return (*processing)(); };
  });
}

}  // namespace

void add_processors(const Suite& suite) {
  add(suite, "temperature", {.temperature = 0.8});
  add(suite, "top_k", {.temperature = 0.8, .top_k = 50});
  add(suite, "top_p", {.temperature = 0.8, .top_p = 0.9}, kCutVocab);
  add(suite, "min_p", {.temperature = 0.8, .min_p = 0.05}, kCutVocab);
  add(suite, "typical_p", {.temperature = 0.8, .typical_p = 0.9}, kTypicalVocab);
  add(suite, "repetition_penalty",
      {.temperature = 0.8, .repetition_penalty = 1.2, .no_repeat_ngram_size = 3});
}

}  // namespace speclab::bench
