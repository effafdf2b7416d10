#pragma once
// How much a test does. SPECLAB_TEST_SIZE chooses: quick, usual (where it is not set) or whole.

#include <cstdlib>
#include <stdexcept>
#include <string>

namespace speclab::testing {

/// The one of three values that SPECLAB_TEST_SIZE chooses. A smaller test checks fewer cases; each
/// of them it checks as closely as a whole one does.
template <typename Value>
Value by_size(Value quick, Value usual, Value whole) {
  const char* set = std::getenv("SPECLAB_TEST_SIZE");
  const std::string size = set == nullptr ? "usual" : set;
  if (size == "quick") return quick;
  if (size == "usual") return usual;
  if (size == "whole") return whole;
  throw std::invalid_argument("SPECLAB_TEST_SIZE = " + size + "; allowed: quick, usual, whole");
}

/// Takes some of the cases that a loop makes: every `stride`-th one, from the first on.
class EveryNth {
 public:
  explicit EveryNth(int stride) : stride_(stride) {}
  bool takes_next() { return count_++ % stride_ == 0; }

 private:
  int stride_, count_ = 0;
};

}  // namespace speclab::testing
