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
  return whole < 60 ? fmt::format("{} s", whole) : fmt::format("{} min {:02} s", whole / 60, whole % 60);
}

std::string bar(double fraction) {
  constexpr std::size_t kWidth = 30;
  const auto filled = static_cast<std::size_t>(fraction * kWidth);
  return std::string(filled, '#') + std::string(kWidth - filled, '.');
}

}  // namespace

Progress::Style Progress::style_of_standard_error() { return isatty(STDERR_FILENO) ? Style::bar : Style::lines; }

void Progress::begin_phase(const std::string& name, double total) {
  end_phase();
  phase_ = name;
  total_ = total;
  done_ = 0;
  began_ = Clock::now();
  show(true);
}

void Progress::advance(double work) {
  done_ += work;
  show(false);
}

void Progress::end_phase(const char* how) {
  if (phase_.empty()) return;
  if (style_ == Style::bar) fmt::print(stderr, "\r\033[K");
  if (style_ != Style::silent) fmt::print(stderr, "{}: {}{}\n", phase_, how, duration_text(std::chrono::duration<double>(Clock::now() - began_).count()));
  phase_.clear();
}

void Progress::note(const std::string& text) {
  if (style_ != Style::silent) fmt::print(stderr, "{}{}\n", style_ == Style::bar ? "\r\033[K" : "", text);
}

void Progress::show(bool at_once) {
  const auto now = Clock::now();
  const std::chrono::duration<double> interval(style_ == Style::bar ? 0.2 : 10.0);
  if (style_ == Style::silent || (!at_once && now - shown_ < interval)) return;
  shown_ = now;
  const double fraction = total_ > 0 ? std::clamp(done_ / total_, 0.0, 1.0) : 0.0;
  const double elapsed = std::chrono::duration<double>(now - began_).count();
  const std::string left = fraction > 0 ? ", " + duration_text(elapsed * (1 - fraction) / fraction) + " left" : "";
  if (style_ == Style::bar) fmt::print(stderr, "\r\033[K{} [{}] {:3.0f} %{}", phase_, bar(fraction), 100 * fraction, left);
  else fmt::print(stderr, "{}: {:.0f} %{}\n", phase_, 100 * fraction, left);
  std::fflush(stderr);
}

}  // namespace speclab::experiments
