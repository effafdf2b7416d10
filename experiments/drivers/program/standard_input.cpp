#include "experiments/drivers/program/standard_input.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <limits>

#include "sim/core/token.h"
#include "sim/system/errors.h"
#include "sim/system/json_text.h"

namespace speclab::experiments {

bool StandardInput::fill() {
  constexpr std::size_t kChunk = 1 << 16;
  if (ended_) return false;
  if (unread_.size() - begin_ > kMaxBytes)
    throw ConfigError(fmt::format("standard input:{}: more than {} MiB at once; give less",
                                  line_number_ + 1, kMaxBytes >> 20));
  unread_.erase(0, begin_);
  begin_ = 0;
  const std::size_t size = unread_.size();
  unread_.resize(size + kChunk);
  ssize_t n = -1;
  do n = ::read(STDIN_FILENO, unread_.data() + size, kChunk);
  while (n < 0 && errno == EINTR);
  if (n < 0)
    throw ConfigError(fmt::format("standard input: cannot read: {}; give a file or a pipe",
                                  std::strerror(errno)));
  unread_.resize(size + static_cast<std::size_t>(n));
  ended_ = n == 0;
  return !ended_;
}

bool StandardInput::next_line(std::string& line) {
  std::size_t looked = begin_;
  std::size_t end = unread_.find('\n', looked);
  while (end == std::string::npos) {
    looked = unread_.size() - begin_;
    if (!fill()) break;
    end = unread_.find('\n', looked);
  }
  if (end == std::string::npos && begin_ == unread_.size()) return false;
  ++line_number_;
  line = unread_.substr(begin_, end == std::string::npos ? std::string::npos : end - begin_);
  begin_ = end == std::string::npos ? unread_.size() : end + 1;
  return true;
}

std::string StandardInput::rest() {
  while (fill()) {
  }
  std::string text = unread_.substr(begin_);
  begin_ = unread_.size();
  return text;
}

nlohmann::json parse_json_line(const std::string& line, std::size_t number, const char* allowed) {
  if (json_depth(line) > kMostJsonDepth)
    throw ConfigError(fmt::format("standard input:{}: nested deeper than {}; allowed: {}", number,
                                  kMostJsonDepth, allowed));
  try {
    return nlohmann::json::parse(line);
  } catch (const nlohmann::json::exception& error) {
    throw ConfigError(fmt::format("standard input:{}: {}; allowed: {} ({})", number,
                                  escaped(line, 60), allowed, escaped(error.what(), 200)));
  }
}

bool is_token_id(const nlohmann::json& value) {
  return value.is_number_unsigned() &&
         value.get<std::uint64_t>() <=
             static_cast<std::uint64_t>(std::numeric_limits<Token>::max());
}

}  // namespace speclab::experiments
