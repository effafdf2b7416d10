// Shapes of passes by name, or in the sizes that are typed.
#include <algorithm>
#include <charconv>
#include <optional>
#include <utility>

#include "sim/analytic/pass_rule.h"
#include "sim/system/errors.h"

namespace speclab::sim {
namespace {

constexpr int kHeadWidth = 64, kGroup = 3, kVocabulary = 49152;  // SmolLM2's
constexpr int kNarrowest = 64, kWidest = 65536, kMostLayers = 1000;

/// From the models' released configurations. GPT-2's shape has three matrices of 2,048 in the place
/// of two of 3,072, as the engine's shape model has.
const std::vector<std::pair<std::string, PassShape>>& named_shapes() {
  static const std::vector<std::pair<std::string, PassShape>> all{
      {"shape-135m", {named_model("smollm2-135m")}},
      {"shape-360m", {{32, 960, 2560, 960, 320, kVocabulary}}},
      {"shape-gpt2-124m", {{12, 768, 2048, 768, 768, 50257}}},
      {"shape-1b", {{16, 2048, 8192, 2048, 512, kVocabulary}}},
      {"shape-3b", {{28, 3072, 8192, 3072, 1024, kVocabulary}, 128}},
      {"shape-8b", {{32, 4096, 14336, 4096, 1024, kVocabulary}, 128}},
      {"shape-llama-3.2-1b", {named_model("llama-3.2-1b")}},
      {"shape-llama-3.1-8b", {named_model("llama-3-8b"), 128}},
  };
  return all;
}

/// Three numbers between two crosses.
std::optional<TransformerShape> typed_sizes(std::string_view text) {
  TransformerShape sizes{.vocab = kVocabulary};
  int* const numbers[] = {&sizes.hidden, &sizes.feed_forward, &sizes.layers};
  for (int* number : numbers) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), *number);
    if (error != std::errc{}) return std::nullopt;
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    const bool is_last = number == &sizes.layers;
    if (is_last != text.empty() || (!is_last && text.front() != 'x')) return std::nullopt;
    if (!is_last) text.remove_prefix(1);
  }
  return sizes;
}

bool is_in_range(const TransformerShape& sizes) {
  return std::min(sizes.hidden, sizes.feed_forward) >= kNarrowest &&
         std::max(sizes.hidden, sizes.feed_forward) <= kWidest && sizes.hidden % kHeadWidth == 0 &&
         sizes.feed_forward % kHeadWidth == 0 && sizes.layers >= 1 && sizes.layers <= kMostLayers;
}

/// Heads are whole groups, as many as come nearest to the hidden width.
TransformerShape with_heads(TransformerShape sizes) {
  const int groups = std::max(1, (sizes.hidden / kHeadWidth + kGroup / 2) / kGroup);
  sizes.kv_width = groups * kHeadWidth;
  sizes.attention_width = sizes.kv_width * kGroup;
  return sizes;
}

[[noreturn]] void refuse_shape(const std::string& text) {
  std::string names;
  for (const auto& [name, shape] : named_shapes()) names += name + ", ";
  throw ConfigError("\"" + escaped(text) + "\" is no shape of a pass; allowed: " + names +
                    "or HIDDENxINTERMEDIATExLAYERS with widths that are multiples of 64 from 64 to "
                    "65536 and 1 to 1000 layers");
}

}  // namespace

PassShape pass_shape(const std::string& text) {
  for (const auto& [name, shape] : named_shapes())
    if (text == name) return shape;
  const std::optional<TransformerShape> sizes = typed_sizes(text);
  if (!sizes || !is_in_range(*sizes)) refuse_shape(text);
  return {with_heads(*sizes), kHeadWidth};
}

}  // namespace speclab::sim
