#include "engines/constraints/automaton.h"

#include <fmt/format.h>

#include <algorithm>
#include <bitset>
#include <map>
#include <utility>

#include "sim/system/errors.h"

namespace speclab::engines {
namespace {

/// The subset construction: states are sets of places of a graph, and state 0 is the start.
class Subsets {
 public:
  /// @param name  of the expression, for messages
  /// @throws ConfigError if there are more states or steps than Automaton allows
  Subsets(const ByteGraph& graph, const std::string& name)
      : graph_(graph), name_(name), seen_(graph.places.size()) {
    find_classes();
    state_of(closure({graph.start}));
    for (std::size_t state = 0; state < sets_.size(); ++state) add_state(*sets_[state]);
  }

  std::array<std::uint8_t, 256> class_of{};
  std::size_t num_classes = 0;
  std::vector<std::int32_t> next{};  ///< [state, class]; -1 for the empty set
  std::vector<bool> accepts{};

 private:
  using Places = std::vector<std::int32_t>;

  /// A class begins where the bytes of any place begin or end.
  void find_classes() {
    std::bitset<257> begins;
    begins.set(0);
    for (const ByteGraph::Place& place : graph_.places) {
      if (place.next == ByteGraph::kNone) continue;
      begins.set(place.bytes.first);
      begins.set(place.bytes.last + std::size_t{1});
    }
    for (std::size_t byte = 0; byte < class_of.size(); ++byte) {
      num_classes += begins[byte];
      class_of[byte] = static_cast<std::uint8_t>(num_classes - 1);
    }
  }

  void add_state(const Places& places) {
    std::vector<Places> reached(num_classes);
    for (const std::int32_t index : places) {
      const ByteGraph::Place& place = graph_.places[static_cast<std::size_t>(index)];
      if (place.next == ByteGraph::kNone) continue;
      const std::size_t last = class_of[place.bytes.last];
      for (std::size_t one = class_of[place.bytes.first]; one <= last; ++one)
        reached[one].push_back(place.next);
    }
    for (Places& open : reached) {
      count_steps(1 + open.size());
      next.push_back(open.empty() ? Automaton::kNoState : state_of(closure(std::move(open))));
    }
  }

  std::int32_t state_of(Places places) {
    const bool is_accepting = std::ranges::binary_search(places, graph_.end);
    const auto [found, is_new] =
        states_.try_emplace(std::move(places), static_cast<std::int32_t>(sets_.size()));
    if (!is_new) return found->second;
    if (sets_.size() == Automaton::kMostStates)
      refuse_size(name_, fmt::format("more than {} states", Automaton::kMostStates),
                  "at most as many");
    sets_.push_back(&found->first);
    accepts.push_back(is_accepting);
    return found->second;
  }

  /// Places that read a byte or are the end, reached from `open` without a byte; sorted.
  Places closure(Places open) {
    Places kept;
    ++num_closures_;
    while (!open.empty()) {
      const std::int32_t index = open.back();
      open.pop_back();
      if (std::exchange(seen_[static_cast<std::size_t>(index)], num_closures_) == num_closures_)
        continue;
      const ByteGraph::Place& place = graph_.places[static_cast<std::size_t>(index)];
      if (place.next != ByteGraph::kNone || index == graph_.end) kept.push_back(index);
      open.insert(open.end(), place.free_to.begin(), place.free_to.end());
      count_steps(1 + place.free_to.size());
    }
    std::ranges::sort(kept);
    return kept;
  }

  void count_steps(std::size_t steps) {
    num_steps_ += steps;
    if (num_steps_ > Automaton::kMostSteps)
      refuse_size(name_, "its automaton takes too long to build", "fewer overlapping parts");
  }

  const ByteGraph& graph_;
  const std::string& name_;
  std::map<Places, std::int32_t> states_;
  std::vector<const Places*> sets_;  ///< of each state
  std::vector<std::uint32_t> seen_;  ///< of each place: the closure that met it last
  std::uint32_t num_closures_ = 0;
  std::size_t num_steps_ = 0;
};

}  // namespace

Automaton::Automaton(const Expression& expression, std::string name) : name_(std::move(name)) {
  const ByteGraph graph = byte_graph_of(expression, name_);
  Subsets subsets(graph, name_);
  class_of_ = subsets.class_of;
  num_classes_ = subsets.num_classes;
  next_ = std::move(subsets.next);
  accepts_ = std::move(subsets.accepts);
  keep_live_states();
}

/// Cuts the ways to states from which no end can be reached.
void Automaton::keep_live_states() {
  std::vector<std::vector<std::int32_t>> before(num_states());
  for (std::size_t i = 0; i < next_.size(); ++i)
    if (next_[i] != kNoState)
      before[static_cast<std::size_t>(next_[i])].push_back(
          static_cast<std::int32_t>(i / num_classes_));
  std::vector<bool> is_live(num_states());
  std::vector<std::int32_t> open;
  for (std::size_t state = 0; state < num_states(); ++state)
    if (accepts_[state]) open.push_back(static_cast<std::int32_t>(state));
  while (!open.empty()) {
    const auto state = static_cast<std::size_t>(open.back());
    open.pop_back();
    if (is_live[state]) continue;
    is_live[state] = true;
    open.insert(open.end(), before[state].begin(), before[state].end());
  }
  if (!is_live[0])
    throw ConfigError(name_ + " matches no text; allowed: a constraint that some text meets");
  for (std::int32_t& next : next_)
    if (next != kNoState && !is_live[static_cast<std::size_t>(next)]) next = kNoState;
}

std::int32_t Automaton::after(std::int32_t state, std::string_view text) const {
  for (std::size_t i = 0; i < text.size() && state != kNoState; ++i)
    state = next(state, static_cast<unsigned char>(text[i]));
  return state;
}

bool Automaton::matches(std::string_view text) const {
  const std::int32_t state = after(start(), text);
  return state != kNoState && accepts(state);
}

}  // namespace speclab::engines
