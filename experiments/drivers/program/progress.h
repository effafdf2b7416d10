#pragma once
#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace speclab::experiments {

// The width of a terminal, and of text on it.

/// Whether standard error is a terminal that can clear a line; TERM=dumb cannot.
bool can_renew_line();

/// Columns of the terminal behind standard error at this moment; 80 where it does not tell.
std::size_t terminal_columns();

/// Columns that a text takes, an upper bound: two for each wide character, one for any other.
/// @source Unicode Standard Annex 11 (East Asian Width), blocks of the classes W and F
std::size_t columns_of(std::string_view text);

/// The beginning of the text that takes at most so many columns, in whole characters.
std::string cut_to_columns(std::string_view text, std::size_t columns);

/// What a phase of many cells has come to.
struct CellCount {
  std::size_t done = 0, all = 0;  ///< a cell is done when nothing of it is left to measure
};

/// Says on standard error what phase a run is in, how far, and for how long still: a bar that
/// renews itself on a terminal, else a line at the beginning and every ten seconds.
class Progress {
 public:
  enum class Style { silent, lines, bar };
  static constexpr std::size_t kAnyColumns = 1000;
  /// The style that fits standard error: a bar where a line can be renewed.
  static Style style_of_standard_error();

  /// @param patience  between two lines, and before the first one of a phase that may be short
  explicit Progress(Style style, std::chrono::duration<double> patience = std::chrono::seconds(10))
      : style_(style), patience_(patience) {}
  ~Progress() { end_phase(); }

  /// @param total  work of the phase, in any unit
  void begin_phase(const std::string& name, double total);
  /// Begins a phase that may be short: no line appears before the patience ends.
  void begin_quiet_phase(const std::string& name, double total);
  /// `work` of the total is done, in the unit of the total.
  void advance(double work);
  /// What else the line says until the phase ends: cells where there are any, the speed where it is
  /// known.
  void tell(CellCount cells, double tokens_per_s);
  /// "measuring: 42 %, 5 of 12 cells, 48 s left, 85 tokens/s" of a phase of this name that has
  /// taken so long. A bar takes at most so many columns: it gets shorter, then it is left out, then
  /// the speed, the time and the cells are, and at last the name is cut.
  std::string line(double elapsed_s, std::size_t columns = kAnyColumns) const;
  void end_phase() { end_phase(""); }
  /// What the phase began did not come to its end.
  void stop_phase() { end_phase("stopped after "); }
  /// A line of its own.
  void note(const std::string& text);

 private:
  using Clock = std::chrono::steady_clock;
  void end_phase(const char* how);
  void start(const std::string& name, double total);
  void show(bool at_once);
  double fraction() const;
  /// Parts of the line behind the percentage; the last is left out first.
  std::vector<std::string> details(double elapsed_s) const;
  std::string bar_line(double elapsed_s, std::size_t columns) const;

  Style style_;
  std::chrono::duration<double> patience_;
  std::string phase_;
  double total_ = 0;
  double done_ = 0;
  CellCount cells_{};
  double tokens_per_s_ = 0;
  bool was_shown_ = false;  ///< a line of this phase
  Clock::time_point began_, shown_, silent_until_;
};

}  // namespace speclab::experiments
