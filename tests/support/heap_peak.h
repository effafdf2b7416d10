#pragma once
#include <cstddef>

namespace speclab::testing {

/// Bytes that operator new has handed out and not got back. Counted in programs that link
/// speclab_heap_peak.
std::size_t heap_bytes();
/// The largest heap_bytes() since the last call of reset_heap_peak().
std::size_t heap_peak();
void reset_heap_peak();

}  // namespace speclab::testing
