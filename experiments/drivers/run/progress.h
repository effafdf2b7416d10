#pragma once
#include <chrono>
#include <string>

namespace speclab::experiments {

/// Says on standard error what phase a run is in, how far, and for how long still: a bar that renews itself on a terminal,
/// else a line at the beginning and every ten seconds.
class Progress {
 public:
  enum class Style { silent, lines, bar };
  /// The style that fits standard error.
  static Style style_of_standard_error();

  explicit Progress(Style style) : style_(style) {}
  ~Progress() { end_phase(); }

  /// @param total  work of the phase, in any unit
  void begin_phase(const std::string& name, double total);
  /// `work` of the total is done, in the unit of the total.
  void advance(double work);
  void end_phase() { end_phase(""); }
  /// What the phase began did not come to its end.
  void stop_phase() { end_phase("stopped after "); }
  /// A line of its own.
  void note(const std::string& text);

 private:
  using Clock = std::chrono::steady_clock;
  void end_phase(const char* how);
  void show(bool at_once);

  Style style_;
  std::string phase_;
  double total_ = 0;
  double done_ = 0;
  Clock::time_point began_, shown_;
};

}  // namespace speclab::experiments
