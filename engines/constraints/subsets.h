#pragma once
#include <array>
#include <map>
#include <string>
#include <vector>

#include "engines/constraints/byte_graph.h"

namespace speclab::engines {

/// The subset construction: states are sets of places of a graph, and state 0 is the start.
class Subsets {
 public:
  /// @param name  of the expression, for messages
  /// @throws ConfigError if there are more states or steps than Automaton allows
  Subsets(const ByteGraph& graph, const std::string& name);

  std::array<std::uint8_t, 256> class_of{};
  std::size_t num_classes = 0;
  std::vector<std::int32_t> next{};  ///< [state, class]; -1 for the empty set
  std::vector<bool> accepts{};

 private:
  using Places = std::vector<std::int32_t>;

  void find_classes();
  void add_state(const Places& places);
  std::int32_t state_of(Places places);
  /// Places that read a byte or are the end, reached from `open` without a byte; sorted.
  Places closure(Places open);
  void count_steps(std::size_t steps);

  const ByteGraph& graph_;
  const std::string& name_;
  std::map<Places, std::int32_t> states_;
  std::vector<const Places*> sets_;  ///< of each state
  std::vector<std::uint32_t> seen_;  ///< of each place: the closure that met it last
  std::uint32_t num_closures_ = 0;
  std::size_t num_steps_ = 0;
};

}  // namespace speclab::engines
