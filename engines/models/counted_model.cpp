#include "engines/models/counted_model.h"

namespace speclab::engines {

std::int64_t forward_bytes(const ModelInfo& info, std::span<const ForwardRow> rows,
                           const KvCache& cache) {
  std::int64_t cached_tokens = 0;
  for (std::size_t i = 0; i < rows.size(); ++i)
    if (i == 0 || rows[i].sequence != rows[i - 1].sequence)
      cached_tokens += cache.length(rows[i].sequence);
  const bool is_wide = info.narrow_rows > 0 && std::ssize(rows) > info.narrow_rows;
  return (is_wide ? info.wide_weight_bytes : info.weight_bytes) +
         cached_tokens * info.cache_bytes_per_token;
}

ForwardResult CountedModel::forward(std::span<const ForwardRow> rows, KvCache& cache) {
  const std::int64_t bytes = forward_bytes(info(), rows, cache);
  const ForwardResult result = model_.forward(rows, cache);
  bytes_read_ += bytes;
  return result;
}

}  // namespace speclab::engines
