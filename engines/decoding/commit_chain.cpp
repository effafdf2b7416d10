#include "engines/decoding/commit_chain.h"

#include <algorithm>
#include <numeric>
#include <vector>

#include "sim/core/errors.h"

namespace speclab::engines {
namespace {

constexpr std::size_t kChunk = 512;

ForwardResult commit_chunk(LanguageModel& model, KvCache& cache, std::int32_t slot, std::span<const Token> tokens, bool wants_logits) {
  const std::int32_t length = cache.length(slot);
  std::vector<ForwardRow> rows;
  std::vector<std::int32_t> path(tokens.size());
  std::iota(path.begin(), path.end(), 0);
  for (const std::int32_t i : path)
    rows.push_back({tokens[static_cast<std::size_t>(i)], length + i, slot, i - 1, wants_logits && static_cast<std::size_t>(i) + 1 == tokens.size()});
  const ForwardResult result = model.forward(rows, cache);
  cache.commit(slot, path);
  return result;
}

}  // namespace

void commit_chain(LanguageModel& model, KvCache& cache, std::int32_t slot, std::span<const Token> tokens) {
  for (; !tokens.empty(); tokens = tokens.subspan(std::min(kChunk, tokens.size())))
    commit_chunk(model, cache, slot, tokens.first(std::min(kChunk, tokens.size())), false);
}

ForwardResult commit_chain_with_logits(LanguageModel& model, KvCache& cache, std::int32_t slot, std::span<const Token> tokens) {
  SPECLAB_EXPECT(!tokens.empty(), "logits come after a token");
  const std::size_t last_chunk = std::min(kChunk, tokens.size());
  commit_chain(model, cache, slot, tokens.first(tokens.size() - last_chunk));
  return commit_chunk(model, cache, slot, tokens.last(last_chunk), true);
}

}  // namespace speclab::engines
