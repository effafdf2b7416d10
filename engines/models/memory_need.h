#pragma once
// Whether a model fits into memory, asked before anything of it is read.

#include <cstdint>
#include <optional>
#include <string>

namespace speclab::engines {

/// Memory that a program can still take, in bytes: available memory and free swap, or the limit of
/// its control group if that is less. Nothing where the system does not say.
/// @param root  where /proc and /sys lie
std::optional<std::int64_t> available_memory(const std::string& root = "");

/// @param num_parameters  of the model
/// @param dtype           "float32" or "bfloat16", how the weights will be held
/// @param available       bytes; nothing: not known, and nothing is refused
/// @throws OutOfMemoryError with both sizes, if the weights alone need more than is available
void require_memory(const std::string& model, std::int64_t num_parameters, const std::string& dtype,
                    std::optional<std::int64_t> available);

}  // namespace speclab::engines
