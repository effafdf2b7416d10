#include "analysis/tables/axes.h"

namespace speclab::analysis {

CellAxes CellAxes::plain() const {
  CellAxes axes = *this;
  axes.drafter = "none";
  axes.tree = axes.policy = axes.verifier = "";
  return axes;
}

}  // namespace speclab::analysis
