#pragma once
// A text that grows token by token, and the latest earlier occurrence of its end.

#include <cstdint>
#include <vector>

#include "sim/core/token.h"

namespace speclab::engines {

/// Appending a token takes constant time in the mean, and at most max_length steps for what the
/// matches need; asking takes none. At most 2 states and 3 edges a token.
/// @source Blumer et al. 1985; matching while the automaton grows: matching statistics, Chang and
/// Lawler 1994
class SuffixAutomaton {
 public:
  /// An end of the text that occurred before.
  struct Match {
    std::size_t length = 0;  ///< tokens; 0 if even the last token is new
    std::size_t end = 0;     ///< index of the token after its latest earlier occurrence
  };

  /// @param max_length  longer ends are not looked for, at least 1
  explicit SuffixAutomaton(std::size_t max_length) : max_length_(max_length) { clear(); }

  void clear();
  void push_back(Token token);
  const std::vector<Token>& tokens() const { return tokens_; }
  /// The longest end of at most max_length tokens that occurs earlier too; occurrences may overlap.
  const Match& match() const { return match_; }

 private:
  using State = std::uint32_t;
  static constexpr std::uint32_t kNone = 0xFFFFFFFFu;
  struct Node {
    std::uint32_t length;  ///< of the state's longest string
    State link;  ///< state of the longest ending of these strings that occurs elsewhere too
    std::uint32_t latest_end;  ///< kept for states with a string of at most max_length tokens
    std::uint32_t first_edge;  ///< list of the edges that leave it
  };
  struct Edge {
    State from;
    Token token;
    State to;
    std::uint32_t next;
  };

  State add_state(std::uint32_t length);
  void add_edge(State from, Token token, State to);
  /// The edge, or null.
  Edge* edge(State from, Token token);
  std::size_t slot(State from, Token token) const;
  void grow_table();
  void advance_match(Token token);
  void extend(Token token);
  State split(State from, Token token, State to);

  std::size_t max_length_;
  std::vector<Token> tokens_;
  std::vector<Node> nodes_;  ///< the first is the empty string's
  std::vector<Edge> edges_;
  std::vector<std::uint32_t> table_;  ///< hash table of edges, a power of two, kNone where free
  State last_ = 0;                    ///< of the whole text
  State matched_ = 0;                 ///< of the longest matched ending
  Match match_;
};

}  // namespace speclab::engines
