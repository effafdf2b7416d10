#include "experiments/drivers/program/progress.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <utility>

#include "sim/system/utf8.h"

namespace speclab::experiments {
namespace {

constexpr std::size_t kColumnsIfUnknown = 80;

constexpr std::array<std::pair<char32_t, char32_t>, 14> kWide{{{0x1100, 0x115F},
                                                               {0x231A, 0x23F3},
                                                               {0x25FD, 0x27BF},
                                                               {0x2B1B, 0x2B55},
                                                               {0x2E80, 0x303E},
                                                               {0x3041, 0xA4CF},
                                                               {0xA960, 0xA97F},
                                                               {0xAC00, 0xD7A3},
                                                               {0xF900, 0xFAFF},
                                                               {0xFE10, 0xFE6F},
                                                               {0xFF00, 0xFF60},
                                                               {0xFFE0, 0xFFE6},
                                                               {0x16FE0, 0x1FAFF},
                                                               {0x20000, 0x3FFFD}}};

/// @param character  whole and valid
char32_t code_point(std::string_view character) {
  const auto lead = static_cast<unsigned char>(character[0]);
  if (character.size() == 1) return lead;
  char32_t code = lead & (0x7FU >> character.size());
  for (const char c : character.substr(1))
    code = code << 6 | (static_cast<unsigned char>(c) & 0x3F);
  return code;
}

std::size_t columns_of_first(std::string_view text, const Utf8Head& head) {
  if (head.state != Utf8State::complete) return 1;
  const char32_t code = code_point(text.substr(0, head.length));
  const auto holds = [code](const auto& block) {
    return code >= block.first && code <= block.second;
  };
  return std::ranges::any_of(kWide, holds) ? 2 : 1;
}

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

bool can_renew_line() {
  const char* term = std::getenv("TERM");
  return isatty(STDERR_FILENO) && term && std::string_view(term) != "dumb";
}

std::size_t terminal_columns() {
  winsize size{};
  return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col
                                                                         : kColumnsIfUnknown;
}

std::size_t columns_of(std::string_view text) {
  std::size_t columns = 0;
  while (!text.empty()) {
    const Utf8Head head = utf8_head(text);
    columns += columns_of_first(text, head);
    text.remove_prefix(head.length);
  }
  return columns;
}

std::string cut_to_columns(std::string_view text, std::size_t columns) {
  std::size_t length = 0;
  while (length < text.size()) {
    const Utf8Head head = utf8_head(text.substr(length));
    const std::size_t wide = columns_of_first(text.substr(length), head);
    if (wide > columns) break;
    columns -= wide;
    length += head.length;
  }
  return std::string(text.substr(0, length));
}

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
