#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "engines/families/widened_model.h"
#include "engines/interface/names.h"
#include "sim/system/errors.h"

namespace speclab::engines {
namespace {

constexpr std::int32_t kMultiple = 64;
constexpr double kLikeness = 0.02;  ///< of the weights of a layer to those of its shape

/// A size beside the limits that it has to keep.
struct NamedSize {
  const char* name;
  std::int32_t found, least, most, multiple;
};

std::array<NamedSize, 3> named_sizes(const WideSizes& sizes, const DecoderShape& source) {
  constexpr auto kWidest = static_cast<std::int32_t>(DecoderLimits::kWidest);
  return {
      {{"a hidden size", sizes.hidden, source.hidden_size, kWidest / 16, kMultiple},
       {"an intermediate size", sizes.intermediate, source.intermediate_size, kWidest, kMultiple},
       {"a number of layers", sizes.layers, source.num_layers, DecoderLimits::kMostLayers, 1}}};
}

std::optional<NamedSize> first_unfit(const WideSizes& sizes, const DecoderShape& source) {
  for (const NamedSize& size : named_sizes(sizes, source))
    if (size.found < size.least || size.found > size.most || size.found % size.multiple != 0)
      return size;
  return std::nullopt;
}

/// Weights of the matrices of a layer.
std::int64_t layer_weights(const DecoderShape& shape) {
  using enum TensorRole;
  std::int64_t weights = 0;
  for (const TensorRole role : {query, key, value, attention_output, gate, up, down})
    if (has_role(role, shape, 0)) weights += num_elements(role, shape);
  return weights;
}

WideSizes sizes_of(const DecoderShape& shape) {
  return {shape.hidden_size, shape.intermediate_size, shape.num_layers};
}

double unlikeness(const DecoderShape& shape, const DecoderShape& source) {
  const auto wanted = static_cast<double>(layer_weights(shape));
  return static_cast<double>(layer_weights(widened_shape(source, sizes_of(shape)))) / wanted - 1;
}

bool is_fit(const DecoderShape& shape, const DecoderShape& source) {
  return !first_unfit(sizes_of(shape), source) && std::abs(unlikeness(shape, source)) <= kLikeness;
}

std::string fitting_shapes(const DecoderShape& source) {
  std::vector<std::string> names;
  for (const DecoderShape& shape : shape_models())
    if (is_fit(shape, source)) names.push_back(shape.name);
  return fmt::format("{}", fmt::join(names, ", "));
}

[[noreturn]] void refuse_shape(const std::string& text, const std::string& why,
                               const DecoderShape& source) {
  throw ConfigError(fmt::format(
      "model '{}{}': {}; allowed: {}, or HIDDENxINTERMEDIATExLAYERS with widths that are "
      "multiples of {}, hidden from {}, intermediate from {}, and {} layers or more",
      kWidenedModelPrefix, escaped(text, 60), why, fitting_shapes(source), kMultiple,
      source.hidden_size, source.intermediate_size, source.num_layers));
}

/// Three numbers between two crosses.
std::optional<WideSizes> read_sizes(std::string_view text) {
  std::array<std::int32_t, 3> numbers{};
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), numbers[i]);
    if (error != std::errc{}) return std::nullopt;
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    const bool is_last = i + 1 == numbers.size();
    if (is_last != text.empty() || (!is_last && text.front() != 'x')) return std::nullopt;
    if (!is_last) text.remove_prefix(1);
  }
  return WideSizes{numbers[0], numbers[1], numbers[2]};
}

void require_fit(const std::string& text, const WideSizes& sizes, const DecoderShape& source) {
  if (const std::optional<NamedSize> size = first_unfit(sizes, source))
    refuse_shape(text, fmt::format("{} of {}", size->name, size->found), source);
}

}  // namespace

std::optional<std::string> wide_shape_of(const std::string& model) {
  if (!model.starts_with(kWidenedModelPrefix)) return std::nullopt;
  return model.substr(std::string_view(kWidenedModelPrefix).size());
}

WideSizes wide_sizes(const std::string& text, const DecoderShape& source) {
  if (const std::optional<WideSizes> sizes = read_sizes(text)) {
    require_fit(text, *sizes, source);
    return *sizes;
  }
  const std::vector<DecoderShape> shapes = shape_models();
  const auto shape = std::ranges::find(shapes, text, &DecoderShape::name);
  if (shape == shapes.end()) refuse_shape(text, "no such shape", source);
  require_fit(text, sizes_of(*shape), source);
  if (!is_fit(*shape, source))
    refuse_shape(text,
                 fmt::format("a widened layer has {:+.0f} % of the weights of its layers, beyond "
                             "the {:.0f} % that heads of {} in groups of {} may make",
                             100 * unlikeness(*shape, source), 100 * kLikeness, source.head_dim,
                             source.num_heads / source.num_kv_heads),
                 source);
  return sizes_of(*shape);
}

DecoderShape widened_shape(const DecoderShape& source, const WideSizes& sizes) {
  SPECLAB_EXPECT(!first_unfit(sizes, source), "sizes that the source can take");
  SPECLAB_EXPECT(source.family == "llama" && !beyond_llama(source), "a model of Llama's shape");
  DecoderShape wide = source;
  const std::int32_t group = source.num_heads / source.num_kv_heads;
  const std::int32_t heads = sizes.hidden / source.head_dim;
  wide.hidden_size = sizes.hidden;
  wide.intermediate_size = sizes.intermediate;
  wide.num_layers = sizes.layers;
  wide.num_kv_heads = std::max(source.num_kv_heads, (heads + group / 2) / group);
  wide.num_heads = wide.num_kv_heads * group;
  wide.tied_embeddings = source.tied_embeddings && sizes.hidden == source.hidden_size;
  wide.state_width = source.hidden_size;
  wide.widened_from = fmt::format("{}, {}x{}x{}", source.name, source.hidden_size,
                                  source.intermediate_size, source.num_layers);
  return wide;
}

LayerOfSource layer_of_source(std::int32_t layer, std::int32_t layers, std::int32_t source_layers) {
  const auto third = [](std::int32_t all, std::int32_t part) { return all * part / 3; };
  std::int32_t part = 0;
  while (source_layers >= 3 && part < 2 && layer >= third(layers, part + 1)) ++part;
  const bool is_whole = source_layers < 3;
  const std::int32_t first = is_whole ? 0 : third(source_layers, part),
                     end = is_whole ? source_layers : third(source_layers, part + 1),
                     place = layer - (is_whole ? 0 : third(layers, part));
  return {std::min(first + place, end - 1), first + place < end};
}

}  // namespace speclab::engines
