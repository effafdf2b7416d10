#include "engines/drafters/allowed_laws.h"

#include <algorithm>

#include "sim/system/errors.h"

namespace speclab::engines {
namespace {

bool keep_allowed_entries(const std::vector<bool>& allowed, Law& law) {
  std::vector<LawEntry<float>> kept;
  float total = 0;
  for (const LawEntry<float>& entry : law.entries()) {
    if (!allowed[static_cast<std::size_t>(entry.token)]) continue;
    kept.push_back(entry);
    total += entry.probability;
  }
  if (!(total > 0)) return false;
  if (kept.size() == law.entries().size()) return true;
  for (LawEntry<float>& entry : kept) entry.probability /= total;
  law.assign_sparse(law.vocab_size(), kept);
  return true;
}

bool keep_allowed_values(const std::vector<bool>& allowed, Law& law) {
  std::vector<float> values(law.dense_values().begin(), law.dense_values().end());
  double total = 0, taken = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    (allowed[i] ? total : taken) += static_cast<double>(values[i]);
    if (!allowed[i]) values[i] = 0;
  }
  if (!(total > 0)) return false;
  if (taken == 0) return true;
  for (float& value : values) value = static_cast<float>(static_cast<double>(value) / total);
  std::ranges::copy(values, law.assign_dense(values.size()).begin());
  return true;
}

}  // namespace

const AllowedTokens* allowed_in_draft(const TokenMask& mask, std::span<const Token> new_tokens) {
  try {
    return &mask.allowed(new_tokens);
  } catch (const ConfigError&) {
    return nullptr;
  }
}

bool keep_allowed_tokens(const std::vector<bool>& allowed, Law& law) {
  return law.form() == Law::Form::dense ? keep_allowed_values(allowed, law)
                                        : keep_allowed_entries(allowed, law);
}

}  // namespace speclab::engines
