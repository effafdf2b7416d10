#include "experiments/drivers/generate/text_logits.h"

#include <algorithm>
#include <vector>

namespace speclab::experiments {

void visit_logits(engines::LanguageModel& model, std::span<const Token> ids,
                  const std::function<void(std::size_t, std::span<const float>)>& visit) {
  constexpr std::size_t kChunk = 64;
  const auto cache = model.make_cache(1, static_cast<std::int32_t>(ids.size()));
  const std::int32_t slot = cache->begin();
  for (std::size_t begin = 0; begin < ids.size(); begin += kChunk) {
    const std::size_t count = std::min(kChunk, ids.size() - begin);
    std::vector<engines::ForwardRow> rows;
    std::vector<std::int32_t> path;
    for (std::size_t i = 0; i < count; ++i) {
      rows.push_back({ids[begin + i], static_cast<std::int32_t>(begin + i), slot,
                      static_cast<std::int32_t>(i) - 1});
      path.push_back(static_cast<std::int32_t>(i));
    }
    const engines::ForwardResult result = model.forward(rows, *cache);
    for (std::size_t i = 0; i < count; ++i) visit(begin + i, result.row(i));
    cache->commit(slot, path);
  }
}

}  // namespace speclab::experiments
