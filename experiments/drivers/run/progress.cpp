#include "experiments/drivers/run/progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace speclab::experiments {
namespace {

std::string duration_text(double seconds) {
  const long whole = std::lround(seconds);
  return whole < 60 ? fmt::format("{} s", whole)
                    : fmt::format("{} min {:02} s", whole / 60, whole % 60);
}

std::string bar(double fraction) {
  constexpr std::size_t kWidth = 30;
  const auto filled = static_cast<std::size_t>(fraction * kWidth);
  return std::string(filled, '#') + std::string(kWidth - filled, '.');
}

}  // namespace

Progress::Style Progress::style_of_standard_error() {
  return isatty(STDERR_FILENO) ? Style::bar : Style::lines;
}

void Progress::begin_phase(const std::string& name, double total) {
  end_phase();
  phase_ = name;
  total_ = total;
  done_ = 0;
  cells_ = {};
  tokens_per_s_ = 0;
  began_ = Clock::now();
  show(true);
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
  if (style_ == Style::bar) fmt::print(stderr, "\r\033[K");
  if (style_ != Style::silent)
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
  const std::chrono::duration<double> interval(style_ == Style::bar ? 0.2 : 10.0);
  if (style_ == Style::silent || (!at_once && now - shown_ < interval)) return;
  shown_ = now;
  const std::string text = line(std::chrono::duration<double>(now - began_).count());
  if (style_ == Style::bar)
    fmt::print(stderr, "\r\033[K{}", text);
  else
    fmt::print(stderr, "{}\n", text);
  std::fflush(stderr);
}

double Progress::fraction() const {
  return total_ > 0 ? std::clamp(done_ / total_, 0.0, 1.0) : 0.0;
}

std::string Progress::line(double elapsed_s) const {
  const double share = fraction();
  std::string text = style_ == Style::bar
                         ? fmt::format("{} [{}] {:3.0f} %", phase_, bar(share), 100 * share)
                         : fmt::format("{}: {:.0f} %", phase_, 100 * share);
  if (cells_.all > 0) text += fmt::format(", {} of {} cells", cells_.done, cells_.all);
  if (share > 0) text += fmt::format(", {} left", duration_text(elapsed_s * (1 - share) / share));
  if (tokens_per_s_ > 0)
    text += fmt::format(", {:.{}f} tokens/s", tokens_per_s_, tokens_per_s_ < 10 ? 1 : 0);
  return text;
}

}  // namespace speclab::experiments
