#pragma once
// Ours beside the paper's.

#include <optional>
#include <string>
#include <vector>

#include "analysis/plots/figure.h"

namespace speclab::experiments {

enum class Verdict {
  agrees,
  known_slip,  ///< a named slip of the source, of the size that is known
  context,     ///< measured by the source on its own machine, or of ours alone: nothing must agree
  disagrees,
};

const char* to_string(Verdict verdict);

/// One number of ours beside the source's.
struct Comparison {
  std::string setting;  ///< key=value;...
  std::string quantity;
  double ours = 0.0;
  std::optional<double> paper{};      ///< missing where the source gives none
  std::optional<double> tolerance{};  ///< absolute; missing where nothing must agree
  std::string source{}, locator{};    ///< as in experiments/papers
  Verdict verdict = Verdict::context;
  std::string note{};
};

/// A slip of a source: of one row, or (empty setting) of its text.
struct Slip {
  std::string experiment{}, name{}, setting{}, quantity{};
  std::optional<double> allowed{};  ///< how far the row may be off
  std::string source{}, locator{}, printed{}, right{};
};

/// A table or figure rebuilt.
struct Reproduction {
  std::vector<Comparison> rows{};
  std::vector<analysis::Figure> figures{};
  std::vector<std::string> remarks{};  ///< what the rows show together
};

/// Judges every row by its tolerance. A slip's row must be off, by no more than the slip allows; a slip that meets no such row makes
/// the reproduction disagree, by a row of its own.
/// @param slips  of this experiment
void judge(Reproduction& reproduction, const std::vector<Slip>& slips);

struct VerdictCounts {
  int agrees = 0, known_slips = 0, context = 0, disagrees = 0;
  void add(const VerdictCounts& other);
};
VerdictCounts count_verdicts(const std::vector<Comparison>& rows);
/// "24 rows: 24 agree, 0 known slips, 0 context, 0 disagree"
std::string text_of(const VerdictCounts& counts);

}  // namespace speclab::experiments
