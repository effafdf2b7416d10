#include "experiments/drivers/generate/texts.h"

#include <algorithm>
#include <numeric>

namespace speclab::experiments {
namespace {

constexpr std::size_t kPromptChunk = 512;

/// Forwards and commits ids[begin, begin + count) as a chain.
engines::ForwardResult commit(engines::LanguageModel& model, engines::KvCache& cache,
                              const Text& text, std::size_t begin, std::size_t count,
                              bool wants_logits) {
  std::vector<engines::ForwardRow> rows;
  std::vector<std::int32_t> path(count);
  std::iota(path.begin(), path.end(), 0);
  for (const std::int32_t i : path)
    rows.push_back({text.ids[begin + static_cast<std::size_t>(i)],
                    static_cast<std::int32_t>(begin) + i, 0, i - 1, wants_logits});
  const engines::ForwardResult result = model.forward(rows, cache);
  cache.commit(0, path);
  return result;
}

}  // namespace

std::size_t output_tokens(std::span<const Text> texts) {
  std::size_t tokens = 0;
  for (const Text& text : texts) tokens += text.output_length();
  return tokens;
}

void visit_logits_of_rows(engines::LanguageModel& model, const Text& text, std::size_t rows,
                          const std::function<void(std::size_t, std::span<const float>)>& visit) {
  const auto cache = model.make_cache(1, static_cast<std::int32_t>(text.ids.size() + rows));
  cache->begin();
  std::size_t at = 0;
  for (const std::size_t last = text.prompt_length - 1; at < last;
       at += std::min(kPromptChunk, last - at))
    commit(model, *cache, text, at, std::min(kPromptChunk, last - at), false);
  while (at + 1 < text.ids.size()) {
    const std::size_t count = std::min(rows, text.ids.size() - 1 - at);
    const engines::ForwardResult result = commit(model, *cache, text, at, count, true);
    for (std::size_t i = 0; i < count; ++i) visit(at + i + 1, result.row(i));
    at += count;
  }
}

void visit_plain_logits(engines::LanguageModel& model, const Text& text,
                        const std::function<void(std::size_t, std::span<const float>)>& visit) {
  visit_logits_of_rows(model, text, 1, visit);
}

}  // namespace speclab::experiments
