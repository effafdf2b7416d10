#include "engines/constraints/schema_text.h"

#include <fmt/format.h>

#include <set>
#include <vector>

#include "engines/constraints/json_schema.h"
#include "sim/system/errors.h"
#include "sim/system/json_text.h"

namespace speclab::engines {
namespace {

using Json = nlohmann::ordered_json;

[[noreturn]] void refuse_text(const std::string& file, const std::string& found,
                              const std::string& allowed) {
  throw ConfigError(
      fmt::format("{}: {}; allowed: {}", escaped(file, kLongestPath), found, allowed));
}

/// Refuses texts that the parser misreads: it takes a zero byte for the end, and any depth.
void check_text(std::string_view text, const std::string& file) {
  constexpr int kMostNesting = 4 * kMostSchemaDepth;  // objects and lists of the text
  if (text.size() > kMostSchemaBytes)
    refuse_text(file, fmt::format("{} bytes", text.size()), "at most 1 MiB");
  if (text.find('\0') != std::string_view::npos) refuse_text(file, "a zero byte", "JSON in UTF-8");
  if (const int depth = json_depth(text); depth > kMostNesting)
    refuse_text(file, fmt::format("{} levels of lists and objects", depth),
                fmt::format("at most {}", kMostNesting));
}

/// The parser takes the last of two members of one key.
class Watch {
 public:
  explicit Watch(const std::string& file) : file_(file) {}

  bool operator()(Json::parse_event_t event, const Json& parsed) {
    if (event == Json::parse_event_t::object_start) keys_.emplace_back();
    if (event == Json::parse_event_t::object_end) keys_.pop_back();
    if (event == Json::parse_event_t::key &&
        !keys_.back().insert(parsed.get_ref<const std::string&>()).second)
      refuse_text(file_, fmt::format("the key {} twice in one object", shown_json(parsed)), "once");
    return true;
  }

 private:
  const std::string& file_;
  std::vector<std::set<std::string>> keys_;  ///< of the open objects
};

}  // namespace

Json parse_schema(std::string_view text, const std::string& file) try {
  check_text(text, file);
  Watch watch(file);
  return Json::parse(text, [&watch](int, Json::parse_event_t event, Json& parsed) {
    return watch(event, parsed);
  });
} catch (const Json::parse_error& error) {
  refuse_text(file, fmt::format("no valid JSON at byte {}", error.byte), "a JSON schema in UTF-8");
} catch (const Json::out_of_range&) {
  refuse_text(file, "a number that no double holds", "numbers up to 1.7e308 in size");
}

}  // namespace speclab::engines
