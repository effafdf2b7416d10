#pragma once
#include "engines/interface/round_decoder.h"
#include "engines/interface/tokenizer.h"
#include "sim/core/records.h"

namespace speclab::experiments {

/// What must hold of every generation, whatever decoded it, before its times mean anything: the
/// rounds emitted the output's tokens, each has its fate, and an end of sequence stands last, if
/// there is one.
/// @param stop  the rules it was to end by
/// @throws ContractError naming what does not hold
void check_generation(const GenerationRecord& record, const engines::StopOptions& stop,
                      const engines::Tokenizer& tokenizer);

/// A search keeps all of this but the count of tokens: it may take steps behind the end of its best
/// text.
void check_ending(const GenerationRecord& record, const engines::StopOptions& stop,
                  const engines::Tokenizer& tokenizer);

/// What must hold of its text: what is streamed token by token is the whole, and its tokens, made
/// anew from it, spell it again. They need not be the same ones, for a model may sample a spelling
/// that the tokenizer does not choose; bytes that no token spells alone are left out.
/// @throws ContractError naming what does not hold
void check_text(std::span<const Token> output_ids, const engines::Tokenizer& tokenizer);

}  // namespace speclab::experiments
