#pragma once
// Readers of a model's shape and of the places of its tensors.

#include <string>
#include <vector>

namespace speclab::fuzz {

/// A config.json of any family.
void read_shape(const std::string& bytes);
std::vector<std::string> shape_seeds();
/// A GGUF file of any architecture: its shape, and every tensor that the shape wants.
void read_gguf_model(const std::string& bytes);
std::vector<std::string> gguf_model_seeds();

}  // namespace speclab::fuzz
