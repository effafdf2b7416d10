#pragma once
// Ours beside the paper's.

#include <optional>
#include <string>
#include <vector>

#include "analysis/plots/figure.h"

namespace speclab::experiments {

enum class Verdict {
  agrees,
  input_rounding,  ///< a named slip that inputs which round to the printed ones explain
  known_slip,      ///< any other named slip of the source, of the size that is known
  context,  ///< measured by the source on its own machine, or of ours alone: nothing must agree
  disagrees,
};

const char* to_string(Verdict verdict);

/// Where the number beside ours comes from.
enum class Origin {
  printed,     ///< stands in the source, rounded as it prints it
  read_off,    ///< read off a figure of the source
  recomputed,  ///< the source's formula evaluated apart from this program, or a count of its
               ///< printed numbers
};

const char* to_string(Origin origin);

/// One number of ours beside the source's.
struct Comparison {
  std::string setting;  ///< key=value;...
  std::string quantity;
  double ours = 0.0;
  std::optional<analysis::Interval>
      interval{};  ///< 95 % over prompts, of what is measured; of what is predicted from that all
                   ///< that such intervals allow
  std::optional<int> prompts{};        ///< independent units behind it
  std::optional<double> reference{};   ///< missing where the source gives none
  Origin origin = Origin::recomputed;  ///< of the reference
  std::optional<double> tolerance{};   ///< absolute; missing where nothing must agree
  std::optional<analysis::Interval>
      reachable{};                  ///< ours, over all inputs that round to the printed ones
  std::string source{}, locator{};  ///< as in experiments/papers
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

/// Judges every row by its tolerance. A slip's row must be off, by no more than the slip allows; a
/// slip that meets no such row makes the reproduction disagree, by a row of its own.
/// @param slips  of this experiment
void judge(Reproduction& reproduction, const std::vector<Slip>& slips);

/// Slips that no row shows.
int count_slips_of_text(const std::vector<Slip>& slips);
/// "; 2 slips of the text", empty for none
std::string text_of_slips(int slips_of_text);

struct VerdictCounts {
  int agrees_printed =
      0;  ///< with numbers that stand in the source, read off its figures among them
  int agrees_recomputed = 0;
  int input_rounding = 0, known_slips = 0, context = 0, disagrees = 0;

  int agrees() const { return agrees_printed + agrees_recomputed; }
  int rows() const { return agrees() + input_rounding + known_slips + context + disagrees; }
  void add(const VerdictCounts& other);
};
VerdictCounts count_verdicts(const std::vector<Comparison>& rows);
/// "24 rows: 24 agree (12 printed, 12 recomputed), 0 within the rounding of inputs, 0 known slips,
/// 0 context, 0 disagree"
std::string text_of(const VerdictCounts& counts);

}  // namespace speclab::experiments
