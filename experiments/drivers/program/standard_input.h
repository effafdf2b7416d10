#pragma once
#include <nlohmann/json.hpp>
#include <string>

namespace speclab::experiments {

/// Standard input of a command, read with its errors noticed and its size bounded.
class StandardInput {
 public:
  static constexpr std::size_t kMaxBytes = std::size_t{256}
                                           << 20;  ///< of a line, or of all where it is read whole

  /// The next line without its line feed. @return false at the end
  /// @throws ConfigError naming the line if it is too long or cannot be read
  bool next_line(std::string& line);
  /// 1 for the first.
  std::size_t line_number() const { return line_number_; }

  /// Everything that is left. @throws ConfigError
  std::string rest();

 private:
  /// Appends what one read gives. @return false at the end
  bool fill();

  std::string unread_;
  std::size_t begin_ = 0;  ///< of the next line, in unread_
  std::size_t line_number_ = 0;
  bool ended_ = false;
};

/// One line of standard input. @param allowed  what it may be, for the message @throws ConfigError
/// naming the line
nlohmann::json parse_json_line(const std::string& line, std::size_t number, const char* allowed);

/// Whether it is a number that can be a token id.
bool is_token_id(const nlohmann::json& value);

}  // namespace speclab::experiments
