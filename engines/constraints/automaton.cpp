#include "engines/constraints/automaton.h"

#include <algorithm>

#include "engines/constraints/subsets.h"
#include "sim/system/errors.h"

namespace speclab::engines {

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
