#pragma once
// One forward over a text says at every place what the model itself would have said.

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <vector>

#include "engines/interface/tokenizer.h"

namespace speclab::experiments {

/// A token of a text beside the model's own choice after the tokens before it.
struct Confirmation {
  std::int64_t position = 0;  ///< in the text, from 0
  Token token = 0;
  Token own = 0;          ///< the likeliest token, the lowest id on ties
  std::int64_t rank = 0;  ///< of the text's token, 1 for the likeliest
  double margin = 0;      ///< logit of the text's token minus the best other logit

  bool is_confirmed() const { return own == token; }
};

/// @param logits  [vocab], after the token before `position`
Confirmation confirmation(std::int64_t position, Token token, std::span<const float> logits);

/// Keys `confirmed` and `positions`.
nlohmann::ordered_json confirmations_json(const std::vector<Confirmation>& all);

/// A line for each place, then their sum. @param tokenizer  null: ids in place of texts
void print_confirmations(const std::vector<Confirmation>& all, const engines::Tokenizer* tokenizer);

}  // namespace speclab::experiments
