#include "experiments/drivers/measure/forward_timer.h"

#include <algorithm>
#include <chrono>
#include <numeric>

namespace speclab::experiments {

ForwardTimer::ForwardTimer(engines::LanguageModel& model, int context, int max_rows,
                           std::vector<Token> tokens)
    : model_(model),
      tokens_(std::move(tokens)),
      cache_(model.make_cache(1, context + max_rows)),
      slot_(cache_->begin()) {
  while (cache_->length(slot_) < context) commit(std::min(256, context - cache_->length(slot_)));
}

double ForwardTimer::forward_ns(int rows) {
  const auto forward_rows = chain(rows);
  const auto begin = std::chrono::steady_clock::now();
  model_.forward(forward_rows, *cache_);
  return static_cast<double>(
      std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now() - begin)
          .count());
}

std::vector<engines::ForwardRow> ForwardTimer::chain(int rows) const {
  const std::int32_t context = cache_->length(slot_);
  std::vector<engines::ForwardRow> chain;
  for (int i = 0; i < rows; ++i)
    chain.push_back({tokens_[static_cast<std::size_t>(context + i) % tokens_.size()], context + i,
                     slot_, i - 1});
  return chain;
}

void ForwardTimer::commit(int rows) {
  auto forward_rows = chain(rows);
  for (engines::ForwardRow& row : forward_rows) row.wants_logits = false;
  std::vector<std::int32_t> path(forward_rows.size());
  std::iota(path.begin(), path.end(), 0);
  model_.forward(forward_rows, *cache_);
  cache_->commit(slot_, path);
}

}  // namespace speclab::experiments
