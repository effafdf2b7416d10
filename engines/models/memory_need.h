#pragma once
// Whether a model fits into memory, asked before its weights are loaded.

#include <cstdint>
#include <optional>
#include <string>

namespace speclab::engines {

/// Memory that a program can still take, in bytes: available memory and free swap, or what the
/// limit of its control group leaves if that is less. Nothing where the system does not say.
/// @param root  where /proc and /sys lie
std::optional<std::int64_t> available_memory(const std::string& root = "");

/// @param needed_bytes  at the highest point of loading: DecoderCpu::bytes_to_load and its likes
/// @param dtype         "float32" or "bfloat16", how the weights will be held
/// @param available     bytes; nothing: not known, and nothing is refused
/// @throws OutOfMemoryError with both sizes, if loading needs more than is available
void require_memory(const std::string& model, std::int64_t needed_bytes, const std::string& dtype,
                    std::optional<std::int64_t> available);

}  // namespace speclab::engines
