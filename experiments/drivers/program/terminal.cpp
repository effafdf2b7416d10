#include "experiments/drivers/program/terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
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

}  // namespace speclab::experiments
