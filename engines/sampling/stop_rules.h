#pragma once
// Where a generation ends: length, end of sequence, stop strings; also in the middle of an accepted
// block.

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "engines/interface/round_decoder.h"
#include "engines/interface/tokenizer.h"

namespace speclab::engines {

/// Tokens that end a text: those of the options, else the tokenizer's; none if ends are ignored.
std::vector<Token> ends_of(const StopOptions& options, const Tokenizer* tokenizer);

/// Applies the stop rules of one sequence to tokens as they are emitted.
class StopRules {
 public:
  /// @throws ConfigError if stop strings are wanted without a tokenizer, one is empty, or
  /// max_new_tokens < 1
  StopRules(const StopOptions& options, std::shared_ptr<const Tokenizer> tokenizer);

  void begin();
  /// @return true if the sequence ends with `token` (which is kept)
  bool ends_with(Token token, StopReason& reason);

 private:
  bool is_end(Token token) const;
  bool ends_with_string(Token token);

  StopOptions options_;
  std::shared_ptr<const Tokenizer> tokenizer_;
  std::unique_ptr<StreamingDecoder> decoder_;
  std::string tail_;  ///< emitted text, as much as the longest stop string can reach back
  std::int32_t emitted_ = 0;
  std::int64_t begun_ns_ = 0;
};

}  // namespace speclab::engines
