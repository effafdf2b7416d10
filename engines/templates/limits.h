#pragma once
#include <cstddef>
#include <cstdint>

namespace speclab::templates {

/// Bounds of one template and of one rendering. Templates come with models, so they are not
/// trusted. The templates of known models stay below a hundredth of each.
struct Limits {
  std::size_t source_bytes = std::size_t{1} << 20;
  std::size_t nesting = 200;             ///< of expressions and blocks in the source
  std::uint64_t steps = 20'000'000;      ///< evaluated nodes; 8 a round of a loop, 1 for 64
                                         ///< bytes that are read, written or compared, 1 for
                                         ///< 4 whose characters are looked at one by one
  std::size_t output_bytes = 64u << 20;  ///< of the rendered text
  std::size_t made_bytes = 256u << 20;   ///< of all values that a rendering makes
  std::size_t text_bytes = 64u << 20;    ///< of one text
  std::size_t range_items = 100'000;     ///< @source jinja2's sandbox: MAX_RANGE
  std::size_t evaluation_depth = 1'000;  ///< nested evaluations, over all macros that are open
  std::size_t value_depth = 200;         ///< lists and maps in each other, where they are read
};

}  // namespace speclab::templates
