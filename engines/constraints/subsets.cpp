#include "engines/constraints/subsets.h"

#include <fmt/format.h>

#include <algorithm>
#include <bitset>

#include "engines/constraints/automaton.h"

namespace speclab::engines {

Subsets::Subsets(const ByteGraph& graph, const std::string& name)
    : graph_(graph), name_(name), seen_(graph.places.size()) {
  find_classes();
  state_of(closure({graph.start}));
  for (std::size_t state = 0; state < sets_.size(); ++state) add_state(*sets_[state]);
}

/// A class begins where the bytes of any place begin or end.
void Subsets::find_classes() {
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

void Subsets::add_state(const Places& places) {
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

std::int32_t Subsets::state_of(Places places) {
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

Subsets::Places Subsets::closure(Places open) {
  Places kept;
  ++num_closures_;
  while (!open.empty()) {
    const std::int32_t index = open.back();
    open.pop_back();
    std::uint32_t& seen = seen_[static_cast<std::size_t>(index)];
    if (seen == num_closures_) continue;
    seen = num_closures_;
    const ByteGraph::Place& place = graph_.places[static_cast<std::size_t>(index)];
    if (place.next != ByteGraph::kNone || index == graph_.end) kept.push_back(index);
    open.insert(open.end(), place.free_to.begin(), place.free_to.end());
    count_steps(1 + place.free_to.size());
  }
  std::ranges::sort(kept);
  return kept;
}

void Subsets::count_steps(std::size_t steps) {
  num_steps_ += steps;
  if (num_steps_ > Automaton::kMostSteps)
    refuse_size(name_, "its automaton takes too long to build", "fewer overlapping parts");
}

}  // namespace speclab::engines
