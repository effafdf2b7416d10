#pragma once
// Texts that a verification walks through token by token, as plain decoding would.

#include <functional>
#include <span>
#include <vector>

#include "engines/interface/language_model.h"

namespace speclab::experiments {

/// A prompt and what a decoder made of it.
struct Text {
  std::vector<Token> ids;
  std::size_t prompt_length = 0;

  std::size_t output_length() const { return ids.size() - prompt_length; }
};

/// Called with the tokens of the output that a long comparison has read or written since the last
/// call.
using TokensDone = std::function<void(std::size_t tokens)>;

/// Tokens of all outputs.
std::size_t output_tokens(std::span<const Text> texts);

/// The logits before each token of the output, of a forward of one row each: those that plain
/// decoding samples from.
/// @param visit  visit(index, logits): logits of the law of text.ids[index], [vocab]; valid during
/// the call
void visit_plain_logits(engines::LanguageModel& model, const Text& text,
                        const std::function<void(std::size_t, std::span<const float>)>& visit);

/// The same logits of forwards of `rows` rows, as verification computes them.
void visit_logits_of_rows(engines::LanguageModel& model, const Text& text, std::size_t rows,
                          const std::function<void(std::size_t, std::span<const float>)>& visit);

}  // namespace speclab::experiments
