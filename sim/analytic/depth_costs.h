#pragma once
#include <optional>
#include <span>
#include <vector>

#include "sim/analytic/cost_surface.h"

namespace speclab::sim {

/// What rounds of every depth cost at one context: the curves of a surface side by side, for those
/// who weigh all lengths every round. The same numbers as CostSurface::round_ns, to the bit.
class DepthCosts {
 public:
  /// @param rows_of_depth  [d] target rows of a draft with d levels. @throws ContractError if a
  /// kind was not measured or rows < 1
  DepthCosts(const CostSurface& costs, std::span<const int> rows_of_depth);

  /// @param context   tokens in the cache, >= 0
  /// @param total_ns  [d] gets a round's time, one entry a depth. @throws ContractError as
  /// CostCurve::ns
  void at(int context, std::span<double> total_ns) const;

 private:
  /// Of one depth, in the order in which they are added.
  struct Curves {
    std::optional<CostCurve> draft;  ///< none at depth 0
    CostCurve target, overhead;
    double ns(int context) const {
      return (draft ? draft->ns(context) : 0.0) + target.ns(context) + overhead.ns(context);
    }
  };
  /// The lines of one kind of work. [d]
  struct Lines {
    std::vector<double> left_ns, rise_ns;
    void add(const CostLine& line);
    double at(std::size_t depth, double share) const {
      return left_ns[depth] + share * rise_ns[depth];
    }
  };
  /// Contexts above `left`, up to `right`, over which every curve is one line.
  struct Stretch {
    int left = 0, right = 0;
    Lines draft{}, target{}, overhead{};
  };

  /// Where every curve is one line.
  void add_stretch(int left, int right);

  std::vector<Curves> curves_;      ///< [d]
  std::vector<Stretch> stretches_;  ///< contexts in none of them are read off the curves
};

}  // namespace speclab::sim
