#include "engines/models/commit_chain.h"

#include <algorithm>
#include <numeric>
#include <vector>

#include "sim/system/errors.h"

namespace speclab::engines {
namespace {

constexpr std::size_t kChunk = 512;

/// Calls work on the chain's chunks in order.
void for_each_chunk(const ChainRows& chain, const auto& work) {
  const std::size_t width = chain.tokens.empty() ? 0 : chain.features.size() / chain.tokens.size();
  for (std::size_t begin = 0; begin < chain.tokens.size(); begin += kChunk) {
    const std::size_t count = std::min(kChunk, chain.tokens.size() - begin);
    work(ChainRows{chain.tokens.subspan(begin, count),
                   chain.features.subspan(begin * width, count * width)});
  }
}

std::vector<ForwardRow> chain_rows(const ChainRows& chain, std::int32_t slot, std::int32_t length) {
  const std::size_t width = chain.features.size() / chain.tokens.size();
  std::vector<ForwardRow> rows;
  for (std::size_t i = 0; i < chain.tokens.size(); ++i) {
    const auto index = static_cast<std::int32_t>(i);
    rows.push_back({chain.tokens[i], length + index, slot, index - 1, false, false,
                    width > 0 ? &chain.features[i * width] : nullptr});
  }
  return rows;
}

ForwardResult commit_rows(LanguageModel& model, KvCache& cache, std::int32_t slot,
                          std::span<const ForwardRow> rows) {
  std::vector<std::int32_t> path(rows.size());
  std::iota(path.begin(), path.end(), 0);
  const ForwardResult result = model.forward(rows, cache);
  cache.commit(slot, path);
  return result;
}

}  // namespace

void commit_chain(LanguageModel& model, KvCache& cache, std::int32_t slot,
                  std::span<const Token> tokens, const HiddenSink& sink) {
  for_each_chunk({tokens}, [&](const ChainRows& chunk) {
    std::vector<ForwardRow> rows = chain_rows(chunk, slot, cache.length(slot));
    for (ForwardRow& row : rows) row.wants_hidden = static_cast<bool>(sink);
    const ForwardResult result = commit_rows(model, cache, slot, rows);
    if (sink) sink(result.hidden);
  });
}

ForwardResult commit_chain_with_logits(LanguageModel& model, KvCache& cache, std::int32_t slot,
                                       const ChainRows& chain) {
  SPECLAB_EXPECT(!chain.tokens.empty(), "logits come after a token");
  ForwardResult result;
  std::size_t done = 0;
  for_each_chunk(chain, [&](const ChainRows& chunk) {
    std::vector<ForwardRow> rows = chain_rows(chunk, slot, cache.length(slot));
    done += rows.size();
    rows.back().wants_logits = rows.back().wants_hidden = done == chain.tokens.size();
    result = commit_rows(model, cache, slot, rows);
  });
  return result;
}

}  // namespace speclab::engines
