#include "engines/drafters/suffix_automaton.h"

#include <algorithm>

namespace speclab::engines {

void SuffixAutomaton::clear() {
  tokens_.clear();
  nodes_.assign(1, {0, kNone, 0, kNone});
  edges_.clear();
  table_.assign(64, kNone);
  last_ = matched_ = 0;
  match_ = {};
}

void SuffixAutomaton::push_back(Token token) {
  advance_match(token);
  extend(token);
  tokens_.push_back(token);
  while (matched_ != 0 && nodes_[nodes_[matched_].link].length >= match_.length)
    matched_ = nodes_[matched_].link;  // of a split, or of what is too long
  match_.end = nodes_[matched_].latest_end;
  for (State state = matched_; state != 0; state = nodes_[state].link)
    nodes_[state].latest_end = static_cast<std::uint32_t>(tokens_.size());
}

void SuffixAutomaton::advance_match(Token token) {
  const Edge* taken = edge(matched_, token);
  while (!taken && matched_ != 0) {
    matched_ = nodes_[matched_].link;
    match_.length = nodes_[matched_].length;
    taken = edge(matched_, token);
  }
  matched_ = taken ? taken->to : 0;
  match_.length = taken ? std::min(match_.length + 1, max_length_) : 0;
}

void SuffixAutomaton::extend(Token token) {
  const State whole = add_state(nodes_[last_].length + 1);
  nodes_[whole].latest_end = nodes_[whole].length;
  State state = last_;
  last_ = whole;
  for (; state != kNone && !edge(state, token); state = nodes_[state].link)
    add_edge(state, token, whole);
  if (state == kNone) return void(nodes_[whole].link = 0);
  const State to = edge(state, token)->to;
  nodes_[whole].link = nodes_[to].length == nodes_[state].length + 1 ? to : split(state, token, to);
}

/// Parts the strings of `to` that `from` and its endings lead to from the longer ones.
SuffixAutomaton::State SuffixAutomaton::split(State from, Token token, State to) {
  const State shorter = add_state(nodes_[from].length + 1);
  nodes_[shorter].link = nodes_[to].link;
  nodes_[shorter].latest_end = nodes_[to].latest_end;
  for (std::uint32_t i = nodes_[to].first_edge; i != kNone; i = edges_[i].next)
    add_edge(shorter, edges_[i].token, edges_[i].to);
  for (State state = from; state != kNone; state = nodes_[state].link) {
    Edge* const changed = edge(state, token);
    if (changed->to != to) break;
    changed->to = shorter;
  }
  nodes_[to].link = shorter;
  return shorter;
}

SuffixAutomaton::State SuffixAutomaton::add_state(std::uint32_t length) {
  nodes_.push_back({length, 0, 0, kNone});
  return static_cast<State>(nodes_.size()) - 1;
}

void SuffixAutomaton::add_edge(State from, Token token, State to) {
  if (2 * (edges_.size() + 1) > table_.size()) grow_table();
  table_[slot(from, token)] = static_cast<std::uint32_t>(edges_.size());
  edges_.push_back({from, token, to, nodes_[from].first_edge});
  nodes_[from].first_edge = static_cast<std::uint32_t>(edges_.size()) - 1;
}

SuffixAutomaton::Edge* SuffixAutomaton::edge(State from, Token token) {
  const std::uint32_t found = table_[slot(from, token)];
  return found == kNone ? nullptr : &edges_[found];
}

/// Of the edge, or the free one where it belongs.
std::size_t SuffixAutomaton::slot(State from, Token token) const {
  const std::uint64_t mixed =
      (std::uint64_t{from} << 32 | static_cast<std::uint32_t>(token)) * 0x9E3779B97F4A7C15u;
  std::size_t at = static_cast<std::size_t>(mixed >> 32) & (table_.size() - 1);
  while (table_[at] != kNone &&
         (edges_[table_[at]].from != from || edges_[table_[at]].token != token))
    at = (at + 1) & (table_.size() - 1);
  return at;
}

void SuffixAutomaton::grow_table() {
  table_.assign(2 * table_.size(), kNone);
  for (std::uint32_t i = 0; i < edges_.size(); ++i)
    table_[slot(edges_[i].from, edges_[i].token)] = i;
}

}  // namespace speclab::engines
