#pragma once
#include <cstdint>
#include <string>

namespace speclab::experiments {

/// Processors that this process may use.
int num_processors();

/// A warning for more threads than processors, which share them and are slower; else empty.
std::string threads_warning(std::int32_t threads, int processors);

/// Says it on standard error.
void warn_of_threads(std::int32_t threads);

}  // namespace speclab::experiments
