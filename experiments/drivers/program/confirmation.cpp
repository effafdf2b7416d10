#include "experiments/drivers/program/confirmation.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>

#include "sim/system/errors.h"

namespace speclab::experiments {
namespace {

std::string shown(Token token, const engines::Tokenizer* tokenizer) {
  return tokenizer ? fmt::format("'{}'", escaped(tokenizer->token_text(token), 40))
                   : std::to_string(token);
}

std::int64_t num_confirmed(const std::vector<Confirmation>& all) {
  return std::ranges::count_if(all, &Confirmation::is_confirmed);
}

}  // namespace

Confirmation confirmation(std::int64_t position, Token token, std::span<const float> logits) {
  const auto place = static_cast<std::size_t>(token);
  Confirmation found{.position = position, .token = token, .rank = 1};
  float best_other = -std::numeric_limits<float>::infinity();
  for (std::size_t i = 0; i < logits.size(); ++i) {
    if (logits[i] > logits[static_cast<std::size_t>(found.own)]) found.own = static_cast<Token>(i);
    if (i == place) continue;
    best_other = std::max(best_other, logits[i]);
    if (logits[i] > logits[place] || (logits[i] == logits[place] && i < place)) ++found.rank;
  }
  found.margin = static_cast<double>(logits[place]) - static_cast<double>(best_other);
  return found;
}

nlohmann::ordered_json confirmations_json(const std::vector<Confirmation>& all) {
  nlohmann::ordered_json positions = nlohmann::ordered_json::array();
  for (const Confirmation& one : all)
    positions.push_back({{"position", one.position},
                         {"id", one.token},
                         {"own", one.own},
                         {"rank", one.rank},
                         {"margin", one.margin}});
  return {{"confirmed", num_confirmed(all)}, {"positions", positions}};
}

void print_confirmations(const std::vector<Confirmation>& all,
                         const engines::Tokenizer* tokenizer) {
  for (const Confirmation& one : all)
    fmt::print("{:>6} {:<24} {:<24} rank {:>6}  margin {:+.3f}\n", one.position,
               shown(one.token, tokenizer),
               one.is_confirmed() ? "the model's own" : shown(one.own, tokenizer), one.rank,
               one.margin);
  fmt::print("{} of {} tokens are what the model itself would have said\n", num_confirmed(all),
             all.size());
}

}  // namespace speclab::experiments
