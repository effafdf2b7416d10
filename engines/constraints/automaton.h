#pragma once
#include <array>
#include <cstdint>
#include <string>
#include <string_view>
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

/// A deterministic automaton that reads whole texts byte by byte. From every state that it can
/// enter, the end of some text of the language can be reached.
class Automaton {
 public:
  static constexpr std::int32_t kNoState = -1;
  static constexpr std::size_t kMostStates = 32'768;
  static constexpr std::size_t kMostSteps = 50'000'000;  ///< of its construction

  /// @param name  of the expression, for messages
  /// @throws ConfigError if the expression matches no text, or needs too many states or steps
  /// @source Rabin and Scott 1959, the subset construction
  Automaton(const Expression& expression, std::string name);

  const std::string& name() const { return name_; }
  std::size_t num_states() const { return accepts_.size(); }
  std::int32_t start() const { return 0; }
  /// The state behind a byte; kNoState if no text of the language goes on so.
  std::int32_t next(std::int32_t state, unsigned char byte) const {
    return next_[static_cast<std::size_t>(state) * num_classes_ + class_of_[byte]];
  }
  /// The state behind all bytes of a text.
  std::int32_t after(std::int32_t state, std::string_view text) const;
  /// Whether a text may end here.
  bool accepts(std::int32_t state) const { return accepts_[static_cast<std::size_t>(state)]; }
  bool matches(std::string_view text) const;

 private:
  void keep_live_states();

  std::string name_;
  std::array<std::uint8_t, 256> class_of_{};  ///< bytes of one class are never told apart
  std::size_t num_classes_ = 0;
  std::vector<std::int32_t> next_;  ///< [state, class]
  std::vector<bool> accepts_;
};

}  // namespace speclab::engines
