#include "experiments/bench/verification/drawn_drafts.h"

#include <algorithm>
#include <cmath>

#include "engines/interface/names.h"
#include "engines/sampling/logits_pipeline.h"
#include "sim/core/law_sampling.h"
#include "sim/core/rng_stream.h"

namespace speclab::bench {

Logits::Logits(std::size_t vocab_size, std::uint32_t rows) {
  const RngStream stream(5);
  const auto normal = [&](std::uint32_t row, std::uint32_t i, std::uint32_t which) {
    const double u = stream.uniform({row, i, Purpose::weights, 2 * which}),
                 v = stream.uniform({row, i, Purpose::weights, 2 * which + 1});
    return std::sqrt(-2.0 * std::log(1.0 - u)) * std::cos(6.283185307179586 * v);
  };
  for (std::uint32_t row = 0; row < rows; ++row) {
    target.emplace_back(vocab_size);
    draft.emplace_back(vocab_size);
    for (std::uint32_t i = 0; i < vocab_size; ++i) {
      const double common = 3.0 * normal(row, i, 0);
      target.back()[i] = static_cast<float>(common);
      draft.back()[i] = static_cast<float>(common + normal(row, i, 1));
    }
  }
}

Draft draw_draft(const Logits& logits, const std::string& verifier, const DraftShape& shape,
                 std::uint32_t position) {
  engines::LogitsPipeline pipeline({});
  PhiloxChance chance(1);
  std::vector<float> scratch;
  Draft draft;
  const std::vector<int> parents = TreeShape::parse(shape.tree, 0).parents();
  const bool has_siblings = shape.tree != std::string_view(kChain.tree);
  const bool without_replacement =
      has_siblings && !engines::verifier_traits(verifier).samples_independently;
  draft.reset(0, without_replacement ? DrawKind::sampled_without_replacement : DrawKind::sampled);
  for (TokenTree::Node parent = 0; parent < kDraftLength; ++parent) {
    const auto children = static_cast<std::size_t>(std::ranges::count(parents, parent));
    if (children == 0) continue;
    Law& law = draft.law_for(parent);
    pipeline.law(logits.draft[static_cast<std::size_t>(parent)], {}, law);
    StreamKey key = draft_key({0, position, 0}, parent, parent + 1);
    std::vector<Token> tokens;
    if (without_replacement)
      sample_without_replacement(law, children, key, chance, scratch, tokens);
    else
      for (; tokens.size() < children; ++key.draw)
        tokens.push_back(sample(law, key, chance, scratch));
    for (const Token token : tokens) draft.add(parent, token);
  }
  return draft;
}

}  // namespace speclab::bench
