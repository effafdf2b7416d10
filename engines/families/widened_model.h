#pragma once
// A small model in the sizes of a larger one. Zeros and layers that add nothing keep its text, its
// logits and its acceptance, while a forward reads the bytes of the larger layers.

#include <optional>
#include <string>
#include <string_view>

#include "engines/families/catalogue.h"

namespace speclab::engines {

/// Sizes that a small model takes.
struct WideSizes {
  std::int32_t hidden = 0, intermediate = 0, layers = 0;
};

/// The part of "widened:SHAPE" behind the colon; nothing where the name begins otherwise.
std::optional<std::string> wide_shape_of(const std::string& model);

/// @param text    name of a shape model, or "HIDDENxINTERMEDIATExLAYERS"
/// @param source  the model that takes the sizes
/// @throws ConfigError for a shape that is unknown, narrower than the source, of widths that are no
/// multiples of 64, of fewer layers, or whose layers are not as large as the widened ones
WideSizes wide_sizes(const std::string& text, const DecoderShape& source);

/// The source in these sizes. Heads keep their width and their groups, and their number is the
/// nearest that whole groups allow. Vocabulary, context and positions stay.
/// @throws ContractError for sizes that the source cannot take
DecoderShape widened_shape(const DecoderShape& source, const WideSizes& sizes);

/// The weights of the source with zeros where larger sizes would add anything, and with further
/// values of the source where only zeros are multiplied. Norms average over the source's width, so
/// logits and states have the source's bits at every size.
ModelSource widened_model(ModelSource source, const WideSizes& sizes);

/// The layer of the source that a layer has, and whether it adds to the residual stream.
struct LayerOfSource {
  std::int32_t layer;
  bool adds;
};
/// Further layers end the thirds of the larger model, so the streams that drafters read behind
/// thirds (DecoderShape::state_layers) are the source's.
LayerOfSource layer_of_source(std::int32_t layer, std::int32_t layers, std::int32_t source_layers);

}  // namespace speclab::engines
