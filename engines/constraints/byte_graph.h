#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "engines/constraints/expression.h"

namespace speclab::engines {

/// Bytes from the first to the last, both included.
struct ByteRange {
  std::uint8_t first, last;
};

/// A nondeterministic automaton on bytes.
struct ByteGraph {
  static constexpr std::int32_t kNone = -1;
  struct Place {
    ByteRange bytes{};                    ///< that lead to `next`
    std::int32_t next = kNone;            ///< kNone: no byte leads on
    std::vector<std::int32_t> free_to{};  ///< places that are reached without a byte
  };
  std::vector<Place> places;
  std::int32_t start = 0, end = 0;
};

/// @param name  of the expression, for messages
/// @throws ConfigError if it has more than kMostPlaces places
/// @source Thompson 1968, Regular expression search algorithm
ByteGraph byte_graph_of(const Expression& expression, const std::string& name);

inline constexpr std::size_t kMostPlaces = 200'000;

/// @throws ConfigError that says that a constraint is too large
[[noreturn]] void refuse_size(const std::string& name, const std::string& found,
                              const std::string& allowed);

}  // namespace speclab::engines
