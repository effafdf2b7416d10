#pragma once
// How far a copied token can be trusted.

#include <array>
#include <cstddef>

namespace speclab::engines {

/// Of one text: how often the token that was to be copied came, by the length of the suffix that it
/// stood behind. What the text itself has not shown yet is taken from texts before it.
/// @source results/reference/drafter_acceptance_cpu/lookup_weights: the target's own text, 896
/// texts at temperatures 0, 0.7 and 1
class CopyRecord {
 public:
  /// @param suffix  length in tokens, at least 1
  void add(std::size_t suffix, bool came_true);
  /// Expected share of copies behind such a suffix that come true, in (0, 1).
  double expected(std::size_t suffix) const;

 private:
  static constexpr std::array<double, 10> kBefore{0.16, 0.45, 0.54, 0.65, 0.73,
                                                  0.74, 0.79, 0.79, 0.89, 0.89};
  static constexpr double kWeightBefore = 8;  ///< as many copies of the text itself weigh as much
  struct Count {
    int copies = 0, came_true = 0;
  };

  static std::size_t place_of(std::size_t suffix);

  std::array<Count, kBefore.size()> counts_{};
};

}  // namespace speclab::engines
