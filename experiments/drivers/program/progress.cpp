#include "experiments/drivers/program/progress.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "experiments/drivers/program/terminal.h"

namespace speclab::experiments {
namespace {

std::string duration_text(double seconds) {
  const long whole = std::lround(seconds);
  return whole < 60 ? fmt::format("{} s", whole)
                    : fmt::format("{} min {:02} s", whole / 60, whole % 60);
}

constexpr std::size_t kLongestBar = 30, kShortestBar = 8;  // columns
/// One, because some terminals wrap behind the last column; three for what takes the control
/// sequence for text.
constexpr std::size_t kFreeColumns = 4;

std::string bar(double fraction, std::size_t columns) {
  const auto filled = static_cast<std::size_t>(fraction * static_cast<double>(columns));
  return std::string(filled, '#') + std::string(columns - filled, '.');
}

}  // namespace

Progress::Style Progress::style_of_standard_error() {
  return can_renew_line() ? Style::bar : Style::lines;
}

void Progress::begin_phase(const std::string& name, double total) {
  start(name, total);
  show(true);
}

void Progress::begin_quiet_phase(const std::string& name, double total) {
  start(name, total);
  silent_until_ = began_ + std::chrono::duration_cast<Clock::duration>(patience_);
}

void Progress::start(const std::string& name, double total) {
  end_phase();
  phase_ = name;
  total_ = total;
  done_ = 0;
  cells_ = {};
  tokens_per_s_ = 0;
  began_ = silent_until_ = Clock::now();
  was_shown_ = false;
}

void Progress::advance(double work) {
  done_ += work;
  show(false);
}

void Progress::tell(CellCount cells, double tokens_per_s) {
  cells_ = cells;
  tokens_per_s_ = tokens_per_s;
}

void Progress::end_phase(const char* how) {
  if (phase_.empty()) return;
  if (style_ == Style::bar && was_shown_) fmt::print(stderr, "\r\033[K");
  if (was_shown_)
    fmt::print(stderr, "{}: {}{}\n", phase_, how,
               duration_text(std::chrono::duration<double>(Clock::now() - began_).count()));
  phase_.clear();
}

void Progress::note(const std::string& text) {
  if (style_ != Style::silent)
    fmt::print(stderr, "{}{}\n", style_ == Style::bar ? "\r\033[K" : "", text);
}

void Progress::show(bool at_once) {
  const auto now = Clock::now();
  const auto interval = style_ == Style::bar ? std::chrono::duration<double>(0.2) : patience_;
  if (style_ == Style::silent || now < silent_until_) return;
  if (!at_once && now - shown_ < interval) return;
  shown_ = now;
  was_shown_ = true;
  const double elapsed_s = std::chrono::duration<double>(now - began_).count();
  const std::size_t columns = terminal_columns();
  if (style_ == Style::bar)
    fmt::print(stderr, "\r\033[K{}", line(elapsed_s, columns - std::min(columns, kFreeColumns)));
  else
    fmt::print(stderr, "{}\n", line(elapsed_s));
  std::fflush(stderr);
}

double Progress::fraction() const {
  return total_ > 0 ? std::clamp(done_ / total_, 0.0, 1.0) : 0.0;
}

std::vector<std::string> Progress::details(double elapsed_s) const {
  const double share = fraction();
  std::vector<std::string> details;
  if (cells_.all > 0) details.push_back(fmt::format(", {} of {} cells", cells_.done, cells_.all));
  if (share > 0)
    details.push_back(fmt::format(", {} left", duration_text(elapsed_s * (1 - share) / share)));
  if (tokens_per_s_ > 0)
    details.push_back(fmt::format(", {:.{}f} tokens/s", tokens_per_s_, tokens_per_s_ < 10 ? 1 : 0));
  return details;
}

std::string Progress::bar_line(double elapsed_s, std::size_t columns) const {
  constexpr std::size_t kFrame = 3;  // a blank and two brackets
  const double share = fraction();
  const std::string percentage = fmt::format(" {:3.0f} %", 100 * share);
  std::vector<std::string> behind = details(elapsed_s);
  const auto needed = [&] {
    return columns_of(phase_) + percentage.size() +
           columns_of(fmt::format("{}", fmt::join(behind, "")));
  };
  if (const std::size_t text = needed(); text + kFrame + kShortestBar <= columns)
    return fmt::format("{} [{}]{}{}", phase_,
                       bar(share, std::min(kLongestBar, columns - text - kFrame)), percentage,
                       fmt::join(behind, ""));
  while (!behind.empty() && needed() > columns) behind.pop_back();
  const std::string name = cut_to_columns(phase_, columns - std::min(columns, percentage.size()));
  return cut_to_columns(fmt::format("{}{}{}", name, percentage, fmt::join(behind, "")), columns);
}

std::string Progress::line(double elapsed_s, std::size_t columns) const {
  if (style_ == Style::bar) return bar_line(elapsed_s, columns);
  return fmt::format("{}: {:.0f} %{}", phase_, 100 * fraction(), fmt::join(details(elapsed_s), ""));
}

}  // namespace speclab::experiments
