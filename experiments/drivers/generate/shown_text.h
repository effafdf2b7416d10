#pragma once
#include <span>
#include <string>

#include "engines/interface/language_model.h"
#include "experiments/drivers/generate/generate_options.h"
#include "experiments/drivers/generate/result_json.h"
#include "experiments/drivers/generate/text_stream.h"
#include "sim/core/records.h"

namespace speclab::experiments {

/// A text on standard output while rounds make it, in the form that --stream asks for. Nothing is
/// printed with --json, and with --draw-trees the caller prints the text.
class ShownText {
 public:
  /// @param prompt_id  stands in every JSON line; empty: in none
  /// @param tokenizer  outlives this; null where the model has none
  ShownText(const GenerateOptions& mode, std::string prompt_id,
            const engines::Tokenizer* tokenizer);

  /// Shows the prompt where it is not skipped.
  void begin(std::span<const Token> prompt_ids);
  /// Shows the tokens that came since the last call. @param is_last  nothing follows
  void show(const GenerationRecord& record, bool is_last);
  const std::string& text() const { return stream_.text(); }

 private:
  void show_token(const GenerationRecord& record, std::size_t index, const std::string& piece);

  bool has_tokenizer_, has_lines_, is_silent_, skips_prompt_;
  std::string prompt_id_;
  TextStream stream_;
  std::size_t num_shown_ = 0;
};

/// A line on standard error: times, bytes and energy of a text that rounds made.
void print_summary(const std::string& drafter, const engines::ModelInfo& model,
                   const Outcome& outcome);

/// A line on standard error for --side-by-side.
void print_comparison(const GenerationRecord& plain, const GenerationRecord& drafted);

}  // namespace speclab::experiments
